import type { ClockEntry, ClusterEntry } from "./entry.ts"
import { makeBoundedWindow } from "../store/watch/boundedWindow.ts"

export interface EntryHistory {
  readonly add: (happening: ClusterEntry) => void
  /** Removes an entry whose fault was refused. */
  readonly remove: (happening: ClusterEntry) => void
  /** Entries with a higher number; undefined if some of them were dropped already. */
  readonly after: (number: number) => ReadonlyArray<ClusterEntry> | undefined
  readonly start: () => HistoryStart
  /** State before the first entry that is left, sorted by number. */
  readonly initialEntries: () => ReadonlyArray<ClusterEntry>
}

interface HistoryStart {
  readonly number: number
  readonly atMillis: number
}

export const makeEntryHistory = (
  initialEntries: ReadonlyArray<ClusterEntry>,
  { entriesMax: keptMax, ...start }: HistoryStart & { readonly entriesMax: number }
): EntryHistory => {
  let { number, atMillis } = start
  const objects = new Map<string, ClusterEntry>()
  const faults = new Map<string, ClusterEntry>()
  let clock: ClockEntry | undefined
  const latest = makeBoundedWindow<ClusterEntry>({
    lengthMax: keptMax,
    numberOf: (happening) => happening.number
  })

  /** Applies a dropped entry to the initial state. Re-inserting moves an object to the end of the map. */
  const applyToStart = (happening: ClusterEntry): void => {
    if (happening.type === "object") {
      const { uid } = happening.object.metadata
      objects.delete(uid)
      if (happening.change !== "DELETED") objects.set(uid, { ...happening, change: "ADDED" })
    } else if (happening.type === "fault") {
      faults.delete(happening.id)
      if (happening.change === "BEGAN") faults.set(happening.id, happening)
    } else if (happening.type === "clock") clock = happening
  }
  for (const happening of initialEntries) applyToStart(happening)

  return {
    add: (happening) => {
      const dropped = latest.add(happening)
      if (dropped === undefined) return
      applyToStart(dropped)
      ;({ number, atMillis } = dropped)
    },
    remove: (happening) => {
      if (!latest.remove(happening) && happening.type === "fault") faults.delete(happening.id)
    },
    after: (afterNumber) => (afterNumber < number ? undefined : latest.after(afterNumber)),
    start: () => ({ number, atMillis }),
    initialEntries: () =>
      [...objects.values(), ...faults.values(), ...(clock === undefined ? [] : [clock])].sort(
        (a, b) => a.number - b.number
      )
  }
}
