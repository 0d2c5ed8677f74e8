import type { ClockEntry, ClusterEntry, ObjectEntry } from "./entry.ts"
import { makeBoundedWindow } from "../store/watch/boundedWindow.ts"

/** The latest entries without steps, and the state before them. */
export interface EntryHistory {
  readonly add: (entry: ClusterEntry) => void
  /** Removes an entry of a refused fault. */
  readonly remove: (entry: ClusterEntry) => void
  /** Entries with a higher number; undefined if some of them were dropped. */
  readonly after: (number: number) => ReadonlyArray<ClusterEntry> | undefined
  readonly start: () => HistoryStart
  /** The state before the first kept entry. */
  readonly initialEntries: () => ReadonlyArray<ClusterEntry>
}

/** The last change before the first kept entry. */
interface HistoryStart {
  readonly number: number
  readonly atMillis: number
}

export const makeEntryHistory = (
  readInitialEntries: () => ReadonlyArray<ClusterEntry>,
  { entriesMax, ...start }: HistoryStart & { readonly entriesMax: number }
): EntryHistory => {
  let { number, atMillis } = start
  /** The last entry of each object. */
  const objects = new Map<string, ObjectEntry>()
  const faults = new Map<string, ClusterEntry>()
  let clock: ClockEntry | undefined
  const latest = makeBoundedWindow<ClusterEntry>({
    lengthMax: entriesMax,
    numberOf: (entry) => entry.number
  })

  /** Applies a dropped entry to the initial state: a full history drops one for each new entry. */
  const applyToStart = (entry: ClusterEntry): void => {
    if (entry.type === "object") {
      const { uid } = entry.object.metadata
      if (entry.change === "DELETED") objects.delete(uid)
      else objects.set(uid, entry)
    } else if (entry.type === "fault") {
      faults.delete(entry.id)
      if (entry.change === "BEGAN") faults.set(entry.id, entry)
    } else if (entry.type === "clock") clock = entry
  }
  let isInitialRead = false
  const readInitial = (): void => {
    if (isInitialRead) return
    isInitialRead = true
    for (const entry of readInitialEntries()) applyToStart(entry)
  }

  return {
    add: (entry) => {
      const dropped = latest.add(entry)
      if (dropped === undefined) return
      readInitial()
      applyToStart(dropped)
      ;({ number, atMillis } = dropped)
    },
    remove: (entry) => {
      if (latest.remove(entry) || entry.type !== "fault") return
      readInitial()
      faults.delete(entry.id)
    },
    after: (afterNumber) => (afterNumber < number ? undefined : latest.after(afterNumber)),
    start: () => ({ number, atMillis }),
    initialEntries: () => {
      readInitial()
      const added = Array.from(objects.values(), (entry) =>
        entry.change === "ADDED" ? entry : { ...entry, change: "ADDED" as const }
      )
      return [...added, ...faults.values(), ...(clock === undefined ? [] : [clock])].sort(
        (a, b) => a.number - b.number
      )
    }
  }
}
