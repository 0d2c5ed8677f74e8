import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const whyCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "why",
    {
      ...servedClusterFlags,
      namespace: Flag.String("namespace").pipe(
        Flag.withAlias("n"),
        Flag.withDescription("Where the object is"),
        Flag.withDefault("default")
      ),
      last: Flag.Int("last").pipe(
        Flag.withMetavar("N"),
        Flag.withDescription("How many steps, the last of those that are kept"),
        Flag.withDefault(5)
      ),
      output: textOrJsonFlag("Paragraphs for people, or a JSON object a line"),
      object: Argument.String("KIND/NAME").pipe(
        Argument.withDescription(
          "deployment/web, replicaset/web-5d4, pod/web-5d4-x7k2p, container/POD/NAME, node/node-1"
        )
      )
    },
    Effect.fnUntraced(function* (given) {
      const { printWhy } = yield* Effect.promise(() => import("./printWhy.ts"))
      exit(yield* Effect.promise(() => printWhy({ ...given, ...servedClusterRef(given) })))
    })
  ).pipe(
    Command.withDescription(
      "Show the last steps of an object's statechart in a cluster that is being served: what it saw, which guards held " +
        "with their numbers, what it asked for and what was written"
    ),
    Command.withShortDescription("Show what a statechart did last, and why"),
    Command.withExamples([
      { command: "charthouse why deployment/web", description: "Its last five steps" },
      {
        command: "charthouse why deployment/web --last 50 -o json",
        description: "All that are kept, for programs"
      }
    ])
  )
