import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const snapshotCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make("snapshot").pipe(
    Command.withDescription("Save a served cluster, with its clock, its timers and its seed"),
    Command.withShortDescription("Save a served cluster in a file"),
    Command.withExamples([
      { command: "charthouse snapshot save world.json", description: "Save the cluster as it is now" },
      { command: "charthouse up --snapshot world.json", description: "Continue from the snapshot" }
    ]),
    Command.withSubcommands([
      Command.make(
        "save",
        {
          ...servedClusterFlags,
          file: Argument.String("FILE").pipe(
            Argument.withDescription("The file to write, or - for standard output")
          )
        },
        Effect.fnUntraced(function* (flagValues) {
          const { saveSnapshot } = yield* Effect.promise(() => import("./saveSnapshot.ts"))
          setExitCode(
            yield* Effect.promise(() =>
              saveSnapshot({ ...servedClusterRef(flagValues), file: flagValues.file })
            )
          )
        })
      ).pipe(Command.withDescription("Save the cluster as it is now to a file"))
    ])
  )
