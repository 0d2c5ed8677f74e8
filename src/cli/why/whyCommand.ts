import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const whyCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "why",
    {
      ...servedClusterFlags,
      namespace: Flag.String("namespace").pipe(
        Flag.withAlias("n"),
        Flag.withDescription("The namespace of the object"),
        Flag.withDefault("default")
      ),
      last: Flag.Int("last").pipe(
        Flag.withMetavar("N"),
        Flag.withDescription("The number of steps to show, of the retained ones"),
        Flag.withDefault(5)
      ),
      output: textOrJsonFlag("Text, or one JSON object per line"),
      object: Argument.String("KIND/NAME").pipe(
        Argument.withDescription(
          "deployment/web, replicaset/web-5d4, pod/web-5d4-x7k2p, container/POD/NAME, node/node-1"
        )
      )
    },
    Effect.fnUntraced(function* (flagValues) {
      const { printWhy } = yield* Effect.promise(() => import("./printWhy.ts"))
      setExitCode(yield* Effect.promise(() => printWhy({ ...flagValues, ...servedClusterRef(flagValues) })))
    })
  ).pipe(
    Command.withDescription(
      "Show the last steps of an object's statechart in a served cluster: what it observed, which guards held and with " +
        "which numbers, its commands, and the writes that followed"
    ),
    Command.withShortDescription("Show the last steps of a statechart, with reasons"),
    Command.withExamples([
      { command: "charthouse why deployment/web", description: "Show its last five steps" },
      {
        command: "charthouse why deployment/web --last 50 -o json",
        description: "Print up to 50 steps as JSON"
      }
    ])
  )
