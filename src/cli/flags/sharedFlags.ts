import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { isClusterName } from "../../server/access/kubeconfigContextName.ts"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { parseClockSpeed } from "../../runtime/clockSpeed.ts"
import type { ClusterOptions } from "../../cluster/clusterOptions.ts"

/** Flags whose names end with `WithDefault` have a value even if they were not given. */

/** The largest cluster that Kubernetes supports. */
const nodesMax = 5000

export const outputFlag = Flag.Literals("output", ["tree", "events", "json"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription(
    "A tree of the objects, a line for each event, or one JSON object at the end; " +
      "a tree on a terminal and events in a pipe by default"
  ),
  Flag.optional
)

export const textOrJsonFlag = (description: string) =>
  Flag.Literals("output", ["text", "json"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription(description),
    Flag.withDefault("text")
  )

const integerFlag = (
  name: string,
  isValid: (value: number) => boolean,
  expectedText: string
): Flag.Flag<number> =>
  Flag.String(name).pipe(
    Flag.withMetavar("integer"),
    Flag.filterMap(
      (text) => {
        const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
        return Number.isSafeInteger(value) && isValid(value) ? Option.some(value) : Option.none()
      },
      () => expectedText
    )
  )

const makePortFlag = (name: string): Flag.Flag<number> =>
  integerFlag(name, (port) => port >= 0 && port <= portMax, `a port, 0 to ${portMax}`)

const portMax = 65_535

export const seedFlag = integerFlag("seed", () => true, "a whole number").pipe(
  Flag.withDescription(
    "The seed of every random choice: the same seed gives the same run (1 by default, or the story's)"
  )
)

export const seedFlagWithDefault = seedFlag.pipe(Flag.withDefault(1))

/** `expandInspectArgument` turns a following argument into the value of `--inspect-only`. */
export const inspectFlag = Flag.Boolean("inspect").pipe(
  Flag.withDescription(
    "Stream the running statecharts to Stately's inspector and print its address; " +
      "--inspect deployment/web streams only that object and what it owns"
  ),
  Flag.withDefault(false)
)

export const inspectedObjectsFlag = Flag.String("inspect-only").pipe(
  Flag.withMetavar("KIND/NAME,..."),
  Flag.withDescription(
    "The objects to inspect, with what they own: deployment/web, deployment/shop/web, pod/..., separated by commas"
  ),
  Flag.optional
)

interface InspectorFlags {
  readonly inspect: boolean
  readonly inspectOnly: Option.Option<string>
  readonly inspectPort: Option.Option<number>
}

const isInspectorWanted = (flagValues: InspectorFlags): boolean =>
  flagValues.inspect || Option.isSome(flagValues.inspectOnly)

export const inspectPortFlag = makePortFlag("inspect-port").pipe(
  Flag.withDescription("The port of the inspector; a free one by default"),
  Flag.optional
)

export const inspectPortNeedsInspect = "--inspect-port goes with --inspect or --inspect-only"

/** 0 for a free port, undefined for no inspector. */
export const inspectPortOf = (flagValues: InspectorFlags): number | undefined =>
  isInspectorWanted(flagValues) ? Option.getOrElse(flagValues.inspectPort, () => 0) : undefined

export const isInspectPortUnused = (flagValues: InspectorFlags): boolean =>
  Option.isSome(flagValues.inspectPort) && !isInspectorWanted(flagValues)

export const runFilesFlag = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("A YAML or JSON manifest, or - for standard input; several are applied in turn"),
  Flag.atLeast(0)
)

type ClockSetting = NonNullable<ClusterOptions["clock"]>

const parseClockSetting = (text: string): Option.Option<ClockSetting> => {
  if (text === "virtual" || text === "real") return Option.some(text)
  const speed = text.endsWith("x") ? parseClockSpeed(text) : undefined
  return speed === undefined ? Option.none() : Option.some({ speed })
}

export const virtualClock = { text: "virtual", setting: "virtual" } as const

const makeClockFlag = (metavar: string, description: string) =>
  Flag.String("clock").pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.map(parseClockSetting(text), (setting) => ({ text, setting })),
      () => "virtual, real or a speed like 60x"
    )
  )

export const runClockFlag = makeClockFlag(
  "virtual|real|60x",
  "How time goes: as fast as it can be worked out (the default), in real time, or faster"
)

export const upClockFlag = makeClockFlag(
  "real|60x|virtual",
  "How time goes: in real time (the default), faster, or only when it is told to (the default with --snapshot); " +
    "a cluster that --data keeps goes on at its speed"
).pipe(Flag.optional)

export const upFilesFlag = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE|DIR|URL"),
  Flag.withDescription(
    "A manifest, a folder of manifests or of a kustomization, or an address; several are applied in turn"
  ),
  Flag.atLeast(0)
)

export const clusterNameFlag = Flag.String("name").pipe(
  Flag.withDescription("The name of the cluster: its kubectl context is charthouse-NAME"),
  Flag.filter(isClusterName, () => "a name of lower-case letters, digits and hyphens")
)

export const clusterNameDefault = "charthouse"
export const clusterNameFlagWithDefault = clusterNameFlag.pipe(Flag.withDefault(clusterNameDefault))

export const kubeconfigFlag = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "The kubeconfig file that the context is written to; by default the one that kubectl uses"
  ),
  Flag.optional
)

export const portFlag = makePortFlag("port").pipe(
  Flag.withDescription("The port to serve on; a free one by default")
)

export const portFlagWithDefault = portFlag.pipe(Flag.withDefault(0))

export const tokenFileFlag = Flag.String("token-file").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "A file with the token that clients need, created when it is missing: it keeps the token the same after a " +
      "restart; by default each start has a new one"
  ),
  Flag.optional
)

export const hostFlag = Flag.String("host").pipe(
  Flag.withDescription(
    "The address to serve on: this machine only by default, 0.0.0.0 for every network interface"
  )
)

export const pagePortFlag = makePortFlag("page-port").pipe(
  Flag.withDescription(
    "The port of the page, a free one by default; give --token-file too to keep the whole address, which contains " +
      "the token"
  )
)

export const optionalPagePortFlag = pagePortFlag.pipe(Flag.optional)

/** Without TLS, the page and the API share a server. */
export const pagePortNeedsTls = "--page-port goes with TLS: with --no-tls the page is at --port"

export const hostDefault = "127.0.0.1"
export const hostFlagWithDefault = hostFlag.pipe(Flag.withDefault(hostDefault))

export const whyFlag = Flag.Boolean("why").pipe(
  Flag.withDescription(
    "Retain the steps of every statechart from the beginning, for `charthouse why`; otherwise from its first call"
  ),
  Flag.withDefault(false)
)

export const noTlsFlag = Flag.Boolean("no-tls").pipe(
  Flag.withDescription("Serve plain HTTP. kubectl sends no token over plain HTTP, so no context is written"),
  Flag.withDefault(false)
)

export const treeOrEventsFlag = Flag.Literals("output", ["tree", "events"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("A live tree, or a line for each event; by default a tree on a terminal"),
  Flag.optional
)

/** A number of nodes, or a file of Node objects that replace the default nodes. */
export type NodesArgument = number | { readonly file: string }

const isNodesFile = (text: string): boolean => text === "-" || /[/\\]|\.(ya?ml|json)$/.test(text)

const parseNodes = (text: string): Option.Option<NodesArgument> => {
  if (isNodesFile(text)) return Option.some({ file: text })
  return /^\d+$/.test(text) && Number(text) <= nodesMax ? Option.some(Number(text)) : Option.none()
}

export const makeNodesFlag = (description: string) =>
  Flag.String("nodes").pipe(
    Flag.withMetavar("integer|FILE"),
    Flag.withDescription(description),
    Flag.filterMap(parseNodes, () => `0 to ${nodesMax} nodes, or a .yaml or .json file of Node objects`)
  )

export const nodesFlag = makeNodesFlag(
  `The number of nodes, ${defaultNodeCount} by default, each with room for 110 Pods; or a file of Node objects`
)

export const featureGatesFlag = Flag.String("feature-gates").pipe(
  Flag.withMetavar("NAME=true|false,..."),
  Flag.withDescription(
    "Kubernetes' feature gates, with the defaults of release 1.36: DeploymentReplicaSetTerminatingReplicas=false " +
      "turns status.terminatingReplicas off, as releases before 1.35 do by default"
  ),
  Flag.optional
)

export const controllersFlag = Flag.String("controllers").pipe(
  Flag.withMetavar("*,-NAME,..."),
  Flag.withDescription(
    "The controllers that run, by kube-controller-manager's names or their short aliases: '*' for all, NAME to enable, " +
      "-NAME to disable, so that another program can do its work; all by default"
  ),
  Flag.map((text) => text.split(",").map((name) => name.trim())),
  Flag.optional
)

/** With `manual`, a Pod changes only when a client writes its status. */
export const behaviourFlag = Flag.String("behaviour").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription(
    "The behaviour of Pods: steady (the default), instant, manual, or a YAML file of kind Behaviour, in which " +
      "a behaviour with `match` is for the Pods that it matches and one without for all others"
  ),
  Flag.optional
)

export const snapshotFlag = Flag.String("snapshot").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "Continue from a snapshot that `charthouse snapshot save` wrote, instead of an empty cluster"
  ),
  Flag.optional
)

export const dataFlag = Flag.String("data").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription(
    "A directory that keeps the cluster: started again on it, the cluster goes on, also after kill -9; by default " +
      "everything is in memory"
  ),
  Flag.optional
)

export const durabilityFlag = Flag.Literals("durability", ["process", "full"]).pipe(
  Flag.withDescription(
    "What answered writes survive with --data: the end of the process (the default), or also a power failure"
  ),
  Flag.optional
)

export const historyFlag = Flag.String("history").pipe(
  Flag.withMetavar("DURATION"),
  Flag.withDescription(
    "For how long changes are kept in --data, by the cluster's clock, so that watches and the page go on after a " +
      "restart; 5m by default, and at most 65,536 changes and 40% of the objects' size or 16 MiB, " +
      "whichever is more"
  ),
  Flag.optional
)

export const strategiesFlag = Flag.String("strategies").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "A module that exports your own strategies or steering charts, which are added to the built-in ones"
  ),
  Flag.optional
)
