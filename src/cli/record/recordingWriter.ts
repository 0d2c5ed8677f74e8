import { isUnreadable, readRecordingEntry } from "../../recording/readEntry.ts"
import { printData } from "../terminal/terminal.ts"
import { openReplacement } from "../../platform/replaceFile.ts"
import type { EndEntry, RecordingEntry, RecordingHeader } from "../../recording/entry.ts"
import type { Replacement } from "../../platform/replaceFile.ts"
import type { ViewerRequest } from "../../recording/recordingViewer.ts"

/** Writes whole lines, so that the file is always readable. */
export interface RecordingWriter {
  /** Resolves to false, without writing, if another recording begins. Rejects with `InvalidRecording`. */
  readonly write: (chunk: string) => Promise<boolean>
  readonly dropPartialLine: () => void
  /** The last received entry; undefined until all objects of the beginning have been received. */
  readonly resumePoint: () => ViewerRequest["resumeAfter"]
  readonly entryCount: () => number
  readonly hasEnded: () => boolean
  /** Does nothing if the end entry is there or entries are missing. */
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
  /** Closes the file after a failed write, and removes a recording that is not yet in place. */
  readonly abandon: () => void
  /** False while the recording is in a temporary file. */
  readonly isInPlace: () => boolean
}

export class InvalidRecording extends Error {}

/**
 * Replaces an earlier file only once all that the server has retained is written: a full disk or a lost connection may
 * come before. Later entries are appended in place. Rejects with `CannotWrite`.
 */
export const openRecordingWriter = async (file: string): Promise<RecordingWriter> =>
  writerTo(file === "-" ? standardOutput() : await openReplacement(file))

const standardOutput = (): Replacement => ({
  isTemporary: false,
  replacesFile: false,
  append: (text) =>
    new Promise((resolve, reject) => {
      printData(text, (error) => (error == null ? resolve() : reject(error)))
    }),
  install: () => undefined,
  close: () => undefined
})

const writerTo = (file: Replacement): RecordingWriter => {
  let partialLine = ""
  let header: RecordingHeader | undefined
  /** An incomplete beginning is sent again after a reconnect. */
  let unwrittenLines: Array<string> = []
  let [entryCount, lastNumber, lastMillis] = [0, 0, 0]
  let [isBeginningComplete, hasCaughtUp, hasEnded, isInPlace] = [false, false, false, !file.isTemporary]

  const install = (): void => {
    file.install()
    isInPlace = true
  }
  const flush = async (): Promise<void> => {
    const lines = unwrittenLines.splice(0)
    if (lines.length > 0) await file.append(lines.map((line) => `${line}\n`).join(""))
  }
  const restart = (entry: RecordingHeader): void => {
    header = entry
    unwrittenLines = []
    ;[entryCount, lastNumber, lastMillis] = [0, 0, entry.atMillis]
  }
  const addEntry = (entry: Exclude<RecordingEntry, RecordingHeader>): void => {
    // A clock entry repeats the last number once the server has sent everything so far.
    hasCaughtUp ||= entry.type === "clock" && entry.number === lastNumber
    // A step that is sent again has an old number.
    lastNumber = Math.max(lastNumber, entry.number)
    lastMillis = Math.max(lastMillis, entry.atMillis)
    // The objects of the beginning are numbered up to the header's number.
    isBeginningComplete ||= header !== undefined && lastNumber >= header.number
    hasEnded = entry.type === "end"
  }
  const addLine = (line: string): boolean => {
    const entry = readRecordingEntry(line)
    if (isUnreadable(entry))
      throw new InvalidRecording(`the response is no recording: a line of it ${entry.problem}`)
    if (entry.type === "header") {
      if (isBeginningComplete) return false
      restart(entry)
    } else if (header === undefined)
      throw new InvalidRecording("the response is no recording: it has no header")
    else addEntry(entry)
    entryCount += 1
    unwrittenLines.push(line)
    return true
  }
  return {
    write: async (chunk) => {
      const lines = (partialLine + chunk).split("\n")
      partialLine = lines.pop() ?? ""
      const isSameRecording = lines.every(addLine)
      if (isBeginningComplete) await flush()
      if (!isInPlace && (hasCaughtUp || hasEnded)) install()
      return isSameRecording
    },
    dropPartialLine: () => {
      partialLine = ""
    },
    resumePoint: () =>
      isBeginningComplete && header !== undefined ? { number: lastNumber, id: header.id } : undefined,
    entryCount: () => entryCount,
    hasEnded: () => hasEnded,
    end: async () => {
      if (hasEnded || !hasCaughtUp) return
      const end: EndEntry = {
        type: "end",
        number: lastNumber,
        atMillis: lastMillis,
        entries: entryCount + 1
      }
      addLine(JSON.stringify(end))
      await flush()
    },
    close: async () => {
      await flush()
      if (entryCount > 0 && (isBeginningComplete || !file.replacesFile)) install()
      file.close()
    },
    abandon: () => file.close(),
    isInPlace: () => isInPlace
  }
}
