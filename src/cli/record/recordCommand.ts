import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const recordCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "record",
    {
      ...servedClusterFlags,
      output: Flag.String("output").pipe(
        Flag.withAlias("o"),
        Flag.withMetavar("FILE"),
        Flag.withDescription("Where it is written to; - for the standard output"),
        Flag.optional
      ),
      watch: Flag.Boolean("watch").pipe(
        Flag.withAlias("w"),
        Flag.withDescription("Go on with what happens, until Ctrl-C"),
        Flag.withDefault(false)
      )
    },
    Effect.fnUntraced(function* (given) {
      const { recordCluster } = yield* Effect.promise(() => import("./recordCluster.ts"))
      const { output, watch } = given
      exit(yield* recordCluster({ ...servedClusterRef(given), watch, file: Option.getOrUndefined(output) }))
    })
  ).pipe(
    Command.withDescription(
      "Save what has happened in a cluster that is being served, every change and every step of every statechart with " +
        "its reason: what its page shows. Exits 0 when the recording is complete, 1 when it is cut off, 2 when what was " +
        "given is no good or there is nothing to record"
    ),
    Command.withShortDescription("Record a served cluster in a file"),
    Command.withExamples([
      { command: "charthouse record -o web.recording", description: "All that is kept until now" },
      { command: "charthouse record -o web.recording -w", description: "And all that happens until Ctrl-C" },
      { command: "charthouse replay web.recording", description: "A page that shows it" }
    ])
  )
