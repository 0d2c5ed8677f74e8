import { normalizeEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import {
  podRevisionLabel,
  podRevisionOf
} from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { nameKey, objectKey } from "../../pageAddress.ts"
import { makeDueList } from "./dueList.ts"
import { countPod, setMinReadySeconds, uncountPod } from "./countedPods.ts"
import { conditionChanges, timelineEventOf } from "./timelineEvents.ts"
import {
  addTimelineEvent,
  assignOwner,
  makeTrackedRevision,
  makeTrackedWorkload,
  revisionLabel,
  updateNewRevision
} from "./workloadTrack.ts"
import type { ControllerRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { KubeObject, Pod } from "../../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../../recording/entry.ts"
import type { CountedPods } from "./countedPods.ts"
import type { RevisionObject, TrackedRevision, TrackedWorkload } from "./workloadTrack.ts"

export interface TrackedObjects {
  readonly workloads: Map<string, TrackedWorkload>
  readonly revisions: Map<string, TrackedRevision>
  readonly countedPods: CountedPods
  /** Events involve objects by name. */
  readonly namedOwners: Map<string, NamedOwner>
  /** Entries up to this number are initial objects, not changes. */
  lastInitialNumber: number
}

interface NamedOwner {
  readonly tracked: TrackedWorkload | TrackedRevision
  /** The number of the entry that deleted the Pod, whose Events may still arrive. */
  readonly deletedNumber?: number
}

export const makeTrackedObjects = (lastInitialNumber: number): TrackedObjects => ({
  workloads: new Map(),
  revisions: new Map(),
  countedPods: { podsByUid: new Map(), dueList: makeDueList(), nowMillis: -Infinity },
  namedOwners: new Map(),
  lastInitialNumber
})

/** Returns the workloads that may need a new row. */
type EntryTracker = (objects: TrackedObjects, entry: ObjectEntry) => ReadonlyArray<TrackedWorkload>

const trackWorkload: EntryTracker = (objects, { change, number, object }) => {
  const trackedWorkload = trackedWorkloadOf(objects, object.metadata.uid)
  const before = trackedWorkload.workload
  objects.namedOwners.set(objectKey(object), { tracked: trackedWorkload })
  trackedWorkload.workload = object
  trackedWorkload.isGone = change === "DELETED"
  if (hasControllerRevisions(object))
    for (const trackedRevision of trackedWorkload.revisions.values())
      setMinReadySeconds(objects.countedPods, trackedRevision, object)
  if (hasNewTemplate(before, object)) updateNewRevision(trackedWorkload)
  if (number <= objects.lastInitialNumber || trackedWorkload.isGone) return [trackedWorkload]
  const atMillis = objects.countedPods.nowMillis
  for (const conditionChange of conditionChanges(before, object, { number, atMillis }))
    addTimelineEvent(trackedWorkload, conditionChange)
  return [trackedWorkload]
}

const trackReplicaSet: EntryTracker = (objects, entry) => {
  const { object } = entry
  const trackedRevision = trackedRevisionOf(objects, object.metadata.uid)
  objects.namedOwners.set(objectKey(object), { tracked: trackedRevision })
  setMinReadySeconds(objects.countedPods, trackedRevision, object)
  return trackRevision(objects, trackedRevision, entry, controllerOf(object)?.uid)
}

/** A Job without a CronJob is a workload with itself as its only revision. */
const trackJob: EntryTracker = (objects, entry) => {
  const { object } = entry
  const { uid } = object.metadata
  const owner = controllerOf(object)
  const cronJobUid = owner?.kind === "CronJob" ? owner.uid : undefined
  const trackedRevision = trackedRevisionOf(objects, uid)
  if (cronJobUid === undefined) trackWorkload(objects, entry)
  else objects.namedOwners.set(objectKey(object), { tracked: trackedRevision })
  return trackRevision(objects, trackedRevision, entry, cronJobUid ?? uid)
}

const trackControllerRevision: EntryTracker = (objects, entry) => {
  const owner = controllerOf(entry.object)
  if (owner === undefined || !hasControllerRevisions(owner)) return []
  const hash = podRevisionOf(owner.kind, entry.object as ControllerRevision)
  return trackRevision(objects, revisionWithHash(objects, owner.uid, hash), entry, owner.uid)
}

const trackPod: EntryTracker = (objects, { change, number, object }) => {
  const { namedOwners, countedPods } = objects
  const pod = object as Pod
  const { uid } = pod.metadata
  const isDeleted = change === "DELETED"
  const previousOwner = countedPods.podsByUid.get(uid)?.trackedRevision.owner
  const trackedRevision = revisionOfPod(objects, pod)
  const key = objectKey(pod)
  const tracked = trackedRevision ?? (isDeleted ? namedOwners.get(key)?.tracked : undefined)
  if (tracked !== undefined)
    namedOwners.set(key, isDeleted ? { tracked, deletedNumber: number } : { tracked })
  if (isDeleted || trackedRevision === undefined) uncountPod(countedPods, uid)
  else if (!countPod(countedPods, pod, trackedRevision)) return []
  return distinctWorkloads(previousOwner, trackedRevision?.owner)
}

const trackEvent: EntryTracker = (objects, entry) => {
  const { involvedObject } = normalizeEvent(entry.object)
  const trackedWorkload = workloadNamed(objects, nameKey(involvedObject))
  const timelineEvent = entry.number > objects.lastInitialNumber ? timelineEventOf(entry) : undefined
  if (timelineEvent !== undefined && trackedWorkload !== undefined)
    addTimelineEvent(trackedWorkload, { ...timelineEvent, atMillis: objects.countedPods.nowMillis })
  return []
}

/** By resource. */
export const entryTrackers: Readonly<Partial<Record<string, EntryTracker>>> = {
  deployments: trackWorkload,
  replicasets: trackReplicaSet,
  statefulsets: trackWorkload,
  daemonsets: trackWorkload,
  controllerrevisions: trackControllerRevision,
  cronjobs: trackWorkload,
  jobs: trackJob,
  horizontalpodautoscalers: trackWorkload,
  pods: trackPod,
  events: trackEvent
}

const trackRevision = (
  objects: TrackedObjects,
  trackedRevision: TrackedRevision,
  { change, object }: ObjectEntry,
  ownerUid: string | undefined
): ReadonlyArray<TrackedWorkload> => {
  const revisionObject = object as RevisionObject
  const { object: before, owner: previousOwner } = trackedRevision
  trackedRevision.object = change === "DELETED" ? undefined : revisionObject
  assignOwner(trackedRevision, ownerUid === undefined ? undefined : trackedWorkloadOf(objects, ownerUid))
  const revision = revisionLabel(revisionObject)
  const hasNewNumber = revision !== trackedRevision.counts.revision
  if (hasNewNumber) trackedRevision.counts = { ...trackedRevision.counts, revision }
  const affected = distinctWorkloads(previousOwner, trackedRevision.owner)
  const mayChangeNewRevision =
    hasNewNumber || hasNewTemplate(before, revisionObject) || affected.length > 1 || change !== "MODIFIED"
  if (mayChangeNewRevision) for (const trackedWorkload of affected) updateNewRevision(trackedWorkload)
  return affected
}

const revisionOfPod = (objects: TrackedObjects, pod: Pod): TrackedRevision | undefined => {
  const owner = controllerOf(pod)
  if (owner?.kind === "ReplicaSet" || owner?.kind === "Job") return trackedRevisionOf(objects, owner.uid)
  return owner !== undefined && hasControllerRevisions(owner)
    ? revisionWithHash(objects, owner.uid, pod.metadata.labels?.[podRevisionLabel] ?? "")
    : undefined
}

const revisionWithHash = (objects: TrackedObjects, workloadUid: string, hash: string): TrackedRevision => {
  const trackedRevision = trackedRevisionOf(objects, `${workloadUid} ${hash}`)
  if (trackedRevision.owner !== undefined) return trackedRevision
  const trackedWorkload = trackedWorkloadOf(objects, workloadUid)
  assignOwner(trackedRevision, trackedWorkload)
  if (trackedWorkload.workload !== undefined)
    setMinReadySeconds(objects.countedPods, trackedRevision, trackedWorkload.workload)
  return trackedRevision
}

const trackedWorkloadOf = ({ workloads }: TrackedObjects, uid: string): TrackedWorkload =>
  getOrMake(workloads, uid, makeTrackedWorkload)

const trackedRevisionOf = ({ revisions }: TrackedObjects, uid: string): TrackedRevision =>
  getOrMake(revisions, uid, makeTrackedRevision)

const getOrMake = <A>(all: Map<string, A>, uid: string, make: (uid: string) => A): A => {
  const existing = all.get(uid)
  if (existing !== undefined) return existing
  const created = make(uid)
  all.set(uid, created)
  return created
}

const distinctWorkloads = (
  a: TrackedWorkload | undefined,
  b: TrackedWorkload | undefined
): ReadonlyArray<TrackedWorkload> =>
  a === undefined || a === b ? (b === undefined ? [] : [b]) : b === undefined ? [a] : [a, b]

const hasControllerRevisions = ({ kind }: { readonly kind: string }): boolean =>
  kind === "StatefulSet" || kind === "DaemonSet"

/** A changed template implies a changed generation. */
const hasNewTemplate = (before: KubeObject | undefined, after: KubeObject): boolean =>
  before === undefined ||
  (before.metadata.generation !== after.metadata.generation && templateOf(before) !== templateOf(after))

const templateOf = (object: KubeObject): unknown =>
  (object as { readonly spec?: { readonly template?: unknown } }).spec?.template

export const workloadNamed = ({ namedOwners }: TrackedObjects, key: string): TrackedWorkload | undefined => {
  const tracked = namedOwners.get(key)?.tracked
  return tracked === undefined || "revisions" in tracked ? tracked : tracked.owner
}

const noOwner = undefined

export const forgetGoneObjects = (objects: TrackedObjects, number: number): void => {
  const { workloads, revisions, namedOwners } = objects
  for (const { uid, rows, isGone, revisionsWithPods } of workloads.values()) {
    const isUnchangedSince = (rows.at(-1)?.number ?? 0) <= number
    if (isGone && revisionsWithPods.size === 0 && isUnchangedSince) workloads.delete(uid)
  }
  for (const trackedRevision of revisions.values()) {
    const { uid, object, owner } = trackedRevision
    if (object !== undefined || owner?.revisionsWithPods.has(trackedRevision) === true) continue
    assignOwner(trackedRevision, noOwner)
    revisions.delete(uid)
  }
  for (const [key, { deletedNumber = Infinity }] of namedOwners) {
    const uid = workloadNamed(objects, key)?.uid
    if (deletedNumber <= number || uid === undefined || !workloads.has(uid)) namedOwners.delete(key)
  }
}
