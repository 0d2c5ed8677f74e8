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
  /** The last dropped entry of each object. */
  const initialObjects = new Map<string, ObjectEntry>()
  const initialFaults = new Map<string, ClusterEntry>()
  let initialClock: ClockEntry | undefined
  const keptEntries = makeBoundedWindow<ClusterEntry>({
    lengthMax: entriesMax,
    numberOf: (entry) => entry.number
  })

  /** Applies an entry that a full history drops. */
  const applyToInitialState = (entry: ClusterEntry): void => {
    if (entry.type === "object") {
      const { uid } = entry.object.metadata
      if (entry.change === "DELETED") initialObjects.delete(uid)
      else initialObjects.set(uid, entry)
    } else if (entry.type === "fault") {
      initialFaults.delete(entry.id)
      if (entry.change === "BEGAN") initialFaults.set(entry.id, entry)
    } else if (entry.type === "clock") initialClock = entry
  }
  let isInitialRead = false
  const readInitialOnce = (): void => {
    if (isInitialRead) return
    isInitialRead = true
    for (const entry of readInitialEntries()) applyToInitialState(entry)
  }

  return {
    add: (entry) => {
      const dropped = keptEntries.add(entry)
      if (dropped === undefined) return
      readInitialOnce()
      applyToInitialState(dropped)
      ;({ number, atMillis } = dropped)
    },
    remove: (entry) => {
      if (keptEntries.remove(entry) || entry.type !== "fault") return
      readInitialOnce()
      initialFaults.delete(entry.id)
    },
    after: (afterNumber) => (afterNumber < number ? undefined : keptEntries.after(afterNumber)),
    start: () => ({ number, atMillis }),
    initialEntries: () => {
      readInitialOnce()
      const added = Array.from(initialObjects.values(), (entry) =>
        entry.change === "ADDED" ? entry : { ...entry, change: "ADDED" as const }
      )
      return [
        ...added,
        ...initialFaults.values(),
        ...(initialClock === undefined ? [] : [initialClock])
      ].sort((a, b) => a.number - b.number)
    }
  }
}
