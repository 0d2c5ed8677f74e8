import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { isClusterName } from "../api/contextName.ts"
import { clockCommand } from "./clockCommand.ts"
import { planCommand } from "./planCommand.ts"
import { parseSpeed } from "../domain/speeds.ts"
import type { ClusterOptions } from "../clusterOptions.ts"
import type { ExitCode } from "./run.ts"

/** As many nodes as Kubernetes itself is made for. */
const nodesMax = 5000

const output = Flag.Literals("output", ["tree", "events", "json"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription(
    "A tree of what runs, a line for each event, or one JSON object at the end; " +
      "a tree on a terminal and events in a pipe by default"
  ),
  Flag.optional
)

/** A whole number; what it must be is said of every text that is not that. */
const integer = (name: string, isMeant: (value: number) => boolean, wanted: string): Flag.Flag<number> =>
  Flag.String(name).pipe(
    Flag.withMetavar("integer"),
    Flag.filterMap(
      (text) => {
        const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
        return Number.isSafeInteger(value) && isMeant(value) ? Option.some(value) : Option.none()
      },
      () => wanted
    )
  )

const portFlag = (name: string): Flag.Flag<number> =>
  integer(name, (port) => port >= 0 && port <= portMax, `a port, 0 to ${portMax}`)

const portMax = 65_535

const seed = integer("seed", () => true, "a whole number").pipe(
  Flag.withDescription("All chance comes from it: the same seed, the same run (1 by default)"),
  Flag.withDefault(1)
)

const inspect = Flag.Boolean("inspect").pipe(
  Flag.withDescription("Stream the running statecharts to Stately's inspector and say where to watch them"),
  Flag.withDefault(false)
)

const inspectPort = portFlag("inspect-port").pipe(
  Flag.withDescription("The inspector's port; any free one by default"),
  Flag.withDefault(0)
)

const files = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "A YAML or JSON file of Kubernetes objects, or - for the standard input; several are steps"
  ),
  Flag.atLeast(1)
)

type ClockSetting = NonNullable<ClusterOptions["clock"]>

/** `virtual`, `real`, or how many times as fast as that: `60x`. */
const clockSetting = (text: string): Option.Option<ClockSetting> => {
  if (text === "virtual" || text === "real") return Option.some(text)
  const speed = text.endsWith("x") ? parseSpeed(text) : undefined
  return speed === undefined ? Option.none() : Option.some({ speed })
}

const clockFlag = (usual: "virtual" | "real", metavar: string, description: string) =>
  Flag.String("clock").pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.withDefault(usual),
    Flag.filterMap(
      (text) => Option.map(clockSetting(text), (setting) => ({ text, setting })),
      () => "virtual, real or a speed like 60x"
    )
  )

const clock = clockFlag(
  "virtual",
  "virtual|real|60x",
  "How time goes: as fast as it can be worked out (the default), as it would, or faster"
)

const realClock = clockFlag(
  "real",
  "real|60x|virtual",
  "How time goes: as it would (the default), faster, or only when it is told to"
)

const someFiles = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE|DIR"),
  Flag.withDescription("A file of Kubernetes objects, or a folder of them; several are applied one by one"),
  Flag.atLeast(0)
)

/** A name that is good for a context and for a label. */
const clusterName = Flag.String("name").pipe(
  Flag.withDescription("What the cluster is called: the kubectl context is charthouse-NAME"),
  Flag.withDefault("charthouse"),
  Flag.filter(isClusterName, () => "a name of lower-case letters, digits and hyphens")
)

const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("The kubeconfig that the context is written to; the one that kubectl uses by default"),
  Flag.optional
)

const port = portFlag("port").pipe(
  Flag.withDescription("The port to serve on; any free one by default"),
  Flag.withDefault(0)
)

const host = Flag.String("host").pipe(
  Flag.withDescription("The address to serve on: this machine only by default, 0.0.0.0 for everybody"),
  Flag.withDefault("127.0.0.1")
)

const noTls = Flag.Boolean("no-tls").pipe(
  Flag.withDescription("Serve plain HTTP to programs: kubectl sends no token over it, and gets no context"),
  Flag.withDefault(false)
)

const shownAs = Flag.Literals("output", ["tree", "events"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("A live tree, or a line for each event; a tree on a terminal by default"),
  Flag.optional
)

const nodes = integer("nodes", (count) => count >= 0 && count <= nodesMax, `0 to ${nodesMax} nodes`).pipe(
  Flag.withDescription("How many nodes there are, 3 by default; each takes 110 Pods"),
  Flag.withDefault(3)
)

const behaviour = Flag.String("behaviour").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription(
    "How Pods live: steady (the default), instant, manual, or a YAML file of kind Behaviour: " +
      "those with a match are for the Pods they match, a single one without for all others"
  ),
  Flag.optional
)

/** All commands. `exit` is told what the one that ran has come to. */
export const charthouse = (exit: (code: ExitCode) => void) => {
  const run = Command.make(
    "run",
    { files, clock, seed, nodes, behaviour, output, inspect, inspectPort },
    Effect.fnUntraced(function* (given) {
      const { runFiles } = yield* Effect.promise(() => import("./run.ts"))
      const code = yield* runFiles({
        ...given,
        behaviour: Option.getOrUndefined(given.behaviour),
        output: Option.getOrUndefined(given.output),
        inspectPort: given.inspect ? given.inspectPort : undefined
      })
      exit(code)
    })
  ).pipe(
    Command.withDescription(
      "Apply each file in turn and let what it started finish or fail before the next. " +
        "Exits 0 when every rollout has completed, 1 when one has failed, 2 when what was given is no good"
    ),
    Command.withShortDescription("Apply files in turn and watch the rollouts"),
    Command.withExamples([
      {
        command: "charthouse run -f web-v1.yaml -f web-v2.yaml",
        description: "Roll out one version after another"
      },
      {
        command: "charthouse run -f web.yaml --behaviour behaviours.yaml -o json",
        description: "Say how Pods live, and read the result with a program"
      },
      {
        command: "charthouse run -f web.yaml --clock 60x --seed 7",
        description: "Watch at a minute each second"
      }
    ])
  )

  const demo = Command.make(
    "demo",
    { seed, output, inspect, inspectPort },
    Effect.fnUntraced(function* (given) {
      const { demonstrate } = yield* Effect.promise(() => import("./demo.ts"))
      const code = yield* demonstrate({
        seed: given.seed,
        output: Option.getOrUndefined(given.output),
        inspectPort: given.inspect ? given.inspectPort : undefined
      })
      exit(code)
    })
  ).pipe(
    Command.withDescription(
      "Show a rolling update, then a bad image that hits its deadline and the undo that heals it"
    ),
    Command.withShortDescription("Show a rollout, a bad image and its undo"),
    Command.withExamples([{ command: "charthouse demo", description: "Some twenty seconds on a terminal" }])
  )

  const up = Command.make(
    "up",
    {
      files: someFiles,
      name: clusterName,
      host,
      port,
      noTls,
      kubeconfig,
      clock: realClock,
      behaviour,
      nodes,
      seed,
      output: shownAs,
      inspect,
      inspectPort
    },
    Effect.fnUntraced(function* (given) {
      const { serveFiles } = yield* Effect.promise(() => import("./up.ts"))
      const code = yield* serveFiles({
        ...given,
        tls: !given.noTls,
        kubeconfig: Option.getOrUndefined(given.kubeconfig),
        behaviour: Option.getOrUndefined(given.behaviour),
        output: Option.getOrUndefined(given.output),
        inspectPort: given.inspect ? given.inspectPort : undefined
      })
      exit(code)
    })
  ).pipe(
    Command.withDescription(
      "Serve a cluster as a Kubernetes API: kubectl and every client library work against it. " +
        "The context charthouse-NAME is current in your kubeconfig until it ends. " +
        "Exits 0 when it was told to go, 2 when what was given is no good"
    ),
    Command.withShortDescription("Serve a cluster to kubectl"),
    Command.withExamples([
      { command: "charthouse up", description: "An empty cluster" },
      { command: "charthouse up -f manifests/ --clock 60x", description: "A minute each second" }
    ])
  )

  const get = Command.make("get").pipe(
    Command.withDescription("Print something about a cluster that is being served"),
    Command.withSubcommands([
      Command.make(
        "kubeconfig",
        { name: clusterName, kubeconfig },
        Effect.fnUntraced(function* (given) {
          const { printKubeconfig } = yield* Effect.promise(() => import("./getKubeconfig.ts"))
          exit(printKubeconfig({ ...given, kubeconfig: Option.getOrUndefined(given.kubeconfig) }))
        })
      ).pipe(
        Command.withDescription("Print a kubeconfig for a cluster that is being served, and nothing else")
      )
    ])
  )

  return Command.make("charthouse").pipe(
    Command.withDescription("The Kubernetes rollout control plane as statecharts, on a clock that is yours"),
    Command.withExamples([
      { command: "charthouse up", description: "A cluster for kubectl" },
      { command: "charthouse demo", description: "See what this is" },
      { command: "charthouse run -f web.yaml", description: "Roll out a Deployment of yours" }
    ]),
    Command.withSubcommands([up, run, planCommand(exit), demo, get, clockCommand(exit)])
  )
}
