import { makeHappenings } from "./happenings.ts"
import { recordingApiVersion } from "./entry.ts"
import { recordingText } from "./recordingText.ts"
import { shownNames, presentIn } from "./shown.ts"
import type { RecordedStep } from "../inspect/why/recorded.ts"
import type { WhyRecorder } from "../inspect/why/recorder.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { ClockEntry, FaultEntry, Header, NoteEntry, ObjectEntry } from "./entry.ts"
import type { Happening } from "./happenings.ts"
import type { Numbering } from "./numbering.ts"

export interface RecordSettings {
  readonly title?: string
  /** How many changes are kept; older ones are dropped and the recording then starts later. */
  readonly changesMax?: number
  readonly stepsMax?: number
}

const changesMaxDefault = 20_000

/** An entry before it is redacted and rendered. */
export type Item = Happening | RecordedStep

export interface Wanted {
  readonly objects: boolean
  /** Steps of all actors, of none, or of one actor by its place: `Deployment default/web`. */
  readonly steps: "all" | "none" | { readonly place: string }
}

export interface Recorder {
  readonly header: () => Header
  readonly beginning: () => ReadonlyArray<Item>
  /**
   * Items with a higher number, in order; undefined if some of them were dropped already. Dropped steps are just
   * missing.
   */
  readonly after: (number: number, wanted: Wanted) => ReadonlyArray<Item> | undefined
  readonly beginNumber: () => number
  readonly lastNumber: () => number
  readonly time: () => ClockEntry
  readonly text: () => string
  /** Adds a remark, about a step of a story if `step` is given. */
  readonly note: (level: NoteEntry["level"], text: string, step?: number) => void
  /** Subscribes to new entries and to the passing of time. Returns the unsubscribe function. */
  readonly onStir: (listener: () => void) => () => void
}

/** The recorder with the inputs that the cluster feeds. */
export interface RecorderWithin extends Recorder {
  readonly sees: (change: Change) => void
  readonly hears: (fault: FaultNews) => void
  readonly speedChanged: () => void
  /** Time has passed, possibly without a change. */
  readonly timeMoved: () => void
}

export interface FaultNews {
  readonly change: "BEGAN" | "ENDED" | "REFUSED"
  readonly id: string
  readonly text: string
}

export interface RecorderOptions extends RecordSettings {
  readonly version: string
  readonly seed: number
  readonly charts: Readonly<Record<string, string>>
  readonly nowMillis: () => number
  readonly speed: () => number
  readonly numbering: Numbering
  readonly steps: WhyRecorder
  readonly view: Pick<ClusterView["Service"], "all">
  readonly lasting: ReadonlyArray<Pick<FaultNews, "id" | "text">>
}

export const makeRecorder = (options: RecorderOptions): RecorderWithin => {
  const { nowMillis, speed, numbering, steps, seed, version, charts } = options
  const { title = `seed ${seed}`, changesMax = changesMaxDefault } = options
  const listeners = new Set<() => void>()
  const nextNumber = () => ({ number: numbering.next(), atMillis: nowMillis() })
  const faultBegan = ({ id, text }: Pick<FaultNews, "id" | "text">): FaultEntry => ({
    type: "fault",
    change: "BEGAN",
    ...nextNumber(),
    id,
    text
  })
  const clock = (): ClockEntry => ({ type: "clock", ...nextNumber(), speed: speed() })

  const initialEntries = [
    ...[...presentIn(options.view)].map(([resource, object]): ObjectEntry => ({
      type: "object",
      change: "ADDED",
      ...nextNumber(),
      resource,
      object
    })),
    ...options.lasting.map(faultBegan),
    clock()
  ]
  const atMillis = nowMillis()
  const number = numbering.last()
  const id = `${seed}-${atMillis.toString(36)}-${number}`
  const history = makeHappenings(initialEntries, { number, atMillis, keptMax: changesMax })
  const faultEntries = new Map<string, FaultEntry>()

  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  const add = (happening: Happening): void => {
    history.add(happening)
    notify()
  }
  steps.onMove(notify)

  const recorder: RecorderWithin = {
    header: () => {
      const start = history.begins()
      return {
        type: "header",
        apiVersion: recordingApiVersion,
        kind: "Recording",
        version,
        id,
        title,
        seed,
        ...start,
        charts
      }
    },
    beginning: () => {
      const { atMillis: startMillis } = history.begins()
      return history.there().map((entry) => ({ ...entry, atMillis: startMillis }))
    },
    after: (since, wanted) => {
      const entries = wanted.objects ? history.after(since) : []
      return entries === undefined
        ? undefined
        : mergeByNumber(entries, filterSteps(steps, since, wanted.steps))
    },
    beginNumber: () => history.begins().number,
    lastNumber: numbering.last,
    time: () => ({ type: "clock", number: numbering.last(), atMillis: nowMillis(), speed: speed() }),
    text: () => recordingText(recorder),
    note: (level, text, step) =>
      add({ type: "note", ...nextNumber(), level, text, ...(step === undefined ? {} : { step }) }),
    onStir: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    sees: ({ type, resource, object }) => {
      const recordedName = shownNames.get(resource)
      if (recordedName === undefined) return
      add({ type: "object", change: type, ...nextNumber(), resource: recordedName, object })
    },
    hears: ({ change, id: faultId, text }) => {
      const beginning = faultEntries.get(faultId)
      faultEntries.delete(faultId)
      if (change === "ENDED") return add({ type: "fault", change, ...nextNumber(), id: faultId, text })
      if (change === "BEGAN") {
        const entry = faultBegan({ id: faultId, text })
        faultEntries.set(faultId, entry)
        add(entry)
      } else if (beginning !== undefined) {
        history.takeBack(beginning)
        numbering.giveBack(beginning.number)
      }
    },
    speedChanged: () => add(clock()),
    timeMoved: notify
  }
  return recorder
}

const filterSteps = (
  { since }: WhyRecorder,
  number: number,
  wanted: Wanted["steps"]
): ReadonlyArray<RecordedStep> => {
  if (wanted === "none") return []
  return wanted === "all" ? since(number) : since(number).filter(({ actor }) => actor.place === wanted.place)
}

const mergeByNumber = (
  history: ReadonlyArray<Happening>,
  steps: ReadonlyArray<RecordedStep>
): ReadonlyArray<Item> => [...history, ...steps].sort((a, b) => a.number - b.number)
