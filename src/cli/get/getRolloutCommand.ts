import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { nextFlag, remoteClusterFlags, remoteClusterRef } from "../remote/remoteClusterFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const getRolloutCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "rollout",
    {
      name: Argument.String("NAME").pipe(Argument.withDescription("The name of the Deployment")),
      ...remoteClusterFlags,
      next: nextFlag,
      watch: Flag.Boolean("watch").pipe(
        Flag.withAlias("w"),
        Flag.withDescription(
          "Watch until Ctrl-C: redraws the tree on a terminal, prints a tree for each change in a pipe"
        ),
        Flag.withDefault(false)
      ),
      output: Flag.Literals("output", ["tree", "json"]).pipe(
        Flag.withAlias("o"),
        Flag.withDescription("A tree, or JSON; with --watch one JSON line for each change"),
        Flag.withDefault("tree")
      )
    },
    Effect.fnUntraced(function* (flagValues) {
      const { getRollout } = yield* Effect.promise(() => import("./getRollout.ts"))
      const { name, watch, output, next } = flagValues
      exit(
        yield* getRollout({ name: withoutKind(name), watch, output, next, ...remoteClusterRef(flagValues) })
      )
    })
  ).pipe(
    Command.withDescription(
      "Show a Deployment with its revisions, ReplicaSets and Pods, of any cluster in the kubeconfig"
    ),
    Command.withExamples([
      { command: "charthouse get rollout web -w", description: "Watch a rollout until Ctrl-C" },
      { command: "charthouse get rollout web -n shop -o json", description: "Print it as JSON" }
    ])
  )

const withoutKind = (name: string): string => name.replace(/^(?:deployments?(?:\.apps)?|deploy)\//iu, "")
