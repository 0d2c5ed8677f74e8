import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { remoteClusterFlags, remoteClusterRef } from "../remote/remoteClusterFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const getRolloutCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "rollout",
    {
      name: Argument.String("NAME").pipe(Argument.withDescription("Of the Deployment")),
      ...remoteClusterFlags,
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
      exit(yield* getRollout({ name: withoutKind(name), watch, output, ...remoteClusterRef(given) }))
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

/** Removes a kind: `deployment/web` becomes `web`. */
const withoutKind = (name: string): string => name.replace(/^(?:deployments?(?:\.apps)?|deploy)\//iu, "")
