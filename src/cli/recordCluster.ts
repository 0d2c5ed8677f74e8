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

/** What is to be recorded, and where it goes. */
export interface RecordWish extends ServedPlace {
  /** `-` is the standard output, and so is a file that is left out where nobody would have to read it. */
  readonly file: string | undefined
  /** Whether to go on until somebody says that it is enough. */
  readonly watch: boolean
}

/** A server that has gone may be coming back. */
const attemptsMax = 6
const retryMillis = 500

/** Saves the recording of a cluster that is being served. */
export const recordCluster = (wish: RecordWish): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { file = "-" } = wish
    if (wish.file === undefined && isTerminal()) {
      return refuse("error: a recording is long, and for programs: say with -o FILE where it goes")
    }
    const leaving = yield* hearSignals
    const gone = new AbortController()
    leaving.before(() => gone.abort())
    return yield* Effect.promise(() => record({ ...wish, file }, gone.signal))
  })

const record = async (wish: RecordWish & { readonly file: string }, gone: AbortSignal): Promise<ExitCode> => {
  const { file, watch } = wish
  const shown = file === "-" ? "the recording" : file
  let writer: RecordingWriter
  let lent: Lent
  try {
    lent = servedAs(wish)
    writer = await openRecordingWriter(file)
  } catch (error) {
    if (isNobodyThere(error) || error instanceof CannotWrite) return refuse(`error: ${error.message}`)
    throw error
  }
  try {
    if (watch && file !== "-") printLines([`recording into ${file}: Ctrl-C ends it`])
    const failure = await follow(writer, { lent, watch, gone })
    if (failure !== undefined) complain(`error: ${failure}`)
    // One that somebody has stopped is as complete as one whose server has come to its end.
    else if (watch) await writer.end()
    await writer.close()
    if (writer.entries() === 0) return failure === undefined ? refuse("nothing was recorded") : 2
  } catch (error) {
    writer.abandon()
    return outOfSpace(shown, writer, error)
  }
  if (!writer.isInPlace()) {
    complain(`${file} is as it was: the beginning of the new recording did not come whole`)
    return 1
  }
  if (file !== "-") printLines([`${file}: ${counted(writer.entries(), "entry", "entries")}`])
  return writer.hasEnded() ? 0 : cutOff(shown)
}

/**
 * Writes what comes; where the connection is lost it is taken up again, as long as nothing is missing then. Says why
 * it could not go on.
 */
const follow = async (
  writer: RecordingWriter,
  { lent, watch, gone }: { readonly lent: Lent; readonly watch: boolean; readonly gone: AbortSignal }
): Promise<string | undefined> => {
  let hasSaidGoodbye = false
  for (let attempt = 0; !gone.aborted; attempt += 1) {
    try {
      writer.dropHalfLine()
      for await (const piece of recordPieces(lent, { watch, known: writer.known(), gone })) {
        if (!(await writer.write(piece))) {
          complain("what came next is no longer kept: the recording ends before it")
          return undefined
        }
        if (writer.known() !== undefined) attempt = 0
      }
      if (!watch) return undefined
      hasSaidGoodbye = true
    } catch (error) {
      if (error instanceof NoRecording) return error.message
      if (!(error instanceof Unanswered)) throw error
      if (gone.aborted) return undefined
      const isOver = attempt >= attemptsMax || writer.entries() === 0 || !watch
      if (isOver && !hasSaidGoodbye) return error.message
      if (isOver) {
        complain("the cluster is no longer served")
        return undefined
      }
    }
    // Whoever wants no more of it waits no longer.
    await pause(retryMillis, undefined, { signal: gone }).catch(() => undefined)
  }
  return undefined
}

/** Nobody reads the standard output any more, or the disk is full. */
const outOfSpace = (shown: string, writer: RecordingWriter, error: unknown): ExitCode => {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0
  if (!writer.isInPlace()) return refuse(`error: ${shown} cannot be written: ${wordsOf(error)}`)
  complain(`error: ${shown} cannot be written any further: ${wordsOf(error)}`)
  return cutOff(shown)
}

const cutOff = (shown: string): ExitCode => {
  complain(`${shown} is cut off: it can be shown as far as it goes`)
  return 1
}
