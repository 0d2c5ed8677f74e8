import { readFile } from "node:fs/promises"
import { dirname, join, parse, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { badInput, refusing } from "./badInput.ts"
import { isUnread } from "../recording/readEntry.ts"
import { packageVersion } from "../packageRoot.ts"
import { pageFile } from "../reports/pageFile.ts"
import { pageParts } from "./pageParts.ts"
import { print } from "./print.ts"
import { readRecording } from "../recording/readRecording.ts"
import { complain, printLines } from "./terminal.ts"
import { replaceFile } from "../replaceFile.ts"
import { wordsOf } from "../wordsOf.ts"
import type { ExitCode } from "./exitCode.ts"

export const replayRecording = (options: {
  readonly file: string
  /** `-` is the standard output; by default a page beside the recording. */
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
      catch: (error) => badInput(`${file} cannot be read: ${wordsOf(error)}`)
    })
    const read = readRecording(text)
    if (isUnread(read)) return yield* badInput(`${file}: ${read.refused}`)
    if (read.isCutOff) complain(`${file} is cut off: it is shown as far as it goes`)
    const parts = yield* pageParts
    const { title, version: writtenBy } = read.header
    const version = packageVersion()
    if (writtenBy !== version) {
      complain(`${file} was written by charthouse ${writtenBy}, this is ${version}: charts may differ`)
    }
    const page = pageFile({ title, version, recordings: [{ title, text }], parts })
    if (output === "-") yield* print(page)
    else {
      yield* Effect.try({
        try: () => replaceFile(output, page),
        catch: (error) => badInput(wordsOf(error))
      })
      printLines([output])
    }
    return 0 as const
  }).pipe(refusing)

/** `web.recording` becomes `web.html`. */
const pageNameOf = (file: string): string => join(dirname(file), `${parse(file).name}.html`)
