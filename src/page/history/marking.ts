import type { Entry, NoteEntry } from "../../recording/entry.ts"

/** Something that was done to a cluster on purpose, from its beginning to its end. */
export interface SeenFault {
  readonly id: string
  readonly text: string
  readonly beganNumber: number
  readonly beganMillis: number
  /** Left out while it lasts. */
  readonly endedNumber?: number
  readonly endedMillis?: number
}

/** What is told of a recording's time beside its objects. */
export interface Marking {
  readonly faults: ReadonlyArray<SeenFault>
  readonly notes: ReadonlyArray<NoteEntry>
  readonly see: (entry: Entry) => void
  /** Forgets what was over before this number. */
  readonly forgetBefore: (number: number) => void
}

export const makeMarking = (): Marking => {
  const faults: Array<SeenFault> = []
  const notes: Array<NoteEntry> = []
  return {
    faults,
    notes,
    see: (entry) => {
      if (entry.type === "note") notes.push(entry)
      if (entry.type !== "fault") return
      const { id, text, number, atMillis, change } = entry
      if (change === "BEGAN")
        return void faults.push({ id, text, beganNumber: number, beganMillis: atMillis })
      const index = faults.findLastIndex((fault) => fault.id === id && fault.endedNumber === undefined)
      const fault = faults[index]
      if (fault !== undefined) faults[index] = { ...fault, endedNumber: number, endedMillis: atMillis }
    },
    forgetBefore: (number) => {
      keepOnly(notes, (note) => note.number > number)
      keepOnly(faults, ({ endedNumber = Infinity }) => endedNumber > number)
    }
  }
}

const keepOnly = <A>(list: Array<A>, isWanted: (value: A) => boolean): void => {
  const wanted = list.filter(isWanted)
  list.splice(0, list.length, ...wanted)
}
