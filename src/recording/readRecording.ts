import { isUnreadable, readRecordingEntry } from "./readEntry.ts"
import type { UnreadableRecording } from "./readEntry.ts"
import type { RecordingEntry, RecordingHeader } from "./entry.ts"

export interface ParsedRecording {
  readonly header: RecordingHeader
  /** Without header and end; of a repeated step only the last form. */
  readonly entries: ReadonlyArray<RecordedEntry>
  readonly isCutOff: boolean
}

export type RecordedEntry = Exclude<RecordingEntry, { readonly type: "header" } | { readonly type: "end" }>

/** An incomplete last line counts as cut off; any other unreadable line refuses the recording. */
export const readRecording = (text: string): ParsedRecording | UnreadableRecording => {
  if (text.trim() === "") return { problem: "it is empty" }
  const lines = text.split("\n")
  // A cut-off recording may lack the last line break.
  let incompleteLine = lines.pop() ?? ""
  const lastEntry = readRecordingEntry(incompleteLine)
  if (!isUnreadable(lastEntry)) {
    lines.push(incompleteLine)
    incompleteLine = ""
  } else if (lines.length === 0) return headerProblem(incompleteLine, lastEntry)
  const [first = ""] = lines
  const header = readRecordingEntry(first)
  if (isUnreadable(header)) return { problem: `its first line ${header.problem}` }
  if (header.type !== "header") return { problem: "its first line is no header of a recording" }

  const entries: Array<RecordedEntry> = []
  const stepIndexes = new Map<number, number>()
  let previousEntry: RecordingEntry | undefined
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue
    const lineText = `line ${index + 1}`
    if (previousEntry?.type === "end") return { problem: `${lineText} comes after the end` }
    const entry = readRecordingEntry(line)
    if (isUnreadable(entry)) return { problem: `${lineText} ${entry.problem}` }
    if (entry.type === "header") return { problem: `${lineText} is a header: another recording begins there` }
    if (entry.type === "end") {
      if (entry.entries !== index + 1) {
        return { problem: `its end says that there are ${entry.entries} entries, and there are ${index + 1}` }
      }
      previousEntry = entry
      continue
    }
    const indexBefore = entry.type === "step" ? stepIndexes.get(entry.number) : undefined
    if (indexBefore !== undefined) {
      entries[indexBefore] = entry
      continue
    }
    if (
      previousEntry !== undefined &&
      entry.number <= previousEntry.number &&
      !isTimeOnly(entry, previousEntry)
    ) {
      return { problem: `${lineText} is out of order: number ${entry.number} after ${previousEntry.number}` }
    }
    if (entry.type === "step") stepIndexes.set(entry.number, entries.length)
    entries.push(entry)
    previousEntry = entry
  }
  if (previousEntry?.type === "end" && incompleteLine !== "")
    return { problem: `line ${lines.length + 1} comes after the end` }
  return { header, entries, isCutOff: previousEntry?.type !== "end" }
}

const isTimeOnly = (entry: RecordingEntry, previousEntry: RecordingEntry): boolean =>
  entry.type === "clock" && entry.number === previousEntry.number

const headerStart = '{"type":"header"'

const headerProblem = (line: string, { problem }: UnreadableRecording): UnreadableRecording => {
  const isHeader = line.startsWith(headerStart) || headerStart.startsWith(line)
  return { problem: isHeader ? "it was cut off within its first line" : `its first line ${problem}` }
}
