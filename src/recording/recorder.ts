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

/** How a recording is made. */
export interface RecordSettings {
  /** What it is of, in a line. */
  readonly title?: string
  /** Changes that are kept; what would be more pushes the oldest out, and the recording begins later. */
  readonly changesMax?: number
  /** Steps that are kept of all actors of one kind. */
  readonly stepsMax?: number
}

const changesMaxDefault = 20_000

/** What there is to tell of, not yet put into words. */
export type Item = Happening | RecordedStep

/** Which parts of it. */
export interface Wanted {
  /** Everything but steps. */
  readonly objects: boolean
  /** Everybody's, nobody's, or those of one actor, by its place: `Deployment default/web`. */
  readonly steps: "all" | "none" | { readonly place: string }
}

/** Keeps what happens in a cluster, from when it was made. It looks at everything and touches nothing. */
export interface Recorder {
  /** As the recording begins now, after what was pushed out. */
  readonly header: () => Header
  /** What was there when it begins. */
  readonly beginning: () => ReadonlyArray<Item>
  /**
   * What came after a number, in order; undefined when that lies too far back to be known. Of steps it is what is kept
   * of them.
   */
  readonly after: (number: number, wanted: Wanted) => ReadonlyArray<Item> | undefined
  /** The number of the last thing that had happened when it begins. */
  readonly beginNumber: () => number
  /** The number of the last thing that has happened. */
  readonly lastNumber: () => number
  /** An entry that repeats the last number and says how late it is. */
  readonly time: () => ClockEntry
  /** Everything that is kept, with its end: the text of a recording. */
  readonly text: () => string
  /** Says something of this moment; of a step of a story where its number is given. */
  readonly note: (level: NoteEntry["level"], text: string, step?: number) => void
  /** Calls back on whatever happens, and where time has passed. Returns how to stop. */
  readonly onStir: (listener: () => void) => () => void
}

/** The same for those who tell it of what it cannot see itself. */
export interface RecorderWithin extends Recorder {
  readonly sees: (change: Change) => void
  /** A fault has begun, or ended; or it was refused, so that it never began. */
  readonly hears: (fault: FaultNews) => void
  readonly speedChanged: () => void
  /** Time was moved, and maybe nothing has happened. */
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
  /** Faults that are on. */
  readonly lasting: ReadonlyArray<Pick<FaultNews, "id" | "text">>
}

/** A recorder that begins with what is there at this instant. */
export const makeRecorder = (options: RecorderOptions): RecorderWithin => {
  const { nowMillis, speed, numbering, steps, seed, version, charts } = options
  const { title = `seed ${seed}`, changesMax = changesMaxDefault } = options
  const listeners = new Set<() => void>()
  const numbered = () => ({ number: numbering.next(), atMillis: nowMillis() })
  const began = ({ id, text }: Pick<FaultNews, "id" | "text">): FaultEntry => ({
    type: "fault",
    change: "BEGAN",
    ...numbered(),
    id,
    text
  })
  const clock = (): ClockEntry => ({ type: "clock", ...numbered(), speed: speed() })

  const there = [
    ...[...presentIn(options.view)].map(([resource, object]): ObjectEntry => ({
      type: "object",
      change: "ADDED",
      ...numbered(),
      resource,
      object
    })),
    ...options.lasting.map(began),
    clock()
  ]
  const atMillis = nowMillis()
  const number = numbering.last()
  const id = `${seed}-${atMillis.toString(36)}-${number}`
  const happenings = makeHappenings(there, { number, atMillis, keptMax: changesMax })
  /** Faults that have begun, by their ids: any may yet be refused. */
  const begun = new Map<string, FaultEntry>()

  const stir = (): void => {
    for (const listener of listeners) listener()
  }
  const add = (happening: Happening): void => {
    happenings.add(happening)
    stir()
  }
  steps.onMove(stir)

  const recorder: RecorderWithin = {
    header: () => {
      const begins = happenings.begins()
      return {
        type: "header",
        apiVersion: recordingApiVersion,
        kind: "Recording",
        version,
        id,
        title,
        seed,
        ...begins,
        charts
      }
    },
    beginning: () => {
      const { atMillis: beginMillis } = happenings.begins()
      return happenings.there().map((it) => ({ ...it, atMillis: beginMillis }))
    },
    after: (since, wanted) => {
      const found = wanted.objects ? happenings.after(since) : []
      return found === undefined ? undefined : merged(found, wantedSteps(steps, since, wanted.steps))
    },
    beginNumber: () => happenings.begins().number,
    lastNumber: numbering.last,
    time: () => ({ type: "clock", number: numbering.last(), atMillis: nowMillis(), speed: speed() }),
    text: () => recordingText(recorder),
    note: (level, text, step) =>
      add({ type: "note", ...numbered(), level, text, ...(step === undefined ? {} : { step }) }),
    onStir: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    sees: ({ type, resource, object }) => {
      const shown = shownNames.get(resource)
      if (shown === undefined) return
      add({ type: "object", change: type, ...numbered(), resource: shown, object })
    },
    hears: ({ change, id: faultId, text }) => {
      const beginning = begun.get(faultId)
      begun.delete(faultId)
      if (change === "ENDED") return add({ type: "fault", change, ...numbered(), id: faultId, text })
      if (change === "BEGAN") {
        const entry = began({ id: faultId, text })
        begun.set(faultId, entry)
        add(entry)
      } else if (beginning !== undefined) {
        happenings.takeBack(beginning)
        numbering.giveBack(beginning.number)
      }
    },
    speedChanged: () => add(clock()),
    timeMoved: stir
  }
  return recorder
}

const wantedSteps = (
  { since }: WhyRecorder,
  number: number,
  wanted: Wanted["steps"]
): ReadonlyArray<RecordedStep> => {
  if (wanted === "none") return []
  return wanted === "all" ? since(number) : since(number).filter(({ actor }) => actor.place === wanted.place)
}

/** Both are in order. */
const merged = (
  happenings: ReadonlyArray<Happening>,
  steps: ReadonlyArray<RecordedStep>
): ReadonlyArray<Item> => [...happenings, ...steps].sort((a, b) => a.number - b.number)
