import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  inspectFlag,
  inspectedObjectsFlag,
  inspectPortFlag,
  inspectPortNeedsInspect,
  inspectPortOf,
  isInspectPortUnused,
  outputFlag,
  seedFlagWithDefault
} from "../flags/sharedFlags.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const demoCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "demo",
    {
      seed: seedFlagWithDefault,
      output: outputFlag,
      inspect: inspectFlag,
      inspectOnly: inspectedObjectsFlag,
      inspectPort: inspectPortFlag
    },
    Effect.fnUntraced(function* (flagValues) {
      if (isInspectPortUnused(flagValues))
        return setExitCode(refuseCommand(`error: ${inspectPortNeedsInspect}`))
      const { runDemo } = yield* Effect.promise(() => import("./runDemo.ts"))
      const code = yield* runDemo({
        seed: flagValues.seed,
        output: Option.getOrUndefined(flagValues.output),
        inspectPort: inspectPortOf(flagValues),
        inspectOnly: Option.getOrUndefined(flagValues.inspectOnly)
      })
      setExitCode(code)
    })
  ).pipe(
    Command.withDescription(
      "Show a rolling update, then a bad image that exceeds its progress deadline, and its undo"
    ),
    Command.withShortDescription("Show a rollout, a bad image and its undo"),
    Command.withExamples([
      { command: "charthouse demo", description: "Takes some twenty seconds on a terminal" }
    ])
  )
