import { setTimeout as pause } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { counted } from "../domain/counted.ts"
import { isNobodyThere, servedAs, Unanswered } from "./askServer.ts"
import { hearSignals } from "./leaving.ts"
import { NoRecording, openRecordingWriter } from "./recordingWriter.ts"
import { CannotWrite } from "../replaceFile.ts"
import { recordPieces } from "./recordStream.ts"
import { refuse } from "./exitCode.ts"
import { complain, isTerminal, printLines } from "./terminal.ts"
import { wordsOf } from "../wordsOf.ts"
import type { ServedPlace } from "./askServer.ts"
import type { Lent } from "./lentEntries.ts"
import type { RecordingWriter } from "./recordingWriter.ts"
import type { ExitCode } from "./exitCode.ts"

export interface RecordWish extends ServedPlace {
  /** `-` or undefined is the standard output; undefined fails on a terminal. */
  readonly file: string | undefined
  /** Whether to continue until a signal comes. */
  readonly watch: boolean
}

const attemptsMax = 6
const retryMillis = 500

export const recordCluster = (options: RecordWish): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { file = "-" } = options
    if (options.file === undefined && isTerminal()) {
      return refuse("error: a recording is long, and for programs: say with -o FILE where it goes")
    }
    const shutdown = yield* hearSignals
    const stopping = new AbortController()
    shutdown.before(() => stopping.abort())
    return yield* Effect.promise(() => record({ ...options, file }, stopping.signal))
  })

const record = async (
  options: RecordWish & { readonly file: string },
  stopSignal: AbortSignal
): Promise<ExitCode> => {
  const { file, watch } = options
  const fileText = file === "-" ? "the recording" : file
  let writer: RecordingWriter
  let server: Lent
  try {
    server = servedAs(options)
    writer = await openRecordingWriter(file)
  } catch (error) {
    if (isNobodyThere(error) || error instanceof CannotWrite) return refuse(`error: ${error.message}`)
    throw error
  }
  try {
    if (watch && file !== "-") printLines([`recording into ${file}: Ctrl-C ends it`])
    const failure = await writeStream(writer, { lent: server, watch, gone: stopSignal })
    if (failure !== undefined) complain(`error: ${failure}`)
    // A recording that a signal ends is as complete as one that the server ends.
    else if (watch) await writer.end()
    await writer.close()
    if (writer.entries() === 0) return failure === undefined ? refuse("nothing was recorded") : 2
  } catch (error) {
    writer.abandon()
    return reportWriteFailure(fileText, writer, error)
  }
  if (!writer.isInPlace()) {
    complain(`${file} is as it was: the beginning of the new recording did not come whole`)
    return 1
  }
  if (file !== "-") printLines([`${file}: ${counted(writer.entries(), "entry", "entries")}`])
  return writer.hasEnded() ? 0 : reportCutOff(fileText)
}

/**
 * Writes the recording. After a lost connection it resumes if nothing is missing. Returns the error that stopped it.
 */
const writeStream = async (
  writer: RecordingWriter,
  {
    lent: server,
    watch,
    gone: stopSignal
  }: { readonly lent: Lent; readonly watch: boolean; readonly gone: AbortSignal }
): Promise<string | undefined> => {
  let hasEndedNormally = false
  for (let attempt = 0; !stopSignal.aborted; attempt += 1) {
    try {
      writer.dropHalfLine()
      for await (const piece of recordPieces(server, { watch, known: writer.known(), gone: stopSignal })) {
        if (!(await writer.write(piece))) {
          complain("what came next is no longer kept: the recording ends before it")
          return undefined
        }
        if (writer.known() !== undefined) attempt = 0
      }
      if (!watch) return undefined
      hasEndedNormally = true
    } catch (error) {
      if (error instanceof NoRecording) return error.message
      if (!(error instanceof Unanswered)) throw error
      if (stopSignal.aborted) return undefined
      const isOver = attempt >= attemptsMax || writer.entries() === 0 || !watch
      if (isOver && !hasEndedNormally) return error.message
      if (isOver) {
        complain("the cluster is no longer served")
        return undefined
      }
    }
    await pause(retryMillis, undefined, { signal: stopSignal }).catch(() => undefined)
  }
  return undefined
}

/** The reader of the standard output is gone (exit code 0), or the disk is full. */
const reportWriteFailure = (fileText: string, writer: RecordingWriter, error: unknown): ExitCode => {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0
  if (!writer.isInPlace()) return refuse(`error: ${fileText} cannot be written: ${wordsOf(error)}`)
  complain(`error: ${fileText} cannot be written any further: ${wordsOf(error)}`)
  return reportCutOff(fileText)
}

const reportCutOff = (fileText: string): ExitCode => {
  complain(`${fileText} is cut off: it can be shown as far as it goes`)
  return 1
}
