import { makeLatest } from "../store/latest.ts"
import type { ClockEntry, FaultEntry, NoteEntry, ObjectEntry } from "./entry.ts"

/** An entry other than a step. Objects are as stored, not redacted. */
export type Happening = ObjectEntry | FaultEntry | ClockEntry | NoteEntry

export interface Happenings {
  readonly add: (happening: Happening) => void
  /** Removes an entry whose fault was refused. */
  readonly takeBack: (happening: Happening) => void
  /** Entries with a higher number; undefined if some of them were dropped already. */
  readonly after: (number: number) => ReadonlyArray<Happening> | undefined
  readonly begins: () => HistoryStart
  /** State before the first entry that is left, sorted by number. */
  readonly there: () => ReadonlyArray<Happening>
}

interface HistoryStart {
  readonly number: number
  readonly atMillis: number
}

export const makeHappenings = (
  initialEntries: ReadonlyArray<Happening>,
  { keptMax, ...start }: HistoryStart & { readonly keptMax: number }
): Happenings => {
  let { number, atMillis } = start
  const objects = new Map<string, Happening>()
  const faults = new Map<string, Happening>()
  let clock: ClockEntry | undefined
  const latest = makeLatest<Happening>({ lengthMax: keptMax, numberOf: (happening) => happening.number })

  /** Applies a dropped entry to the initial state. Re-inserting moves an object to the end of the map. */
  const applyToStart = (happening: Happening): void => {
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
    takeBack: (happening) => {
      if (!latest.remove(happening) && happening.type === "fault") faults.delete(happening.id)
    },
    after: (afterNumber) => (afterNumber < number ? undefined : latest.after(afterNumber)),
    begins: () => ({ number, atMillis }),
    there: () =>
      [...objects.values(), ...faults.values(), ...(clock === undefined ? [] : [clock])].sort(
        (a, b) => a.number - b.number
      )
  }
}
