import { redactObject } from "./redactObject.ts"
import { toStep } from "../explain/steps/toStep.ts"
import type { ClockEntry, EndEntry, RecordingEntry } from "./entry.ts"
import type { RecordingItem, ClusterRecorder } from "./clusterRecorder.ts"

/** Renders an item as an entry: redacts objects, converts steps. */
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

export const makeEndEntry = ({ number, atMillis }: ClockEntry, others: number): EndEntry => ({
  type: "end",
  number,
  atMillis,
  entries: others + 1
})

const allEntries = { objects: true, steps: "all" } as const

export const recordingText = (recorder: ClusterRecorder): string => {
  const header = recorder.header()
  const items = [...recorder.initialItems(), ...(recorder.after(header.number, allEntries) ?? [])]
  return [header, ...items.map(toRecordingEntry), makeEndEntry(recorder.currentTime(), items.length + 1)]
    .map(entryLine)
    .join("")
}
