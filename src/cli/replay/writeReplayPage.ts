import { readFile } from "node:fs/promises"
import { dirname, join, parse, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { badInput, reportBadInput } from "../input/badInput.ts"
import { isUnreadable } from "../../recording/readEntry.ts"
import { packageVersion } from "../../generated/packageVersion.ts"
import { pageFile } from "../../reports/pageFile.ts"
import { loadPageAssets } from "../../reports/pageAssets.ts"
import { printDocument } from "../terminal/printDocument.ts"
import { readRecording } from "../../recording/readRecording.ts"
import { printToStderr, printLines } from "../terminal/terminal.ts"
import { replaceFile } from "../../platform/replaceFile.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const writeReplayPage = (options: {
  readonly file: string
  /** `-` is standard output; by default a page beside the recording. */
  readonly output: string | undefined
}): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { file } = options
    const output = options.output ?? pageNameOf(file)
    if (output !== "-" && resolve(output) === resolve(file)) {
      return yield* badInput(`${output} is the recording: say with -o where else its page goes`)
    }
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: (error) => badInput(`${file} cannot be read: ${systemErrorText(error)}`)
    })
    const recording = readRecording(text)
    if (isUnreadable(recording)) return yield* badInput(`${file}: ${recording.problem}`)
    if (recording.isCutOff) printToStderr(`${file} is incomplete: it is shown up to its last entry`)
    const pageAssets = yield* Effect.promise(loadPageAssets)
    const { title, version: writtenBy } = recording.header
    const version = packageVersion
    if (writtenBy !== version) {
      printToStderr(`${file} was written by charthouse ${writtenBy}, this is ${version}: charts may differ`)
    }
    const page = pageFile({ title, version, recordings: [{ title, text }], pageAssets })
    if (output === "-") yield* printDocument(page)
    else {
      yield* Effect.try({
        try: () => replaceFile(output, page),
        catch: (error) => badInput(systemErrorText(error))
      })
      printLines([output])
    }
    return 0 as const
  }).pipe(reportBadInput)

const pageNameOf = (file: string): string => join(dirname(file), `${parse(file).name}.html`)
