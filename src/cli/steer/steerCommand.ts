import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { strategiesFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "The kubeconfig file; in a Pod by default its service account, elsewhere the file that kubectl uses"
  ),
  Flag.optional
)
const context = Flag.String("context").pipe(
  Flag.withDescription("The kubeconfig context; the current one by default"),
  Flag.optional
)
const splitNames = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "")
const namespaces = Flag.String("namespaces").pipe(
  Flag.withMetavar("NAME,..."),
  Flag.withDescription("The namespaces whose Deployments are steered; all by default"),
  Flag.map(splitNames),
  Flag.filter(
    (names) => names.length > 0,
    () => "names of namespaces, separated by commas"
  ),
  Flag.optional
)
const shadow = Flag.Boolean("shadow").pipe(
  Flag.withDescription("Only say what it would do: nothing is written, and no Lease is taken"),
  Flag.withDefault(false)
)

const parseShard = (text: string): Option.Option<{ readonly index: number; readonly count: number }> => {
  const [, index, count] = /^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []
  return index !== undefined && Number(index) < Number(count)
    ? Option.some({ index: Number(index), count: Number(count) })
    : Option.none()
}
const shard = Flag.String("shard").pipe(
  Flag.withMetavar("I/N"),
  Flag.withDescription("Steer one of N parts of the namespaces, from 0/N; each part has a Lease of its own"),
  Flag.filterMap(parseShard, () => "I/N with I from 0 to N-1, such as 0/3"),
  Flag.optional
)

const parseListen = (text: string): Option.Option<{ readonly host: string; readonly port: number }> => {
  const [, host = "", port = ""] = /^(.*):(\d{1,5})$/.exec(text) ?? []
  return port !== "" && Number(port) <= 65_535
    ? Option.some({ host: host.replace(/^\[(.*)\]$/, "$1") || "0.0.0.0", port: Number(port) })
    : Option.none()
}
const listen = Flag.String("listen").pipe(
  Flag.withMetavar("HOST:PORT"),
  Flag.withDescription("Where /metrics, /healthz and /readyz are served; 127.0.0.1:8080 by default"),
  Flag.filterMap(parseListen, () => "HOST:PORT, such as 0.0.0.0:8080"),
  Flag.optional
)

const durationFlag = (name: string, description: string, byDefault: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DURATION"),
    Flag.withDescription(`${description}; ${byDefault} by default`),
    Flag.filterMap(
      (text) => {
        const millis = parseDuration(text)
        return millis === undefined || millis <= 0 ? Option.none() : Option.some(millis)
      },
      () => "a duration above zero, such as 15s"
    ),
    Flag.withDefault(parseDuration(byDefault) ?? 0)
  )

const runFlags = {
  kubeconfig,
  context,
  namespaces,
  shard,
  shadow,
  listen,
  leaseNamespace: Flag.String("lease-namespace").pipe(
    Flag.withDescription("The namespace of the Lease; by default that of the context or the Pod"),
    Flag.optional
  ),
  leaseDuration: durationFlag("lease-duration", "How long others wait for a leader that is silent", "15s"),
  renewDeadline: durationFlag("renew-deadline", "How long a leader tries to renew before it stops", "10s"),
  retryPeriod: durationFlag("retry-period", "The time between two tries", "2s"),
  gitManagers: Flag.String("git-managers").pipe(
    Flag.withMetavar("NAME,..."),
    Flag.withDescription("Field managers that apply templates from Git: steering rolls none of these back"),
    Flag.map(splitNames),
    Flag.optional
  ),
  strategies: strategiesFlag
}

export const steerCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "steer",
    runFlags,
    Effect.fnUntraced(function* (flagValues) {
      const { runSteer } = yield* Effect.promise(() => import("./runSteer.ts"))
      setExitCode(yield* runSteer(toRunOptions(flagValues)))
    })
  ).pipe(
    Command.withDescription(
      "Steer the rollouts of Deployments with the annotation charthouse.dev/strategy, in any cluster, beside its own " +
        "controllers. Runs until SIGTERM, and logs JSON lines"
    ),
    Command.withShortDescription("Steer rollouts in a real cluster"),
    Command.withExamples([
      { command: "charthouse steer --shadow", description: "Say what it would do, and write nothing" },
      {
        command: "charthouse steer manifests --image registry.example/charthouse:1 | kubectl apply -f -",
        description: "Run it in the cluster, with a second replica that takes over"
      },
      {
        command: "charthouse steer --strategies ./firstCrash.ts",
        description: "Steer by a chart of your own, too"
      },
      { command: "charthouse steer release -w", description: "Open all gates, and those of new Pods" }
    ]),
    Command.withSubcommands([
      checkCommand(setExitCode),
      manifestsCommand(setExitCode),
      releaseCommand(setExitCode)
    ])
  )

const toRunOptions = (flagValues: Command.Command.Config.Infer<typeof runFlags>) => ({
  kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
  context: Option.getOrUndefined(flagValues.context),
  namespaces: Option.getOrUndefined(flagValues.namespaces),
  shard: Option.getOrUndefined(flagValues.shard),
  isShadow: flagValues.shadow,
  listen: Option.getOrUndefined(flagValues.listen) ?? { host: "127.0.0.1", port: 8080 },
  leaseNamespace: Option.getOrUndefined(flagValues.leaseNamespace),
  durations: {
    leaseMillis: flagValues.leaseDuration,
    renewDeadlineMillis: flagValues.renewDeadline,
    retryMillis: flagValues.retryPeriod
  },
  gitManagers: Option.getOrUndefined(flagValues.gitManagers),
  strategies: Option.getOrUndefined(flagValues.strategies)
})

const checkCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "check",
    {
      files: Argument.String("FILE").pipe(
        Argument.withDescription("A manifest, a folder of manifests, or - for standard input"),
        Argument.atLeast(1)
      ),
      strategies: strategiesFlag
    },
    Effect.fnUntraced(function* ({ files, strategies }) {
      const { checkFiles } = yield* Effect.promise(() => import("./checkFiles.ts"))
      setExitCode(yield* checkFiles(files, Option.getOrUndefined(strategies)))
    })
  ).pipe(
    Command.withDescription(
      "Check the strategies of Deployments in manifests. Exits 2, with line and column, when one is invalid"
    ),
    Command.withShortDescription("Check strategies in manifests")
  )

const manifestsCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "manifests",
    {
      image: Flag.String("image").pipe(
        Flag.withDescription("The image of the controller: its entry point is charthouse")
      ),
      namespace: Flag.String("namespace").pipe(
        Flag.withAlias("n"),
        Flag.withDescription("The namespace in which it runs; charthouse by default"),
        Flag.withDefault("charthouse")
      ),
      namespaces,
      shards: Flag.Int("shards").pipe(
        Flag.withDescription("In how many parts the namespaces are steered; 1 by default"),
        Flag.filter(
          (count) => count >= 1 && count <= 100,
          () => "1 to 100 shards"
        ),
        Flag.withDefault(1)
      ),
      strategies: Flag.String("strategies").pipe(
        Flag.withMetavar("FILE"),
        Flag.withDescription("The path, in the image, of a module that exports your own steering charts"),
        Flag.optional
      ),
      shadow
    },
    Effect.fnUntraced(function* ({ image, namespace, shards, ...flagValues }) {
      const { printSteerManifests } = yield* Effect.promise(() => import("./printSteerManifests.ts"))
      setExitCode(
        printSteerManifests({
          image,
          namespace,
          namespaces: Option.getOrUndefined(flagValues.namespaces),
          shards,
          strategies: Option.getOrUndefined(flagValues.strategies),
          isShadow: flagValues.shadow
        })
      )
    })
  ).pipe(
    Command.withDescription(
      "Print what the controller needs in its cluster: Namespace, ServiceAccount, the least rights, and a Deployment of two replicas"
    ),
    Command.withShortDescription("Print the manifests of the controller")
  )

const releaseCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "release",
    {
      kubeconfig,
      context,
      namespaces,
      watch: Flag.Boolean("watch").pipe(
        Flag.withAlias("w"),
        Flag.withDescription("Also open the gates of Pods that come later, until Ctrl-C"),
        Flag.withDefault(false)
      )
    },
    Effect.fnUntraced(function* (flagValues) {
      const { releaseAll } = yield* Effect.promise(() => import("./releaseAll.ts"))
      setExitCode(
        yield* releaseAll({
          kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
          context: Option.getOrUndefined(flagValues.context),
          namespaces: Option.getOrUndefined(flagValues.namespaces),
          watch: flagValues.watch
        })
      )
    })
  ).pipe(
    Command.withDescription(
      "Approve every Pod that waits for its readiness gate, whatever its strategy says: for when no controller runs"
    ),
    Command.withShortDescription("Open all gates")
  )
