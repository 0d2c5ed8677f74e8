import { slimmed } from "./slimmed.ts"
import { stepOf } from "../inspect/why/stepOf.ts"
import type { ClockEntry, End, Entry } from "./entry.ts"
import type { Item, Recorder } from "./recorder.ts"

/** Renders an item as an entry: redacts objects, converts steps. */
export const entryOf = (item: Item): Exclude<Entry, { readonly type: "header" }> => {
  if ("actor" in item) {
    const { number, atMillis } = item
    return { type: "step", number, atMillis, step: stepOf(item) }
  }
  return item.type === "object" ? { ...item, object: slimmed(item.object) } : item
}

export const lineOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`

export const endOf = ({ number, atMillis }: ClockEntry, others: number): End => ({
  type: "end",
  number,
  atMillis,
  entries: others + 1
})

const allEntries = { objects: true, steps: "all" } as const

export const recordingText = (recorder: Recorder): string => {
  const header = recorder.header()
  const items = [...recorder.beginning(), ...(recorder.after(header.number, allEntries) ?? [])]
  return [header, ...items.map(entryOf), endOf(recorder.time(), items.length + 1)].map(lineOf).join("")
}
