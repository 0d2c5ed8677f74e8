import { createWriteStream } from "node:fs"
import { open, rm, stat } from "node:fs/promises"
import { dataOutput } from "./terminal.ts"
import { isUnread, readEntry } from "../recording/readEntry.ts"
import type { Writable } from "node:stream"
import type { End, Entry, Header } from "../recording/entry.ts"
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
  /** Leaves nothing behind where nothing was written. */
  readonly close: () => Promise<void>
}

/** What comes is nothing that could be shown later. */
export class NoRecording extends Error {}

/** Sees that a file can be written before anything is asked for. What is in it stays there until something comes. */
export const openRecordingWriter = async (file: string): Promise<RecordingWriter> => {
  if (file === "-") return writerTo(dataOutput)
  const isNew = (await stat(file).catch(() => undefined)) === undefined
  const present = await open(file, "a")
  await present.close()
  const writer = writerTo(() => createWriteStream(file))
  const close = async (): Promise<void> => {
    await writer.close()
    if (isNew && writer.entries() === 0) await rm(file)
  }
  return { ...writer, close }
}

/** What is the matter with it whoever writes is told. */
const begun = (sink: Writable): Writable => sink.on("error", () => {})

const writerTo = (openSink: () => Writable): RecordingWriter => {
  let sink: Writable | undefined
  let rest = ""
  let header: Header | undefined
  /** Lines that are not written yet: a beginning that is not whole may have to come anew. */
  let held: Array<string> = []
  let [entries, number, atMillis] = [0, 0, 0]
  let [isWhole, hasCaughtUp, hasEnded] = [false, false, false]

  const put = (lines: ReadonlyArray<string>): Promise<void> =>
    new Promise((resolve, reject) => {
      if (lines.length === 0) return resolve()
      sink ??= begun(openSink())
      sink.write(lines.map((line) => `${line}\n`).join(""), (error) =>
        error == null ? resolve() : reject(error)
      )
    })
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
  const release = (): Promise<void> => put(held.splice(0))
  return {
    write: async (piece) => {
      const lines = (rest + piece).split("\n")
      rest = lines.pop() ?? ""
      const isOurs = lines.every(take)
      if (isWhole) await release()
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
      const opened = sink
      if (opened === undefined) return
      await new Promise<void>((resolve, reject) => {
        opened.once("error", reject)
        opened.end(() => resolve())
      })
    }
  }
}
