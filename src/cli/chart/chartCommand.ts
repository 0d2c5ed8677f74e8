import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { strategiesFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const chartCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "chart",
    {
      name: Argument.String("NAME").pipe(
        Argument.withDescription(
          "deployment, replicaSet, statefulSet, daemonSet, job, cronJob, horizontalPodAutoscaler, pod, container, node, " +
            "or a strategy; all by default"
        ),
        Argument.optional
      ),
      output: Flag.Literals("output", ["json", "mermaid", "svg", "scxml"]).pipe(
        Flag.withAlias("o"),
        Flag.withDescription(
          "JSON that Stately Studio imports, text for a README (the default), a drawing, or SCXML"
        ),
        Flag.optional
      ),
      strategies: strategiesFlag
    },
    Effect.fnUntraced(function* ({ name, output, strategies }) {
      const { printChart } = yield* Effect.promise(() => import("./printChart.ts"))
      const chartOptions = {
        name: Option.getOrUndefined(name),
        format: Option.getOrUndefined(output),
        strategies: Option.getOrUndefined(strategies)
      }
      setExitCode(yield* printChart(chartOptions))
    })
  ).pipe(
    Command.withDescription(
      "Print a statechart: that of a workload, of Pods, containers, nodes or autoscalers, or of a strategy. " +
        "Without a name, list them"
    ),
    Command.withShortDescription("Print the statecharts of the controllers and Pods"),
    Command.withExamples([
      { command: "charthouse chart", description: "List the charts" },
      {
        command: "charthouse chart deployment -o svg > deployment.svg",
        description: "Draw the chart of Deployments"
      },
      { command: "charthouse chart pod -o json", description: "Print JSON that Stately Studio imports" },
      {
        command: "charthouse chart blueGreen --strategies ./blueGreen.ts",
        description: "Print your own strategy as text for a README"
      }
    ])
  )
