import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { applyFleetChanges, emptyFleet, involvedUid, controllerUid } from "./fleet.ts"
import {
  fleetChangeBetween,
  lastIndexUpTo,
  lastIndexWhere,
  makeVersionStore,
  versionAt
} from "./objectVersions.ts"
import { makeSignal } from "../signal.ts"
import { makeFaultLog } from "./faultLog.ts"
import { makeTimelineSeries } from "../timeline/series/timelineSeries.ts"
import { makeStepLog } from "./stepLog.ts"
import { makeWorkloadWalk } from "./workloadWalk.ts"
import { addressedObjectKey, nameKey, objectKey } from "../pageAddress.ts"
import { latestMoment } from "./moment.ts"
import type { FleetChange, Fleet } from "./fleet.ts"
import type {
  RecordingEntry,
  RecordingHeader,
  NoteEntry,
  ObjectEntry,
  StepEntry
} from "../../recording/entry.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Signal } from "../signal.ts"
import type { ObjectVersions, VersionStore } from "./objectVersions.ts"
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
  /** An Event counts for the object that it involves. */
  const entryNumbersByObject = new Map<string, Array<number>>()
  /** A recreated object has another uid, and so versions of its own. */
  const versionsByObject = new Map<string, Array<ObjectVersions>>()
  /** Uids of direct dependents, by the uid of their controller. */
  const dependents = new Map<string, Set<string>>()
  const publishCount = makeSignal(0)
  /** At first the number of the last change before the recording. */
  let beginNumber = header?.number ?? 0
  let isCaughtUp = false
  let latestPosition = initialPosition
  let lastShownPosition: FleetPosition = latestPosition

  const endNumber = (): number => entries.at(-1)?.number ?? beginNumber
  const boundedMoment = (moment: MomentOrLatest): number =>
    Math.max(beginNumber, Math.min(moment ?? endNumber(), endNumber()))

  const addObject = (entry: ObjectEntry): void => {
    const isNewObject = store.versionsOf(entry.object.metadata.uid) === undefined
    const object = store.add(entry)
    const { uid } = object.metadata
    entries.push({ number: entry.number, atMillis: entry.atMillis, uid })
    series.add({ ...entry, object })
    const [key, involvedKey] = [objectKey(object), involvedObjectKey(object)]
    if (entry.number > beginNumber)
      entryNumbersByObject.set(involvedKey, append(entryNumbersByObject.get(involvedKey), entry.number))
    if (!isNewObject) return
    const versions = store.versionsOf(uid)
    if (versions !== undefined) versionsByObject.set(key, append(versionsByObject.get(key), versions))
    const owner = controllerUid(object)
    if (owner !== "") dependents.set(owner, (dependents.get(owner) ?? new Set()).add(uid))
  }

  /** Applies the entries between two moments, or all objects if those are fewer. */
  const moveTo = (position: FleetPosition, number: number): FleetPosition => {
    const index = lastIndexUpTo(entries, number) + 1
    const [low, high] = [Math.min(position.index, index), Math.max(position.index, index)]
    // Initial objects arrive one by one, so a fleet of the first moment may lack some.
    const fromNumber = position.number <= beginNumber ? -1 : position.number
    const uids = new Set<string>()
    // Of dropped entries only the versions are left.
    if (fromNumber === -1 || high - low > store.objectCount())
      for (const { uid } of store.all()) uids.add(uid)
    else for (let i = low; i < high; i += 1) uids.add(entries[i]?.uid ?? "")
    const changes: Array<FleetChange> = []
    for (const uid of uids) {
      const versions = store.versionsOf(uid)
      const change = versions === undefined ? undefined : fleetChangeBetween(versions, fromNumber, number)
      if (change !== undefined) changes.push(change)
    }
    return { number, index, fleet: applyFleetChanges(position.fleet, changes, store.arrivalOrderOf) }
  }

  const fleetAt = (moment: MomentOrLatest): Fleet => {
    const number = boundedMoment(moment)
    if (moment === undefined) {
      if (latestPosition.number < number || latestPosition.index < entries.length)
        latestPosition = moveTo(latestPosition, number)
      lastShownPosition = latestPosition
    } else if (
      lastShownPosition.number !== number ||
      lastShownPosition.index <= lastIndexUpTo(entries, number)
    )
      lastShownPosition = moveTo(lastShownPosition, number)
    return lastShownPosition.fleet
  }

  const dropOldest = (): void => {
    const droppedCount = Math.ceil(entries.length / 4)
    beginNumber = Math.max(beginNumber, entries[droppedCount - 1]?.number ?? beginNumber)
    // Brings `latestPosition` up to date while the entries are there.
    fleetAt(latestMoment)
    entries.splice(0, droppedCount)
    latestPosition = { ...latestPosition, index: entries.length }
    lastShownPosition = latestPosition
    store.forgetBefore(beginNumber)
    series.forgetBefore(beginNumber)
    faultLog.forgetBefore(beginNumber)
    for (const [key, numbers] of entryNumbersByObject) {
      if ((numbers[0] ?? 0) > beginNumber) continue
      const remaining = numbers.filter((number) => number > beginNumber)
      if (remaining.length === 0) entryNumbersByObject.delete(key)
      else entryNumbersByObject.set(key, remaining)
    }
    for (const [key, versionsOfKey] of versionsByObject) {
      if (versionsOfKey.every(({ uid }) => store.versionsOf(uid) !== undefined)) continue
      const remaining = versionsOfKey.filter(({ uid }) => store.versionsOf(uid) !== undefined)
      if (remaining.length === 0) versionsByObject.delete(key)
      else versionsByObject.set(key, remaining)
    }
    forgetOwners(dependents, store)
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
    fleetAt,
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
      const candidates = [
        ...(entryNumbersByObject.get(addressedObjectKey(address)) ?? []),
        ...stepNumbers
      ].filter((it) => it >= beginNumber)
      const inDirection = candidates.filter((it) => (direction > 0 ? it > moment : it < moment))
      if (inDirection.length === 0) return undefined
      return inDirection.reduce((a, b) => (direction > 0 ? Math.min(a, b) : Math.max(a, b)))
    },
    stepsOf: steps.stepsOf,
    forgetSteps: steps.forget,
    lastKnownOf: (address, moment) => {
      const lastVersions = (versionsByObject.get(addressedObjectKey(address)) ?? []).flatMap(
        (versions) => versionAt(versions, boundedMoment(moment)) ?? []
      )
      const last = lastVersions.at(-1)
      return last === undefined ? undefined : { object: last.object, exists: !last.isGone }
    },
    versionsOf: (address, moment) => {
      const number = boundedMoment(moment)
      return (versionsByObject.get(addressedObjectKey(address)) ?? []).flatMap(({ versions }) =>
        versions.filter((it) => it.number <= number).map(({ object }) => object)
      )
    },
    allObjects: () =>
      [...store.all()].flatMap(({ versions }) => {
        const last = versions.findLast(({ isGone }) => !isGone)
        return last === undefined ? [] : [{ object: last.object, moment: Math.max(beginNumber, last.number) }]
      }),
    ownedBy: (uid) => {
      const ownedUids = new Set([uid])
      for (const owner of ownedUids)
        for (const dependent of dependents.get(owner) ?? []) ownedUids.add(dependent)
      return ownedUids
    },
    walk: (uid) => makeWorkloadWalk({ store, entries, beginNumber, beginMillis: millisAt(beginNumber), uid }),
    distantFleetAt: (moment) => moveTo(initialPosition, boundedMoment(moment)).fleet
  }
}

/** The next fleet is computed from the last one by the entries between. */
interface FleetPosition {
  readonly number: number
  readonly index: number
  readonly fleet: Fleet
}

const initialPosition: FleetPosition = { number: -1, fleet: emptyFleet, index: 0 }

/** Keeps the owners of unknown objects that an Event still involves. */
const forgetOwners = (dependents: Map<string, Set<string>>, store: VersionStore): void => {
  const owners = new Map<string, string>()
  for (const [owner, uids] of dependents) for (const uid of uids) owners.set(uid, owner)
  const neededUids = new Set<string>()
  const addWithOwners = (uid: string | undefined): void => {
    for (
      let ownerUid = uid;
      ownerUid !== undefined && !neededUids.has(ownerUid);
      ownerUid = owners.get(ownerUid)
    )
      neededUids.add(ownerUid)
  }
  for (const { uid, resource, versions } of store.all()) {
    addWithOwners(uid)
    const last = versions.at(-1)
    if (resource === "events" && last !== undefined) addWithOwners(involvedUid(last.object))
  }
  for (const [owner, uids] of dependents) {
    for (const uid of uids) if (!neededUids.has(uid)) uids.delete(uid)
    if (uids.size === 0) dependents.delete(owner)
  }
}

const append = <A>(list: Array<A> | undefined, value: A): Array<A> => {
  if (list === undefined) return [value]
  list.push(value)
  return list
}

const involvedObjectKey = (object: KubeObject): string => {
  if (involvedUid(object) === "") return objectKey(object)
  const { involvedObject } = normalizeEvent(object)
  // Nodes are cluster-scoped, but their Events are in a namespace.
  return nameKey(involvedObject.kind === "Node" ? { ...involvedObject, namespace: "" } : involvedObject)
}
