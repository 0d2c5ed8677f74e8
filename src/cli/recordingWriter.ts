import { isUnread, readEntry } from "../recording/readEntry.ts"
import { printData } from "./terminal.ts"
import { openReplacement } from "../replaceFile.ts"
import type { End, Entry, Header } from "../recording/entry.ts"
import type { Replacement } from "../replaceFile.ts"
import type { ViewerWish } from "../recording/viewer.ts"

/** Writes a recording line by line, so that what is written is whole whenever it ends. */
export interface RecordingWriter {
  /**
   * Takes text as it comes; what is no whole line yet is kept back. False where another recording begins, of which
   * nothing is written. Rejects with `NoRecording`.
   */
  readonly write: (piece: string) => Promise<boolean>
  /** The rest of a line that has not come will not come: what comes next is of another connection. */
  readonly dropHalfLine: () => void
  /** From where on it can be taken up; undefined before its beginning is whole, which has to come anew then. */
  readonly known: () => ViewerWish["known"]
  readonly entries: () => number
  readonly hasEnded: () => boolean
  /** Writes the end, where it is not there yet and nothing is missing: all that there was has come. */
  readonly end: () => Promise<void>
  /** Ends the writing. A recording whose beginning is not whole takes the place of no earlier file. */
  readonly close: () => Promise<void>
  /** Ends the writing where it has failed. What has not taken the file's place is removed. */
  readonly abandon: () => void
  /** Whether the file is this recording, and not what was there before. */
  readonly isInPlace: () => boolean
}

/** What comes is nothing that could be shown later. */
export class NoRecording extends Error {}

/**
 * Opens a recording's file, before the server is asked for anything. The recording is written beside an earlier file
 * and takes its place once all that the server remembers has come: until then a full disk or a lost connection could
 * leave less than there was. From then on it grows in its place, line by line, so that it can be shown at any moment.
 * Rejects with `CannotWrite`.
 */
export const openRecordingWriter = async (file: string): Promise<RecordingWriter> =>
  writerTo(file === "-" ? standardOutput() : await openReplacement(file))

const standardOutput = (): Replacement => ({
  isBeside: false,
  replaces: false,
  append: (text) =>
    new Promise((resolve, reject) => {
      printData(text, (error) => (error == null ? resolve() : reject(error)))
    }),
  install: () => undefined,
  close: () => undefined
})

const writerTo = (sink: Replacement): RecordingWriter => {
  let rest = ""
  let header: Header | undefined
  /** Lines that are not written yet: a beginning that is not whole may have to come anew. */
  let held: Array<string> = []
  let [entries, number, atMillis] = [0, 0, 0]
  let [isWhole, hasCaughtUp, hasEnded, isInPlace] = [false, false, false, !sink.isBeside]

  const install = (): void => {
    sink.install()
    isInPlace = true
  }
  const release = async (): Promise<void> => {
    const lines = held.splice(0)
    if (lines.length > 0) await sink.append(lines.map((line) => `${line}\n`).join(""))
  }
  const begin = (entry: Header): void => {
    header = entry
    held = []
    ;[entries, number, atMillis] = [0, 0, entry.atMillis]
  }
  const note = (entry: Exclude<Entry, Header>): void => {
    // Only what says how late it is repeats a number, and only once all has been told.
    hasCaughtUp ||= entry.type === "clock" && entry.number === number
    // A step that is told again has an old number.
    number = Math.max(number, entry.number)
    atMillis = Math.max(atMillis, entry.atMillis)
    // What was there at its beginning has numbers up to the header's, in order.
    isWhole ||= header !== undefined && number >= header.number
    hasEnded = entry.type === "end"
  }
  /** Says whether it is of this recording. */
  const take = (line: string): boolean => {
    const entry = readEntry(line)
    if (isUnread(entry)) throw new NoRecording(`what comes is no recording: a line of it ${entry.refused}`)
    if (entry.type === "header") {
      if (isWhole) return false
      begin(entry)
    } else if (header === undefined) throw new NoRecording("what comes is no recording: it has no header")
    else note(entry)
    entries += 1
    held.push(line)
    return true
  }
  return {
    write: async (piece) => {
      const lines = (rest + piece).split("\n")
      rest = lines.pop() ?? ""
      const isOurs = lines.every(take)
      if (isWhole) await release()
      if (!isInPlace && (hasCaughtUp || hasEnded)) install()
      return isOurs
    },
    dropHalfLine: () => {
      rest = ""
    },
    known: () => (isWhole && header !== undefined ? { number, id: header.id } : undefined),
    entries: () => entries,
    hasEnded: () => hasEnded,
    end: async () => {
      if (hasEnded || !hasCaughtUp) return
      const end: End = { type: "end", number, atMillis, entries: entries + 1 }
      take(JSON.stringify(end))
      await release()
    },
    close: async () => {
      await release()
      if (entries > 0 && (isWhole || !sink.replaces)) install()
      sink.close()
    },
    abandon: () => sink.close(),
    isInPlace: () => isInPlace
  }
}
