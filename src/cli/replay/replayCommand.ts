import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { ExitCode } from "../terminal/exitCode.ts"

export const replayCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "replay",
    {
      output: Flag.String("output").pipe(
        Flag.withAlias("o"),
        Flag.withMetavar("PAGE.html"),
        Flag.withDescription("The file to write, or - for standard output; beside the recording by default"),
        Flag.optional
      ),
      file: Argument.String("FILE").pipe(Argument.withDescription("A recording"))
    },
    Effect.fnUntraced(function* ({ file, output }) {
      const { writeReplayPage } = yield* Effect.promise(() => import("./writeReplayPage.ts"))
      setExitCode(yield* writeReplayPage({ file, output: Option.getOrUndefined(output) }))
    })
  ).pipe(
    Command.withDescription(
      "Write a recording and the page that shows it as one HTML file, which needs no server and no internet, and " +
        "print its path"
    ),
    Command.withShortDescription("Make a page of a recording"),
    Command.withExamples([
      { command: "charthouse replay web.recording", description: "Writes web.html" },
      { command: "charthouse replay web.recording -o /tmp/why.html", description: "Writes /tmp/why.html" }
    ])
  )
