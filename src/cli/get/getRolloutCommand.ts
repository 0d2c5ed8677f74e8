import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { forecastFlag, remoteClusterFlags, remoteClusterRef } from "../remote/remoteClusterFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const getRolloutCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "rollout",
    {
      name: Argument.String("NAME").pipe(
        Argument.withDescription("The name of a Deployment, or sts/NAME, ds/NAME or job/NAME")
      ),
      ...remoteClusterFlags,
      forecast: forecastFlag,
      watch: Flag.Boolean("watch").pipe(
        Flag.withAlias("w"),
        Flag.withDescription(
          "Watch a Deployment until Ctrl-C: redraws the tree on a terminal, prints a tree for each change in a pipe"
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
      const { name, watch, output, forecast } = flagValues
      setExitCode(
        yield* getRollout({ name, watch, output, withForecast: forecast, ...remoteClusterRef(flagValues) })
      )
    })
  ).pipe(
    Command.withDescription(
      "Show a Deployment with its revisions, ReplicaSets and Pods, or a StatefulSet, a DaemonSet or a Job with its " +
        "Pods, of any cluster in the kubeconfig"
    ),
    Command.withExamples([
      { command: "charthouse get rollout web -w", description: "Watch a rollout until Ctrl-C" },
      { command: "charthouse get rollout sts/db", description: "Show a StatefulSet and its Pods" },
      { command: "charthouse get rollout web -n shop -o json", description: "Print it as JSON" }
    ])
  )
