import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { remoteClusterFlags, remoteClusterRef } from "../remote/remoteClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const explainCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "explain",
    {
      object: Argument.String("deployment/NAME").pipe(
        Argument.withDescription("Of rs/NAME, pod/NAME, container/POD/NAME and node/NAME, too")
      ),
      ...remoteClusterFlags,
      output: textOrJsonFlag("Sentences, or one JSON object")
    },
    Effect.fnUntraced(function* (given) {
      const { explainObject } = yield* Effect.promise(() => import("./explainObject.ts"))
      const { object, output } = given
      exit(yield* Effect.promise(() => explainObject({ object, output, ...remoteClusterRef(given) })))
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
