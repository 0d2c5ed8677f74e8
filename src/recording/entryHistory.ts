import type { ClockEntry, ClusterEntry, ObjectEntry } from "./entry.ts"
import { makeBoundedWindow } from "../store/watch/boundedWindow.ts"

/** The latest entries of a recording other than steps, and the cluster's state before the first of them. */
export interface EntryHistory {
  readonly add: (entry: ClusterEntry) => void
  /** Removes an entry whose fault was refused. */
  readonly remove: (entry: ClusterEntry) => void
  /** Entries with a higher number; undefined if some of them were dropped already. */
  readonly after: (number: number) => ReadonlyArray<ClusterEntry> | undefined
  readonly start: () => HistoryStart
  /** The cluster's state before the first entry that is left, sorted by number. */
  readonly initialEntries: () => ReadonlyArray<ClusterEntry>
}

/** Number and time of the last change before the first entry that is left. */
interface HistoryStart {
  readonly number: number
  readonly atMillis: number
}

export const makeEntryHistory = (
  /** Called once, when they are needed first. */
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

  /** Applies a dropped entry to the initial state: for each new one, once the history is full. */
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
