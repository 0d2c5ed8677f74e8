import { isUnread, readEntry } from "./readEntry.ts"
import type { Unread } from "./readEntry.ts"
import type { Entry, Header } from "./entry.ts"

/** A recording that was saved. */
export interface ReadRecording {
  readonly header: Header
  /** All but the header and the end; a step that was told twice is there once, as it was told last. */
  readonly entries: ReadonlyArray<RecordedEntry>
  /** Its end is missing: it is shown as far as it goes. */
  readonly isCutOff: boolean
}

export type RecordedEntry = Exclude<Entry, { readonly type: "header" } | { readonly type: "end" }>

/**
 * Reads the text of a recording, as far as it goes: a last line of which only a part is there was being written when it
 * was cut off. Anything else that cannot be read, or that is not in order, refuses all of it.
 */
export const readRecording = (text: string): ReadRecording | Unread => {
  if (text.trim() === "") return { refused: "it is empty" }
  const lines = text.split("\n")
  // Every line ends with a line break; the last one may have lost it, and nothing else.
  let rest = lines.pop() ?? ""
  const partly = readEntry(rest)
  if (!isUnread(partly)) {
    lines.push(rest)
    rest = ""
  } else if (lines.length === 0) return notBegun(rest, partly)
  const [first = ""] = lines
  const header = readEntry(first)
  if (isUnread(header)) return { refused: `its first line ${header.refused}` }
  if (header.type !== "header") return { refused: "its first line is no header of a recording" }

  const entries: Array<RecordedEntry> = []
  const steps = new Map<number, number>()
  let last: Entry | undefined
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue
    const at = `line ${index + 1}`
    if (last?.type === "end") return { refused: `${at} comes after the end` }
    const entry = readEntry(line)
    if (isUnread(entry)) return { refused: `${at} ${entry.refused}` }
    if (entry.type === "header") return { refused: `${at} is a header: another recording begins there` }
    if (entry.type === "end") {
      if (entry.entries !== index + 1) {
        return { refused: `its end says that there are ${entry.entries} entries, and there are ${index + 1}` }
      }
      last = entry
      continue
    }
    const toldBefore = entry.type === "step" ? steps.get(entry.number) : undefined
    if (toldBefore !== undefined) {
      entries[toldBefore] = entry
      continue
    }
    if (last !== undefined && entry.number <= last.number && !isTime(entry, last)) {
      return { refused: `${at} is out of order: number ${entry.number} after ${last.number}` }
    }
    if (entry.type === "step") steps.set(entry.number, entries.length)
    entries.push(entry)
    last = entry
  }
  if (last?.type === "end" && rest !== "") return { refused: `line ${lines.length + 1} comes after the end` }
  return { header, entries, isCutOff: last?.type !== "end" }
}

/** One that only says how late it is. */
const isTime = (entry: Entry, last: Entry): boolean => entry.type === "clock" && entry.number === last.number

/** As every header begins that we have written. */
const headerStart = '{"type":"header"'

/** Not even the first line is complete. */
const notBegun = (line: string, { refused }: Unread): Unread => {
  const isHeader = line.startsWith(headerStart) || headerStart.startsWith(line)
  return { refused: isHeader ? "it was cut off before its beginning" : `its first line ${refused}` }
}
