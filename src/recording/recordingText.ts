import { redactObject } from "./redactObject.ts"
import { toStep } from "../explain/steps/toStep.ts"
import type { ClockEntry, EndEntry, RecordingEntry, RecordingHeader, RecordingItem } from "./entry.ts"

export const toRecordingEntry = (
  item: RecordingItem
): Exclude<RecordingEntry, { readonly type: "header" }> => {
  if ("actor" in item) {
    const { number, atMillis } = item
    return { type: "step", number, atMillis, step: toStep(item) }
  }
  return item.type === "object" ? { ...item, object: redactObject(item.object) } : item
}

export const entryLine = (entry: RecordingEntry): string => `${JSON.stringify(entry)}\n`

export const makeEndEntry = ({ number, atMillis }: ClockEntry, otherEntries: number): EndEntry => ({
  type: "end",
  number,
  atMillis,
  entries: otherEntries + 1
})

interface WholeRecording {
  readonly header: RecordingHeader
  readonly items: ReadonlyArray<RecordingItem>
  /** The clock when the recording ended. */
  readonly end: ClockEntry
}

export const recordingText = ({ header, items, end }: WholeRecording): string =>
  [header, ...items.map(toRecordingEntry), makeEndEntry(end, items.length + 1)].map(entryLine).join("")
