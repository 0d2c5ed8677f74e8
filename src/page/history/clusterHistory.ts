import { lastIndexUpTo, lastIndexWhere, makeVersionStore, versionAt } from "./objectVersions.ts"
import { makeFleets } from "./fleets.ts"
import { makeObjectIndex } from "./objectIndex.ts"
import { makeSignal } from "../signal.ts"
import { makeFaultLog } from "./faultLog.ts"
import { makeTimelineSeries } from "../timeline/series/timelineSeries.ts"
import { makeStepLog } from "./stepLog.ts"
import { makeWorkloadWalk } from "./workloadWalk.ts"
import { latestMoment } from "./moment.ts"
import type { Fleet } from "./fleet.ts"
import type {
  RecordingEntry,
  RecordingHeader,
  NoteEntry,
  ObjectEntry,
  StepEntry
} from "../../recording/entry.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Signal } from "../signal.ts"
import type { RecordedFault } from "./faultLog.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { WalkedEntry, WorkloadWalk } from "./workloadWalk.ts"
import type { TimelineSeries } from "../timeline/series/timelineSeries.ts"
import type { Moment, MomentOrLatest } from "./moment.ts"

/** A moment is the number of the last entry that had happened. */
export interface ClusterHistory {
  readonly header: RecordingHeader | undefined
  /** Whether every entry from before the stream was opened has arrived. */
  readonly isCaughtUp: boolean
  readonly markCaughtUp: () => void
  readonly publishCount: Signal<number>
  /** Increases `publishCount`, after entries were added. */
  readonly publish: () => void
  /** Includes Events, and deleted objects that are still known. */
  readonly objectCount: number
  readonly series: TimelineSeries
  readonly faults: ReadonlyArray<RecordedFault>
  /** Steps and failures of a story or a plan. */
  readonly notes: ReadonlyArray<NoteEntry>
  /** The number of the last entry other than the header; undefined before the first. */
  readonly lastEntryNumber: number | undefined
  /** The first moment that can be shown: before the first entry, or after the dropped entries. */
  readonly beginNumber: number
  readonly beginMillis: number
  readonly endNumber: number
  readonly endMillis: number
  readonly add: (entry: RecordingEntry) => void
  /** Adds a step from a stream of its own, in any order relative to the other entries. */
  readonly addStep: (entry: StepEntry) => void
  /** The objects at a moment, by default the last. Unchanged objects keep their identity. */
  readonly fleetAt: (moment: MomentOrLatest) => Fleet
  readonly millisAt: (moment: MomentOrLatest) => number
  readonly momentAt: (millis: number) => Moment
  readonly nextMoment: (moment: Moment, direction: 1 | -1) => Moment | undefined
  /** The nearest moment with an entry of the object, of its Events or of its actor. */
  readonly nextMomentOf: (address: PageAddress, moment: Moment, direction: 1 | -1) => Moment | undefined
  readonly stepsOf: (address: PageAddress) => ReadonlyArray<StepEntry>
  readonly forgetSteps: (address: PageAddress) => void
  /** The last version up to a moment, also of a deleted object. */
  readonly lastKnownOf: (address: PageAddress, moment: MomentOrLatest) => LastKnownObject | undefined
  /** The oldest first. */
  readonly versionsOf: (address: PageAddress, moment: MomentOrLatest) => ReadonlyArray<KubeObject>
  /** Every object with its last version and a moment at which it exists; the oldest first. */
  readonly allObjects: () => ReadonlyArray<{ readonly object: KubeObject; readonly moment: Moment }>
  /** Includes `uid` itself, and indirect and deleted dependents. */
  readonly ownedBy: (uid: string) => ReadonlySet<string>
  /** Follows a workload instant by instant; entries that are dropped meanwhile are skipped. */
  readonly walk: (uid: string) => WorkloadWalk
  /** Computed from the beginning, for a moment far from the last one of `fleetAt`. */
  readonly distantFleetAt: (moment: MomentOrLatest) => Fleet
}

export interface LastKnownObject {
  readonly object: KubeObject
  readonly exists: boolean
}

/** Beyond `entriesMax` the oldest quarter is dropped; its last versions become the initial objects. */
export const makeClusterHistory = (
  header: RecordingHeader | undefined,
  entriesMax = Infinity
): ClusterHistory => {
  const store = makeVersionStore()
  const steps = makeStepLog()
  const series = makeTimelineSeries(header?.number ?? 0)
  const faultLog = makeFaultLog()
  const entries: Array<WalkedEntry> = []
  const objects = makeObjectIndex(store)
  const fleets = makeFleets(store, entries)
  const publishCount = makeSignal(0)
  /** At first the number of the last change before the recording. */
  let beginNumber = header?.number ?? 0
  let isCaughtUp = false

  const endNumber = (): number => entries.at(-1)?.number ?? beginNumber
  const boundedMoment = (moment: MomentOrLatest): number =>
    Math.max(beginNumber, Math.min(moment ?? endNumber(), endNumber()))

  const addObject = (entry: ObjectEntry): void => {
    const isNewObject = store.versionsOf(entry.object.metadata.uid) === undefined
    const object = store.add(entry)
    entries.push({ number: entry.number, atMillis: entry.atMillis, uid: object.metadata.uid })
    series.add({ ...entry, object })
    if (entry.number > beginNumber) objects.addEntry(object, entry.number)
    if (isNewObject) objects.addObject(object)
  }

  const dropOldest = (): void => {
    const droppedCount = Math.ceil(entries.length / 4)
    beginNumber = Math.max(beginNumber, entries[droppedCount - 1]?.number ?? beginNumber)
    fleets.dropEntries(beginNumber, droppedCount)
    store.forgetBefore(beginNumber)
    series.forgetBefore(beginNumber)
    faultLog.forgetBefore(beginNumber)
    objects.forgetBefore(beginNumber)
  }

  const millisAt = (moment: MomentOrLatest): number =>
    entries[lastIndexUpTo(entries, boundedMoment(moment))]?.atMillis ?? header?.atMillis ?? 0

  return {
    header,
    publishCount,
    publish: () => publishCount.set(publishCount.get() + 1),
    series,
    faults: faultLog.faults,
    notes: faultLog.notes,
    get objectCount() {
      return store.objectCount()
    },
    get isCaughtUp() {
      return isCaughtUp
    },
    markCaughtUp: () => {
      isCaughtUp = true
    },
    get lastEntryNumber() {
      return entries.at(-1)?.number
    },
    get beginNumber() {
      return beginNumber
    },
    get beginMillis() {
      return millisAt(beginNumber)
    },
    get endNumber() {
      return endNumber()
    },
    get endMillis() {
      return millisAt(latestMoment)
    },
    add: (entry) => {
      if (entry.type === "header") return
      if (entry.type === "step") steps.add(entry)
      else faultLog.add(entry)
      if (entry.type === "object") addObject(entry)
      else if (entry.number > (entries.at(-1)?.number ?? -1))
        entries.push({ number: entry.number, atMillis: entry.atMillis })
      if (entries.length > entriesMax) dropOldest()
    },
    addStep: steps.add,
    fleetAt: (moment) => fleets.at(boundedMoment(moment), { beginNumber, isLatest: moment === undefined }),
    millisAt,
    momentAt: (millis) => {
      const index = lastIndexWhere(entries.length, (it) => (entries[it]?.atMillis ?? Infinity) <= millis)
      return Math.max(beginNumber, entries[index]?.number ?? beginNumber)
    },
    nextMoment: (moment, direction) => {
      const index = lastIndexUpTo(entries, direction > 0 ? moment : moment - 1) + (direction > 0 ? 1 : 0)
      const number = entries[index]?.number
      if (number === undefined) return direction < 0 && moment > beginNumber ? beginNumber : undefined
      return number < beginNumber ? (moment > beginNumber ? beginNumber : undefined) : number
    },
    nextMomentOf: (address, moment, direction) => {
      const stepNumbers = steps.stepsOf(address).map(({ number }) => number)
      const candidates = [...objects.entryNumbersOf(address), ...stepNumbers].filter(
        (it) => it >= beginNumber
      )
      const inDirection = candidates.filter((it) => (direction > 0 ? it > moment : it < moment))
      if (inDirection.length === 0) return undefined
      return inDirection.reduce((a, b) => (direction > 0 ? Math.min(a, b) : Math.max(a, b)))
    },
    stepsOf: steps.stepsOf,
    forgetSteps: steps.forget,
    lastKnownOf: (address, moment) => {
      const lastVersions = objects
        .versionsOf(address)
        .flatMap((versions) => versionAt(versions, boundedMoment(moment)) ?? [])
      const last = lastVersions.at(-1)
      return last === undefined ? undefined : { object: last.object, exists: !last.isGone }
    },
    versionsOf: (address, moment) => {
      const number = boundedMoment(moment)
      return objects
        .versionsOf(address)
        .flatMap(({ versions }) => versions.filter((it) => it.number <= number).map(({ object }) => object))
    },
    allObjects: () =>
      [...store.all()].flatMap(({ versions }) => {
        const last = versions.findLast(({ isGone }) => !isGone)
        return last === undefined ? [] : [{ object: last.object, moment: Math.max(beginNumber, last.number) }]
      }),
    ownedBy: objects.ownedBy,
    walk: (uid) => makeWorkloadWalk({ store, entries, beginNumber, beginMillis: millisAt(beginNumber), uid }),
    distantFleetAt: (moment) => fleets.distantFleetAt(boundedMoment(moment), beginNumber)
  }
}
