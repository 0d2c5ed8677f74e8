import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { isServerUnreachable, findServedContext, ServerUnreachable } from "../served/requestServer.ts"
import { listenForSignals } from "../terminal/signals.ts"
import { InvalidRecording, openRecordingWriter } from "./recordingWriter.ts"
import { CannotWrite } from "../../platform/replaceFile.ts"
import { recordingChunks } from "./recordingChunks.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { printToStderr, isOutputTerminal, printLines } from "../terminal/terminal.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { ServedClusterRef } from "../served/requestServer.ts"
import type { ServedContext } from "../kubeconfig/servedContexts.ts"
import type { RecordingWriter } from "./recordingWriter.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export interface RecordOptions extends ServedClusterRef {
  /** `-` or undefined is standard output, but undefined fails on a terminal. */
  readonly file: string | undefined
  readonly watch: boolean
}

/** Attempts to reconnect before the server counts as gone. */
const attemptsMax = 6
const retryMillis = 500

export const recordCluster = (options: RecordOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { file = "-" } = options
    if (options.file === undefined && isOutputTerminal()) {
      return refuseCommand("error: a recording is long, and for programs: say with -o FILE where it goes")
    }
    const shutdown = yield* listenForSignals
    const stop = new AbortController()
    shutdown.onExit(() => stop.abort())
    return yield* Effect.promise(() => record({ ...options, file }, stop.signal))
  })

const record = async (
  options: RecordOptions & { readonly file: string },
  stopSignal: AbortSignal
): Promise<ExitCode> => {
  const { file, watch } = options
  const fileText = file === "-" ? "the recording" : file
  let writer: RecordingWriter
  let server: ServedContext
  try {
    server = findServedContext(options)
    writer = await openRecordingWriter(file)
  } catch (error) {
    if (isServerUnreachable(error) || error instanceof CannotWrite)
      return refuseCommand(`error: ${error.message}`)
    throw error
  }
  try {
    if (watch && file !== "-") printLines([`recording into ${file}: Ctrl-C ends it`])
    const failure = await writeStream(writer, { server, watch, stopSignal })
    if (failure !== undefined) printToStderr(`error: ${failure}`)
    // A recording that a signal ends is complete.
    else if (watch) await writer.end()
    await writer.close()
    if (writer.entryCount() === 0)
      return refuseCommand(...(failure === undefined ? ["nothing was recorded"] : []))
  } catch (error) {
    writer.abandon()
    return reportWriteFailure(fileText, writer, error)
  }
  // A recording replaces an earlier file once it has all entries that the server kept.
  if (!writer.isInPlace()) {
    printToStderr(`${file} is unchanged: the beginning of the new recording was not received completely`)
    return 1
  }
  if (file !== "-") printLines([`${file}: ${countText(writer.entryCount(), "entry", "entries")}`])
  return writer.hasEnded() ? 0 : reportCutOff(fileText)
}

/** Resumes after a lost connection unless entries are missing. Returns the error that stopped the recording. */
const writeStream = async (
  writer: RecordingWriter,
  {
    server,
    watch,
    stopSignal
  }: { readonly server: ServedContext; readonly watch: boolean; readonly stopSignal: AbortSignal }
): Promise<string | undefined> => {
  let wasEndedByServer = false
  for (let attempt = 0; !stopSignal.aborted; attempt += 1) {
    try {
      writer.dropPartialLine()
      for await (const chunk of recordingChunks(server, {
        watch,
        resumeAfter: writer.resumePoint(),
        signal: stopSignal
      })) {
        if (!(await writer.write(chunk))) {
          printToStderr("the server has dropped the entries that follow: the recording ends before them")
          return undefined
        }
        if (writer.resumePoint() !== undefined) attempt = 0
      }
      if (!watch) return undefined
      wasEndedByServer = true
    } catch (error) {
      if (error instanceof InvalidRecording) return error.message
      if (!(error instanceof ServerUnreachable)) throw error
      if (stopSignal.aborted) return undefined
      const isOver = attempt >= attemptsMax || writer.entryCount() === 0 || !watch
      if (isOver && !wasEndedByServer) return error.message
      if (isOver) {
        printToStderr("the cluster is no longer served")
        return undefined
      }
    }
    await sleep(retryMillis, undefined, { signal: stopSignal }).catch(() => undefined)
  }
  return undefined
}

/** A closed pipe exits 0; other errors, such as a full disk, are printed. */
const reportWriteFailure = (fileText: string, writer: RecordingWriter, error: unknown): ExitCode => {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0
  if (!writer.isInPlace())
    return refuseCommand(`error: ${fileText} cannot be written: ${systemErrorText(error)}`)
  printToStderr(`error: ${fileText} cannot be written any further: ${systemErrorText(error)}`)
  return reportCutOff(fileText)
}

const reportCutOff = (fileText: string): ExitCode => {
  printToStderr(`${fileText} is cut off: it can be shown as far as it goes`)
  return 1
}
