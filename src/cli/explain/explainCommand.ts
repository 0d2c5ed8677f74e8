import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { forecastFlag, remoteClusterFlags, remoteClusterRef } from "../remote/remoteClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const explainCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "explain",
    {
      object: Argument.String("deployment/NAME").pipe(
        Argument.withDescription(
          "deployment/NAME, sts/NAME, ds/NAME, job/NAME, cronjob/NAME, hpa/NAME, rs/NAME, pod/NAME, " +
            "container/POD/NAME, node/NAME or pvc/NAME"
        )
      ),
      ...remoteClusterFlags,
      forecast: forecastFlag,
      output: textOrJsonFlag("Text, or a JSON object")
    },
    Effect.fnUntraced(function* (flagValues) {
      const { explainObject } = yield* Effect.promise(() => import("./explainObject.ts"))
      const { object, output, forecast } = flagValues
      setExitCode(
        yield* Effect.promise(() =>
          explainObject({ object, output, withForecast: forecast, ...remoteClusterRef(flagValues) })
        )
      )
    })
  ).pipe(
    Command.withDescription(
      "Explain in sentences why a rollout has not finished, or the state of a StatefulSet, a DaemonSet, a Job, " +
        "a CronJob, a HorizontalPodAutoscaler, a ReplicaSet, a Pod, a container, " +
        "a node or a claim, of any cluster in the kubeconfig. " +
        "Exits 0 when the object waits for nothing, 1 when it waits, 2 when it does not exist"
    ),
    Command.withShortDescription("Explain why a rollout waits"),
    Command.withExamples([
      { command: "charthouse explain deployment/web", description: "Explain what a rollout waits for" },
      {
        command: "charthouse explain deployment/web --next",
        description: "Look up what happens next, and what would help"
      },
      {
        command: "charthouse explain node/node-2",
        description: "Explain whether a node is ready, and list its Pods"
      }
    ])
  )
