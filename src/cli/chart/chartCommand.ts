import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { strategiesFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const chartCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "chart",
    {
      name: Argument.String("NAME").pipe(
        Argument.withDescription(
          "deployment, replicaSet, pod, container, node or a strategy; all by default"
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
      exit(yield* Effect.promise(() => printChart(chartOptions)))
    })
  ).pipe(
    Command.withDescription(
      "Print one of the statecharts that Deployments, ReplicaSets, Pods, containers and nodes run by; " +
        "without a name, say which there are"
    ),
    Command.withShortDescription("Print the statecharts that everything runs by"),
    Command.withExamples([
      { command: "charthouse chart", description: "Which charts there are" },
      {
        command: "charthouse chart deployment -o svg > deployment.svg",
        description: "A drawing of a rollout"
      },
      { command: "charthouse chart pod -o json", description: "What Stately Studio imports" },
      {
        command: "charthouse chart blueGreen --strategies ./blueGreen.ts",
        description: "One of your own, as text for a README"
      }
    ])
  )
