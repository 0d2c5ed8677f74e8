import { normalizeEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import {
  updateNewRevision,
  addPodCount,
  addTimelineEvent,
  assignOwner,
  makeTrackedRevision,
  makeTrackedWorkload,
  addMoment,
  recordRow,
  revisionLabel
} from "./workloadTrack.ts"
import { conditionChanges, timelineEventOf } from "./timelineEvents.ts"
import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import {
  isPodActive,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../../kubernetes/pods/podState.ts"
import { makeDueList } from "./dueList.ts"
import {
  podRevisionLabel,
  podRevisionOf
} from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { addressedObjectKey, nameKey, objectKey } from "../../pageAddress.ts"
import type {
  RevisionObject,
  TrackedRevision,
  TimelineMoment,
  TrackRow,
  PodReadiness,
  TrackedWorkload
} from "./workloadTrack.ts"
import type { ControllerRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { KubeObject, Pod } from "../../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../../recording/entry.ts"
import type { TimelineEvent } from "./timelineEvents.ts"
import type { PageAddress } from "../../pageAddress.ts"

/** The Pods of each workload over time. The cost of an entry does not depend on their number. */
export interface TimelineSeries {
  readonly add: (entry: ObjectEntry) => void
  /** Drops what was before a moment, except for the state at that moment. */
  readonly forgetBefore: (number: number) => void
  /** In order of creation, deleted ones included. */
  readonly tracks: () => ReadonlyArray<WorkloadTrack>
  readonly trackOf: (address: PageAddress) => WorkloadTrack | undefined
  /** The first entry at each time. */
  readonly moments: ReadonlyArray<TimelineMoment>
}

/** The lists only grow, except when old entries are forgotten. */
export interface WorkloadTrack {
  readonly uid: string
  readonly kind: PageAddress["kind"]
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<TrackRow>
  readonly events: ReadonlyArray<TimelineEvent>
  /** The first row or event at each time. */
  readonly moments: ReadonlyArray<TimelineMoment>
}

interface CountedPod {
  readonly trackedRevision: TrackedRevision
  readonly readiness: PodReadiness | undefined
  /** When the Pod became ready; Infinity if it is not ready. */
  readonly readyMillis: number
  isAvailable: boolean
}

interface NamedOwner {
  readonly tracked: TrackedWorkload | TrackedRevision
  /** The number of the entry that deleted the Pod, whose Events may still arrive. */
  readonly deletedNumber?: number
}

/** Entries up to `beginNumber` are initial objects, not changes. */
export const makeTimelineSeries = (beginNumber = 0): TimelineSeries => {
  const workloads = new Map<string, TrackedWorkload>()
  const revisions = new Map<string, TrackedRevision>()
  const pods = new Map<string, CountedPod>()
  /** Events involve objects by name. */
  const namedOwners = new Map<string, NamedOwner>()
  /** Ready Pods, due when minReadySeconds have passed. */
  const dueList = makeDueList<CountedPod>()
  const moments: Array<TimelineMoment> = []
  const countedPods = new Set<CountedPod>()
  let lastInitialNumber = beginNumber
  let nowMillis = -Infinity

  const trackedWorkloadOf = (uid: string): TrackedWorkload => getOrMake(workloads, uid, makeTrackedWorkload)
  const trackedRevisionOf = (uid: string): TrackedRevision => getOrMake(revisions, uid, makeTrackedRevision)
  const addToCounts = (pod: CountedPod): void => {
    const { readiness, readyMillis, trackedRevision } = pod
    const availableMillis = readyMillis + trackedRevision.minReadyMillis
    pod.isAvailable =
      readiness === "ready" && (trackedRevision.minReadyMillis === 0 || availableMillis <= nowMillis)
    if (readiness === "ready" && !pod.isAvailable && availableMillis < Infinity)
      dueList.add(availableMillis, pod)
    addPodCount(trackedRevision, pod, 1)
    countedPods.add(pod)
  }
  const removeFromCounts = (pod: CountedPod | undefined): void => {
    if (pod === undefined) return
    addPodCount(pod.trackedRevision, pod, -1)
    countedPods.delete(pod)
  }

  const setMinReadySeconds = (trackedRevision: TrackedRevision, object: KubeObject): void => {
    const { spec = {} } = object as { readonly spec?: { readonly minReadySeconds?: number } }
    const minReadyMillis = (spec.minReadySeconds ?? 0) * 1000
    if (minReadyMillis === trackedRevision.minReadyMillis) return
    // A changed minReadySeconds is rare, and the only change that visits every counted Pod.
    const ownPods = [...countedPods].filter((pod) => pod.trackedRevision === trackedRevision)
    for (const pod of ownPods) removeFromCounts(pod)
    trackedRevision.minReadyMillis = minReadyMillis
    for (const pod of ownPods) addToCounts(pod)
  }
  const addWorkload = ({ change, number, object }: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const trackedWorkload = trackedWorkloadOf(object.metadata.uid)
    const before = trackedWorkload.workload
    namedOwners.set(objectKey(object), { tracked: trackedWorkload })
    trackedWorkload.workload = object
    trackedWorkload.isGone = change === "DELETED"
    if (hasControllerRevisions(object))
      for (const trackedRevision of trackedWorkload.revisions.values())
        setMinReadySeconds(trackedRevision, object)
    if (hasNewTemplate(before, object)) updateNewRevision(trackedWorkload)
    if (number <= lastInitialNumber || trackedWorkload.isGone) return [trackedWorkload]
    for (const it of conditionChanges(before, object, { number, atMillis: nowMillis }))
      addTimelineEvent(trackedWorkload, it)
    return [trackedWorkload]
  }
  const addRevision = (
    trackedRevision: TrackedRevision,
    { change, object }: ObjectEntry,
    ownerUid: string | undefined
  ): ReadonlyArray<TrackedWorkload> => {
    const revisionObject = object as RevisionObject
    const [before, previousOwner] = [trackedRevision.object, trackedRevision.owner]
    trackedRevision.object = change === "DELETED" ? undefined : revisionObject
    assignOwner(trackedRevision, ownerUid === undefined ? undefined : trackedWorkloadOf(ownerUid))
    const revision = revisionLabel(revisionObject)
    const hasNewNumber = revision !== trackedRevision.counts.revision
    if (hasNewNumber) trackedRevision.counts = { ...trackedRevision.counts, revision }
    const affected = distinctWorkloads(previousOwner, trackedRevision.owner)
    const mayChangeNewRevision =
      hasNewNumber || hasNewTemplate(before, revisionObject) || affected.length > 1 || change !== "MODIFIED"
    if (mayChangeNewRevision) for (const trackedWorkload of affected) updateNewRevision(trackedWorkload)
    return affected
  }
  const addReplicaSet = (entry: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const { object } = entry
    const trackedRevision = trackedRevisionOf(object.metadata.uid)
    namedOwners.set(objectKey(object), { tracked: trackedRevision })
    setMinReadySeconds(trackedRevision, object)
    return addRevision(trackedRevision, entry, controllerOf(object)?.uid)
  }
  /** A Job without a CronJob is a workload with itself as its only revision. */
  const addJob = (entry: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const { object } = entry
    const { uid } = object.metadata
    const owner = controllerOf(object)
    const cronJobUid = owner?.kind === "CronJob" ? owner.uid : undefined
    const trackedRevision = trackedRevisionOf(uid)
    if (cronJobUid === undefined) addWorkload(entry)
    else namedOwners.set(objectKey(object), { tracked: trackedRevision })
    return addRevision(trackedRevision, entry, cronJobUid ?? uid)
  }
  const revisionWithHash = (workloadUid: string, hash: string): TrackedRevision => {
    const trackedRevision = trackedRevisionOf(`${workloadUid} ${hash}`)
    if (trackedRevision.owner !== undefined) return trackedRevision
    const trackedWorkload = trackedWorkloadOf(workloadUid)
    assignOwner(trackedRevision, trackedWorkload)
    if (trackedWorkload.workload !== undefined) setMinReadySeconds(trackedRevision, trackedWorkload.workload)
    return trackedRevision
  }
  const addControllerRevision = (entry: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const owner = controllerOf(entry.object)
    if (owner === undefined || !hasControllerRevisions(owner)) return []
    const hash = podRevisionOf(owner.kind, entry.object as ControllerRevision)
    return addRevision(revisionWithHash(owner.uid, hash), entry, owner.uid)
  }
  const revisionOfPod = (pod: Pod): TrackedRevision | undefined => {
    const owner = controllerOf(pod)
    if (owner?.kind === "ReplicaSet" || owner?.kind === "Job") return trackedRevisionOf(owner.uid)
    return owner !== undefined && hasControllerRevisions(owner)
      ? revisionWithHash(owner.uid, pod.metadata.labels?.[podRevisionLabel] ?? "")
      : undefined
  }
  const addPod = ({ change, number, object }: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const before = pods.get(uid)
    const trackedRevision = revisionOfPod(pod)
    const key = objectKey(pod)
    const tracked = trackedRevision ?? (change === "DELETED" ? namedOwners.get(key)?.tracked : undefined)
    if (tracked !== undefined)
      namedOwners.set(key, change === "DELETED" ? { tracked, deletedNumber: number } : { tracked })
    const isGone = change === "DELETED" || trackedRevision === undefined
    const readiness = isGone ? undefined : readinessOf(pod)
    const readyMillis = readiness === "ready" ? (readySinceMillis(pod) ?? Infinity) : Infinity
    if (
      !isGone &&
      before?.trackedRevision === trackedRevision &&
      before.readiness === readiness &&
      before.readyMillis === readyMillis
    )
      return []
    removeFromCounts(before)
    if (isGone) pods.delete(uid)
    else {
      const countedPod = { trackedRevision, readiness, readyMillis, isAvailable: false }
      pods.set(uid, countedPod)
      addToCounts(countedPod)
    }
    return distinctWorkloads(before?.trackedRevision.owner, trackedRevision?.owner)
  }
  const addEventEntry = (entry: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const { involvedObject } = normalizeEvent(entry.object)
    const trackedWorkload = workloadOfName(namedOwners.get(nameKey(involvedObject)))
    const timelineEvent = entry.number > lastInitialNumber ? timelineEventOf(entry) : undefined
    if (timelineEvent !== undefined && trackedWorkload !== undefined)
      addTimelineEvent(trackedWorkload, { ...timelineEvent, atMillis: nowMillis })
    return []
  }
  const handlers: Readonly<Partial<Record<string, (entry: ObjectEntry) => ReadonlyArray<TrackedWorkload>>>> =
    {
      deployments: addWorkload,
      replicasets: addReplicaSet,
      statefulsets: addWorkload,
      daemonsets: addWorkload,
      controllerrevisions: addControllerRevision,
      cronjobs: addWorkload,
      jobs: addJob,
      horizontalpodautoscalers: addWorkload,
      pods: addPod,
      events: addEventEntry
    }

  return {
    add: (entry) => {
      const handle = handlers[entry.resource]
      if (handle === undefined) return
      // A clock may be set back; drawn times do not go back.
      const atMillis = Math.max(nowMillis, entry.atMillis)
      for (let next = dueList.take(atMillis); next !== undefined; next = dueList.take(atMillis)) {
        const { item: pod } = next
        if (!countedPods.has(pod) || pod.isAvailable) continue
        removeFromCounts(pod)
        nowMillis = Math.max(nowMillis, next.atMillis)
        addToCounts(pod)
        if (pod.trackedRevision.owner !== undefined)
          recordRow(pod.trackedRevision.owner, entry.number, nowMillis)
      }
      nowMillis = atMillis
      addMoment(moments, { number: entry.number, atMillis })
      // All initial objects together make one row.
      const number = Math.max(lastInitialNumber, entry.number)
      for (const trackedWorkload of handle(entry)) recordRow(trackedWorkload, number, atMillis)
    },
    forgetBefore: (number) => {
      lastInitialNumber = number
      for (const trackedWorkload of workloads.values()) {
        const { uid, rows, events, isGone, revisionsWithPods } = trackedWorkload
        dropBefore(trackedWorkload.moments, number, 1)
        dropBefore(rows, number, 1)
        dropBefore(events, number, 0)
        if (isGone && revisionsWithPods.size === 0 && (rows.at(-1)?.number ?? 0) <= number)
          workloads.delete(uid)
      }
      for (const trackedRevision of revisions.values()) {
        if (
          trackedRevision.object !== undefined ||
          trackedRevision.owner?.revisionsWithPods.has(trackedRevision) === true
        )
          continue
        assignOwner(trackedRevision, undefined)
        revisions.delete(trackedRevision.uid)
      }
      for (const [key, namedOwner] of namedOwners) {
        const uid = workloadOfName(namedOwner)?.uid
        const isGone = (namedOwner.deletedNumber ?? Infinity) <= number
        if (isGone || uid === undefined || !workloads.has(uid)) namedOwners.delete(key)
      }
      dropBefore(moments, number, 1)
    },
    tracks: () => [...workloads.values()].flatMap((trackedWorkload) => toTrack(trackedWorkload) ?? []),
    trackOf: (address) => {
      const trackedWorkload = workloadOfName(namedOwners.get(addressedObjectKey(address)))
      return trackedWorkload === undefined ? undefined : toTrack(trackedWorkload)
    },
    moments
  }
}

const getOrMake = <A>(all: Map<string, A>, uid: string, make: (uid: string) => A): A => {
  const existing = all.get(uid)
  if (existing !== undefined) return existing
  const created = make(uid)
  all.set(uid, created)
  return created
}

const workloadOfName = (namedOwner: NamedOwner | undefined): TrackedWorkload | undefined => {
  if (namedOwner === undefined) return undefined
  const { tracked } = namedOwner
  return "revisions" in tracked ? tracked : tracked.owner
}

const hasControllerRevisions = ({ kind }: { readonly kind: string }): boolean =>
  kind === "StatefulSet" || kind === "DaemonSet"

/** A changed template implies a changed generation. */
const hasNewTemplate = (before: KubeObject | undefined, after: KubeObject): boolean =>
  before === undefined ||
  (before.metadata.generation !== after.metadata.generation && templateOf(before) !== templateOf(after))

const templateOf = (object: KubeObject): unknown =>
  (object as { readonly spec?: { readonly template?: unknown } }).spec?.template

const toTrack = ({ uid, workload, rows, events, moments }: TrackedWorkload): WorkloadTrack | undefined => {
  if (workload === undefined) return undefined
  const { namespace = "", name } = workload.metadata
  return { uid, kind: workload.kind as PageAddress["kind"], namespace, name, rows, events, moments }
}

const distinctWorkloads = (
  a: TrackedWorkload | undefined,
  b: TrackedWorkload | undefined
): ReadonlyArray<TrackedWorkload> =>
  a === undefined || a === b ? (b === undefined ? [] : [b]) : b === undefined ? [a] : [a, b]

/** Pods that have ended are not counted. */
const readinessOf = (pod: Pod): PodReadiness | undefined => {
  if (isPodTerminating(pod)) return "terminating"
  if (!isPodActive(pod)) return undefined
  return isPodReady(pod) ? "ready" : "notReady"
}

/** `keptCount`: 1 where an item tells the state until the next one. */
const dropBefore = (list: Array<{ readonly number: number }>, number: number, keptCount: number): void => {
  const after = list.findIndex((it) => it.number > number)
  list.splice(0, Math.max(0, (after === -1 ? list.length : after) - keptCount))
}
