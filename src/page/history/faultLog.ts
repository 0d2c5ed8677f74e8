import { kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import type { RecordingEntry, NoteEntry, ObjectEntry } from "../../recording/entry.ts"

/** A fault, or a silent kubelet. */
export interface RecordedFault {
  /** Faults that last at the same time have different ids. */
  readonly id: string
  readonly text: string
  readonly beganNumber: number
  readonly beganMillis: number
  readonly endedNumber?: number
  readonly endedMillis?: number
}

export interface FaultLog {
  readonly faults: ReadonlyArray<RecordedFault>
  /** Steps and failures of a story or a plan. */
  readonly notes: ReadonlyArray<NoteEntry>
  readonly add: (entry: RecordingEntry) => void
  readonly forgetBefore: (number: number) => void
}

export const makeFaultLog = (): FaultLog => {
  const faults: Array<RecordedFault> = []
  const notes: Array<NoteEntry> = []
  const endFault = (id: string, { number, atMillis }: Pick<RecordingEntry, "number" | "atMillis">): void => {
    const index = faults.findLastIndex((fault) => fault.id === id && fault.endedNumber === undefined)
    const fault = faults[index]
    if (fault !== undefined) faults[index] = { ...fault, endedNumber: number, endedMillis: atMillis }
  }
  /** A kubelet that the node's annotation stops has no fault entry. */
  const updateKubeletFault = (entry: ObjectEntry): void => {
    const { object, change, number, atMillis } = entry
    const { name } = object.metadata
    const id = kubeletFaultId(name)
    if (change === "DELETED" || kubeletState(object) === "running") return endFault(id, entry)
    // The text of a fault names its nodes.
    const isRecorded = faults.some(
      (it) => it.endedNumber === undefined && (it.id === id || splitWords(it.text).includes(name))
    )
    if (isRecorded) return
    faults.push({ id, text: `the kubelet of ${name} is silent`, beganNumber: number, beganMillis: atMillis })
  }
  return {
    faults,
    notes,
    add: (entry) => {
      if (entry.type === "note") notes.push(entry)
      if (entry.type === "object" && entry.resource === "nodes") updateKubeletFault(entry)
      if (entry.type !== "fault") return
      const { id, text, number, atMillis, change } = entry
      if (change === "ENDED") return endFault(id, entry)
      // The entry replaces the fault that the node's annotation began at the same time.
      const kubeletFaultIds = splitWords(text).map(kubeletFaultId)
      keepOnly(faults, (it) => it.beganMillis !== atMillis || !kubeletFaultIds.includes(it.id))
      faults.push({ id, text, beganNumber: number, beganMillis: atMillis })
    },
    forgetBefore: (number) => {
      keepOnly(notes, (note) => note.number > number)
      keepOnly(faults, ({ endedNumber = Infinity }) => endedNumber > number)
    }
  }
}

const kubeletFaultId = (node: string): string => `silence of ${node}`

const splitWords = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/)

const keepOnly = <A>(list: Array<A>, isWanted: (value: A) => boolean): void => {
  const remaining = list.filter(isWanted)
  list.splice(0, list.length, ...remaining)
}
