import { makeLatest } from "../store/latest.ts"
import type { ClockEntry, FaultEntry, NoteEntry, ObjectEntry } from "./entry.ts"

/** What happens to a cluster, but for the steps of its actors. Objects are as they are stored. */
export type Happening = ObjectEntry | FaultEntry | ClockEntry | NoteEntry

/** What has happened of late, in order, and what was there before that. */
export interface Happenings {
  readonly add: (happening: Happening) => void
  /** Strikes one out that came lately, where it did not happen after all. */
  readonly takeBack: (happening: Happening) => void
  /** All that came after a number; undefined when that lies too far back to be known. */
  readonly after: (number: number) => ReadonlyArray<Happening> | undefined
  /** The last thing that had happened before the first that is known, and when. */
  readonly begins: () => Begins
  /** What was there then, in the order of its numbers. */
  readonly there: () => ReadonlyArray<Happening>
}

interface Begins {
  readonly number: number
  readonly atMillis: number
}

export const makeHappenings = (
  there: ReadonlyArray<Happening>,
  { keptMax, ...begun }: Begins & { readonly keptMax: number }
): Happenings => {
  let { number, atMillis } = begun
  const objects = new Map<string, Happening>()
  const faults = new Map<string, Happening>()
  let clock: ClockEntry | undefined
  const kept = makeLatest<Happening>({ lengthMax: keptMax, numberOf: (happening) => happening.number })

  /** Makes it a part of what was there; what is put into a map last is the last in it. */
  const fold = (happening: Happening): void => {
    if (happening.type === "object") {
      const { uid } = happening.object.metadata
      objects.delete(uid)
      if (happening.change !== "DELETED") objects.set(uid, { ...happening, change: "ADDED" })
    } else if (happening.type === "fault") {
      faults.delete(happening.id)
      if (happening.change === "BEGAN") faults.set(happening.id, happening)
    } else if (happening.type === "clock") clock = happening
  }
  for (const happening of there) fold(happening)

  return {
    add: (happening) => {
      const pushedOut = kept.add(happening)
      if (pushedOut === undefined) return
      fold(pushedOut)
      ;({ number, atMillis } = pushedOut)
    },
    takeBack: (happening) => {
      if (!kept.remove(happening) && happening.type === "fault") faults.delete(happening.id)
    },
    after: (wanted) => (wanted < number ? undefined : kept.after(wanted)),
    begins: () => ({ number, atMillis }),
    there: () =>
      [...objects.values(), ...faults.values(), ...(clock === undefined ? [] : [clock])].sort(
        (a, b) => a.number - b.number
      )
  }
}
