import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const recordCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "record",
    {
      ...servedClusterFlags,
      output: Flag.String("output").pipe(
        Flag.withAlias("o"),
        Flag.withMetavar("FILE"),
        Flag.withDescription("The file to write, or - for standard output"),
        Flag.optional
      ),
      watch: Flag.Boolean("watch").pipe(
        Flag.withAlias("w"),
        Flag.withDescription("Keep recording until Ctrl-C"),
        Flag.withDefault(false)
      )
    },
    Effect.fnUntraced(function* (flagValues) {
      const { recordCluster } = yield* Effect.promise(() => import("./recordCluster.ts"))
      const { output, watch } = flagValues
      setExitCode(
        yield* recordCluster({ ...servedClusterRef(flagValues), watch, file: Option.getOrUndefined(output) })
      )
    })
  ).pipe(
    Command.withDescription(
      "Record a served cluster: every change, and every statechart step with its reason, as its page shows them. " +
        "Exits 0 when the recording is complete, 1 when it is cut off, 2 when an argument is invalid or there is " +
        "nothing to record"
    ),
    Command.withShortDescription("Record a served cluster in a file"),
    Command.withExamples([
      {
        command: "charthouse record -o web.recording",
        description: "Record what the server has retained until now"
      },
      { command: "charthouse record -o web.recording -w", description: "Keep recording until Ctrl-C" },
      { command: "charthouse replay web.recording", description: "Make a page of the recording" }
    ])
  )
