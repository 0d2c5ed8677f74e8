import { initialObjectEntries } from "./initialObjectEntries.ts"
import { makeEntryHistory } from "./entryHistory.ts"
import { recordingApiVersion } from "./entry.ts"
import { recordingText } from "./recordingText.ts"
import { recordedResources } from "./recordedResources.ts"
import type { RecordedStep } from "../explain/steps/recordedStep.ts"
import type { StepRecorder } from "../explain/steps/stepRecorder.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type {
  ClockEntry,
  ClusterEntry,
  FaultEntry,
  NoteEntry,
  RecordingHeader,
  RecordingItem
} from "./entry.ts"
import type { EarlierChanges } from "./initialObjectEntries.ts"
import type { EntryNumbering } from "./entryNumbering.ts"

const withoutFilter = { withObjects: true, steps: "all" } as const

export interface RecordSettings {
  readonly title?: string
  /** Older changes are dropped, and the recording starts later. */
  readonly changesMax?: number
  /** Counted apart from the changes. */
  readonly stepsMax?: number
}

const changesMaxDefault = 20_000

export interface EntryFilter {
  /** Includes objects, faults, notes and clock entries. */
  readonly withObjects: boolean
  /** Steps of all actors, of none, or of one actor by its path: `Deployment default/web`. */
  readonly steps: "all" | "none" | { readonly actorPath: string }
}

export interface ClusterRecorder {
  readonly header: () => RecordingHeader
  /** Objects, faults and clock before the first kept change. */
  readonly initialItems: () => ReadonlyArray<RecordingItem>
  /** Items with a higher number; undefined if changes among them were dropped. */
  readonly after: (number: number, filter: EntryFilter) => ReadonlyArray<RecordingItem> | undefined
  readonly steps: (filter: EntryFilter["steps"]) => ReadonlyArray<RecordedStep>
  /** The number of the last change before the recording starts. */
  readonly startNumber: () => number
  readonly lastNumber: () => number
  readonly currentTime: () => ClockEntry
  readonly text: () => string
  /** Adds a note, about a step of a story if its number is given. */
  readonly note: (level: NoteEntry["level"], text: string, storyStep?: number) => void
  /** Calls back for new entries and when time passes. Returns the function that unsubscribes. */
  readonly onUpdate: (listener: () => void) => () => void
}

export interface WritableClusterRecorder extends ClusterRecorder {
  readonly recordChange: (change: Change) => void
  readonly recordFault: (fault: FaultNotice) => void
  readonly recordSpeed: () => void
  /** Tells the listeners that time has passed, even without a change. */
  readonly notifyTimePassed: () => void
}

export interface FaultNotice {
  /** `REFUSED` revokes a `BEGAN`: the fault could not begin. */
  readonly change: "BEGAN" | "ENDED" | "REFUSED"
  readonly id: string
  readonly text: string
}

export interface ClusterRecorderOptions extends RecordSettings {
  readonly version: string
  readonly seed: number
  /** The drawings of the charts, as SVG. */
  readonly charts: Readonly<Record<string, string>>
  readonly nowMillis: () => number
  readonly speed: () => number
  readonly numbering: EntryNumbering
  readonly steps: StepRecorder
  readonly view: Pick<ClusterView["Service"], "all">
  readonly earlierChanges?: EarlierChanges | undefined
  readonly activeFaults: ReadonlyArray<Pick<FaultNotice, "id" | "text">>
}

export const makeClusterRecorder = (options: ClusterRecorderOptions): WritableClusterRecorder => {
  const { nowMillis, speed, numbering, steps, seed, version, charts } = options
  const { title = `seed ${seed}`, changesMax = changesMaxDefault, earlierChanges } = options
  const listeners = new Set<() => void>()
  const nextNumberAndTime = () => ({ number: numbering.next(), atMillis: nowMillis() })
  const toFaultEntry = ({ id, text }: Pick<FaultNotice, "id" | "text">): FaultEntry => ({
    type: "fault",
    change: "BEGAN",
    ...nextNumberAndTime(),
    id,
    text
  })
  const nextClockEntry = (): ClockEntry => ({ type: "clock", ...nextNumberAndTime(), speed: speed() })

  const beginMillis = earlierChanges?.times[0] ?? nowMillis()
  const objectEntries = initialObjectEntries(options, beginMillis)
  const faultAndClockEntries = [...options.activeFaults.map(toFaultEntry), nextClockEntry()]
  const beginNumber = numbering.last()
  const recordingId = `${seed}-${beginMillis.toString(36)}-${beginNumber}`
  const history = makeEntryHistory(() => [...objectEntries(), ...faultAndClockEntries], {
    number: beginNumber,
    atMillis: beginMillis,
    entriesMax: changesMax
  })
  /** By the fault's id: the entry of a fault that the cluster refuses is taken out of the history. */
  const beganEntries = new Map<string, FaultEntry>()
  const addChangeIfRecorded = ({ type, resource, object }: Change, changedMillis: number): boolean => {
    const recordedName = recordedResources.get(resource)
    if (recordedName === undefined) return false
    // Hot path: a literal without a spread gives all entries the same hidden class in V8.
    const entryNumber = numbering.next()
    history.add({
      type: "object",
      change: type,
      number: entryNumber,
      atMillis: changedMillis,
      resource: recordedName,
      object
    })
    return true
  }
  if (earlierChanges !== undefined) {
    for (const [index, change] of earlierChanges.changes.entries())
      addChangeIfRecorded(change, earlierChanges.times[index] ?? beginMillis)
    // The earlier changes end here: from now on, time passes at this speed.
    history.add(nextClockEntry())
  }

  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  const addEntry = (entry: ClusterEntry): void => {
    history.add(entry)
    notify()
  }
  steps.onStep(notify)

  const recorder: WritableClusterRecorder = {
    header: () => {
      const start = history.start()
      return {
        type: "header",
        apiVersion: recordingApiVersion,
        kind: "Recording",
        version,
        id: recordingId,
        title,
        seed,
        ...start,
        charts
      }
    },
    initialItems: () => {
      const { atMillis: startMillis } = history.start()
      return history.initialEntries().map((entry) => ({ ...entry, atMillis: startMillis }))
    },
    after: (sinceNumber, filter) => {
      const entries = filter.withObjects ? history.after(sinceNumber) : []
      return entries === undefined
        ? undefined
        : mergeByNumber(entries, filterSteps(steps, sinceNumber, filter.steps))
    },
    steps: (filter) => filterSteps(steps, 0, filter),
    startNumber: () => history.start().number,
    lastNumber: numbering.last,
    currentTime: () => ({ type: "clock", number: numbering.last(), atMillis: nowMillis(), speed: speed() }),
    text: () => {
      const header = recorder.header()
      const changes = recorder.after(header.number, withoutFilter) ?? []
      return recordingText({
        header,
        items: [...recorder.initialItems(), ...changes],
        end: recorder.currentTime()
      })
    },
    note: (level, text, storyStep) =>
      addEntry({
        type: "note",
        ...nextNumberAndTime(),
        level,
        text,
        ...(storyStep === undefined ? {} : { step: storyStep })
      }),
    onUpdate: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    recordChange: (change) => {
      if (addChangeIfRecorded(change, nowMillis())) notify()
    },
    recordFault: ({ change, id, text }) => {
      const beganEntry = beganEntries.get(id)
      beganEntries.delete(id)
      if (change === "ENDED") return addEntry({ type: "fault", change, ...nextNumberAndTime(), id, text })
      if (change === "BEGAN") {
        const entry = toFaultEntry({ id, text })
        beganEntries.set(id, entry)
        addEntry(entry)
      } else if (beganEntry !== undefined) {
        history.remove(beganEntry)
        // A refused fault has changed nothing, and leaves no gap.
        numbering.release(beganEntry.number)
      }
    },
    recordSpeed: () => addEntry(nextClockEntry()),
    notifyTimePassed: notify
  }
  return recorder
}

const filterSteps = (
  { stepsSince }: StepRecorder,
  sinceNumber: number,
  filter: EntryFilter["steps"]
): ReadonlyArray<RecordedStep> => {
  if (filter === "none") return []
  return filter === "all"
    ? stepsSince(sinceNumber)
    : stepsSince(sinceNumber).filter(({ actor }) => actor.path === filter.actorPath)
}

const mergeByNumber = (
  entries: ReadonlyArray<ClusterEntry>,
  steps: ReadonlyArray<RecordedStep>
): ReadonlyArray<RecordingItem> => [...entries, ...steps].sort((a, b) => a.number - b.number)
