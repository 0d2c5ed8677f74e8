import { kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import type { RecordingEntry, NoteEntry, ObjectEntry } from "../../recording/entry.ts"

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
  readonly see: (entry: RecordingEntry) => void
  /** Forgets what was over before this number. */
  readonly forgetBefore: (number: number) => void
}

export const makeMarking = (): Marking => {
  const faults: Array<SeenFault> = []
  const notes: Array<NoteEntry> = []
  const end = (id: string, { number, atMillis }: Pick<RecordingEntry, "number" | "atMillis">): void => {
    const index = faults.findLastIndex((fault) => fault.id === id && fault.endedNumber === undefined)
    const fault = faults[index]
    if (fault !== undefined) faults[index] = { ...fault, endedNumber: number, endedMillis: atMillis }
  }
  /** Whoever loses a node by hand writes it into the node alone; what a story does to one is told already. */
  const seeNode = (entry: ObjectEntry): void => {
    const { object, change, number, atMillis } = entry
    const { name } = object.metadata
    const id = silenceOf(name)
    if (change === "DELETED" || kubeletState(object) === "running") return end(id, entry)
    const isTold = faults.some(
      (it) => it.endedNumber === undefined && (it.id === id || wordsOf(it.text).includes(name))
    )
    if (isTold) return
    faults.push({ id, text: `the kubelet of ${name} is silent`, beganNumber: number, beganMillis: atMillis })
  }
  return {
    faults,
    notes,
    see: (entry) => {
      if (entry.type === "note") notes.push(entry)
      if (entry.type === "object" && entry.resource === "nodes") seeNode(entry)
      if (entry.type !== "fault") return
      const { id, text, number, atMillis, change } = entry
      if (change === "ENDED") return end(id, entry)
      // What the node said itself at this instant is the same thing.
      const same = wordsOf(text).map(silenceOf)
      keepOnly(faults, (it) => it.beganMillis !== atMillis || !same.includes(it.id))
      faults.push({ id, text, beganNumber: number, beganMillis: atMillis })
    },
    forgetBefore: (number) => {
      keepOnly(notes, (note) => note.number > number)
      keepOnly(faults, ({ endedNumber = Infinity }) => endedNumber > number)
    }
  }
}

const silenceOf = (node: string): string => `silence of ${node}`

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/)

const keepOnly = <A>(list: Array<A>, isWanted: (value: A) => boolean): void => {
  const wanted = list.filter(isWanted)
  list.splice(0, list.length, ...wanted)
}
