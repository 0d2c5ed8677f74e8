import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { textOrJson } from "./flags.ts"
import type { ExitCode } from "./run.ts"

const namespace = Flag.String("namespace").pipe(
  Flag.withAlias("n"),
  Flag.withDescription("Where it is; the context's namespace by default"),
  Flag.optional
)
const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Leads to the cluster; the kubeconfig that kubectl uses by default"),
  Flag.optional
)
const context = Flag.String("context").pipe(
  Flag.withDescription("Of the kubeconfig; the current one by default"),
  Flag.optional
)
const place = { namespace, kubeconfig, context }

const placeOf = (given: Command.Command.Config.Infer<typeof place>) => ({
  namespace: Option.getOrUndefined(given.namespace),
  kubeconfig: Option.getOrUndefined(given.kubeconfig),
  context: Option.getOrUndefined(given.context)
})

/** A Deployment with what it controls, of any cluster. */
export const getRolloutCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "rollout",
    {
      name: Argument.String("NAME").pipe(Argument.withDescription("Of the Deployment")),
      ...place,
      watch: Flag.Boolean("watch").pipe(
        Flag.withAlias("w"),
        Flag.withDescription(
          "Go on until Ctrl-C: a living tree on a terminal, a new one for each change in a pipe"
        ),
        Flag.withDefault(false)
      ),
      output: Flag.Literals("output", ["tree", "json"]).pipe(
        Flag.withAlias("o"),
        Flag.withDescription("A tree, or JSON: with --watch a line for each change"),
        Flag.withDefault("tree")
      )
    },
    Effect.fnUntraced(function* (given) {
      const { getRollout } = yield* Effect.promise(() => import("./getRollout.ts"))
      const { name, watch, output } = given
      exit(yield* getRollout({ name: withoutKind(name), watch, output, ...placeOf(given) }))
    })
  ).pipe(
    Command.withDescription(
      "Show a Deployment with its revisions, ReplicaSets and Pods, on any cluster of the kubeconfig"
    ),
    Command.withExamples([
      { command: "charthouse get rollout web -w", description: "Watch it until Ctrl-C" },
      { command: "charthouse get rollout web -n shop -o json", description: "The same for a program" }
    ])
  )

/** `deployment/web` is as good as `web`. */
const withoutKind = (name: string): string => name.replace(/^(?:deployments?(?:\.apps)?|deploy)\//iu, "")

/** Why a Deployment is not finished, or what is the matter with what it owns, of any cluster. */
export const explainCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "explain",
    {
      object: Argument.String("deployment/NAME").pipe(
        Argument.withDescription("Of rs/NAME, pod/NAME, container/POD/NAME and node/NAME, too")
      ),
      ...place,
      output: textOrJson("Sentences, or one JSON object")
    },
    Effect.fnUntraced(function* (given) {
      const { explain } = yield* Effect.promise(() => import("./explain.ts"))
      const { object, output } = given
      exit(yield* Effect.promise(() => explain({ object, output, ...placeOf(given) })))
    })
  ).pipe(
    Command.withDescription(
      "Say in sentences, with the numbers, why a Deployment is not finished, or what is the matter with a ReplicaSet, " +
        "a Pod, a container or a node: on any cluster of the kubeconfig. " +
        "Exits 0 when nothing is waited for, 1 when something is, 2 when it is not there"
    ),
    Command.withShortDescription("Say why a rollout waits"),
    Command.withExamples([
      { command: "charthouse explain deployment/web", description: "What does it wait for?" },
      { command: "charthouse explain node/node-2", description: "Is it heard of, and what is on it?" }
    ])
  )
