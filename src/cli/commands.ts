import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { chartCommand } from "./chartCommand.ts"
import { clockCommand } from "./clockCommand.ts"
import { faultCommand } from "./faultCommand.ts"
import { explainCommand, getRolloutCommand } from "./getRolloutCommand.ts"
import { planCommand } from "./planCommand.ts"
import { recordCommand, replayCommand } from "./recordCommand.ts"
import { refuse } from "./refuse.ts"
import { runCommand } from "./runCommand.ts"
import { snapshotCommand } from "./snapshotCommand.ts"
import { whyCommand } from "./whyCommand.ts"
import {
  behaviour,
  clusterName,
  featureGates,
  host,
  inspect,
  inspectOnly,
  inspectPort,
  kubeconfig,
  noTls,
  why,
  output,
  pagePort,
  pagePortIdle,
  port,
  servedClock,
  seed,
  shownAs,
  snapshot,
  someFiles,
  someNodes,
  someSeed,
  strategies,
  tokenFile
} from "./flags.ts"
import type { ExitCode } from "./run.ts"

const isInspected = (given: {
  readonly inspect: boolean
  readonly inspectOnly: Option.Option<string>
}): boolean => given.inspect || Option.isSome(given.inspectOnly)

/** All commands. `exit` is told what the one that ran has come to. */
export const charthouse = (exit: (code: ExitCode) => void) => {
  const demo = Command.make(
    "demo",
    { seed, output, inspect, inspectOnly, inspectPort },
    Effect.fnUntraced(function* (given) {
      const { demonstrate } = yield* Effect.promise(() => import("./demo.ts"))
      const code = yield* demonstrate({
        seed: given.seed,
        output: Option.getOrUndefined(given.output),
        inspectPort: isInspected(given) ? given.inspectPort : undefined,
        inspectOnly: Option.getOrUndefined(given.inspectOnly)
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
      pagePort,
      tokenFile,
      noTls,
      why,
      kubeconfig,
      clock: servedClock,
      snapshot,
      behaviour,
      strategies,
      featureGates,
      nodes: someNodes.pipe(Flag.optional),
      seed: someSeed.pipe(Flag.optional),
      output: shownAs,
      inspect,
      inspectOnly,
      inspectPort
    },
    Effect.fnUntraced(function* (given) {
      if (given.noTls && Option.isSome(given.pagePort)) return exit(refuse(`error: ${pagePortIdle}`))
      const { serveFiles } = yield* Effect.promise(() => import("./up.ts"))
      // A moment that was saved stays until somebody goes on from it.
      const clock = Option.isSome(given.snapshot) ? "virtual" : "real"
      const code = yield* serveFiles({
        ...given,
        clock: Option.getOrElse(given.clock, () => ({ text: clock, setting: clock }) as const),
        pagePort: Option.getOrElse(given.pagePort, () => 0),
        tokenFile: Option.getOrUndefined(given.tokenFile),
        tls: !given.noTls,
        snapshot: Option.getOrUndefined(given.snapshot),
        strategies: Option.getOrUndefined(given.strategies),
        featureGates: Option.getOrUndefined(given.featureGates),
        nodes: Option.getOrUndefined(given.nodes),
        seed: Option.getOrUndefined(given.seed),
        kubeconfig: Option.getOrUndefined(given.kubeconfig),
        behaviour: Option.getOrUndefined(given.behaviour),
        output: Option.getOrUndefined(given.output),
        inspectPort: isInspected(given) ? given.inspectPort : undefined,
        inspectOnly: Option.getOrUndefined(given.inspectOnly)
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
      { command: "charthouse up -f manifests/ --clock 60x", description: "A minute each second" },
      { command: "charthouse up --snapshot world.json", description: "Go on from what was saved" },
      {
        command: "charthouse up --page-port 8080 --token-file ~/.charthouse-token",
        description: "Have the page at the same address each time"
      },
      {
        command: "charthouse up --inspect deployment/web",
        description: "Show its statecharts, and those of what it owns, in Stately's inspector"
      }
    ])
  )

  const get = Command.make("get").pipe(
    Command.withDescription("Print a rollout as a tree, or the kubeconfig of a served cluster"),
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
      ),
      getRolloutCommand(exit)
    ])
  )

  return Command.make("charthouse").pipe(
    Command.withDescription("The Kubernetes rollout control plane as statecharts, on a clock that is yours"),
    Command.withExamples([
      { command: "charthouse up", description: "A cluster for kubectl" },
      { command: "charthouse demo", description: "See what this is" },
      { command: "charthouse run -f web.yaml", description: "Roll out a Deployment of yours" },
      {
        command: "charthouse run story.yaml --seeds 1..100",
        description: "Play a story, whatever goes wrong"
      }
    ]),
    Command.withSubcommands([
      up,
      runCommand(exit),
      planCommand(exit),
      demo,
      get,
      chartCommand(exit),
      explainCommand(exit),
      clockCommand(exit),
      faultCommand(exit),
      snapshotCommand(exit),
      whyCommand(exit),
      recordCommand(exit),
      replayCommand(exit)
    ])
  )
}
