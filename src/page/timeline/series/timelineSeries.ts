import { toCompleteEvent } from "../../../kubernetes/meta/completeEvent.ts"
import {
  updateNewRevision,
  addPodCount,
  addEvent,
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
import { addressedObjectKey, nameKey, objectKey } from "../../pageAddress.ts"
import type {
  TrackedRevision,
  TimelineMoment,
  TrackRow,
  PodReadiness,
  TrackedWorkload
} from "./workloadTrack.ts"
import type { Deployment, Pod, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../../recording/entry.ts"
import type { TimelineEvent } from "./timelineEvents.ts"
import type { PageAddress } from "../../pageAddress.ts"

/** What a timeline draws, computed incrementally: an entry costs the same however many Pods there are. */
export interface TimelineSeries {
  readonly add: (entry: ObjectEntry) => void
  /** Drops what was before a moment, except for the state at that moment. */
  readonly forgetBefore: (number: number) => void
  /** In order of creation, deleted ones included. */
  readonly tracks: () => ReadonlyArray<WorkloadTrack>
  readonly trackOf: (address: PageAddress) => WorkloadTrack | undefined
  readonly moments: ReadonlyArray<TimelineMoment>
}

/** One Deployment over time. The lists only grow, except when old entries are forgotten. */
export interface WorkloadTrack {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<TrackRow>
  readonly events: ReadonlyArray<TimelineEvent>
  readonly moments: ReadonlyArray<TimelineMoment>
}

interface PodCount {
  readonly trackedRevision: TrackedRevision
  readonly readiness: PodReadiness | undefined
  /** When it became ready; Infinity if it is not. */
  readonly sinceMillis: number
  isAvailable: boolean
}

interface NamedOwner {
  readonly tracked: TrackedWorkload | TrackedRevision
  /** The number of the entry that deleted the Pod. Events of it may still arrive. */
  readonly deletedNumber?: number
}

/** Entries up to `beginNumber` are initial objects, not changes. */
export const makeTimelineSeries = (beginNumber = 0): TimelineSeries => {
  const deployments = new Map<string, TrackedWorkload>()
  const replicaSets = new Map<string, TrackedRevision>()
  const pods = new Map<string, PodCount>()
  /** By the key of a Deployment, ReplicaSet or Pod: events involve objects by name. */
  const namedOwners = new Map<string, NamedOwner>()
  /** Ready Pods, due when minReadySeconds have passed and they become available. */
  const dueList = makeDueList<PodCount>()
  const moments: Array<TimelineMoment> = []
  const countedPods = new Set<PodCount>()
  let firstNumber = beginNumber
  let nowMillis = -Infinity

  const trackedWorkloadOf = (uid: string): TrackedWorkload => getOrMake(deployments, uid, makeTrackedWorkload)
  const trackedRevisionOf = (uid: string): TrackedRevision => getOrMake(replicaSets, uid, makeTrackedRevision)
  const countIn = (pod: PodCount): void => {
    const { readiness, sinceMillis, trackedRevision } = pod
    const atMillis = sinceMillis + trackedRevision.minReadyMillis
    pod.isAvailable = readiness === "ready" && (trackedRevision.minReadyMillis === 0 || atMillis <= nowMillis)
    if (readiness === "ready" && !pod.isAvailable && atMillis < Infinity) dueList.add(atMillis, pod)
    addPodCount(trackedRevision, pod, 1)
    countedPods.add(pod)
  }
  const countOut = (pod: PodCount | undefined): void => {
    if (pod === undefined) return
    addPodCount(pod.trackedRevision, pod, -1)
    countedPods.delete(pod)
  }

  const addDeployment = ({ change, number, object }: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const trackedWorkload = trackedWorkloadOf(uid)
    const before = trackedWorkload.deployment
    namedOwners.set(objectKey(deployment), { tracked: trackedWorkload })
    trackedWorkload.deployment = deployment
    trackedWorkload.isGone = change === "DELETED"
    if (hasOtherTemplate(before, deployment)) updateNewRevision(trackedWorkload)
    if (number <= firstNumber || trackedWorkload.isGone) return [trackedWorkload]
    for (const it of conditionChanges(before, deployment, { number, atMillis: nowMillis }))
      addEvent(trackedWorkload, it)
    return [trackedWorkload]
  }
  const addReplicaSet = ({ change, object }: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const replicaSet = object as ReplicaSet
    const trackedRevision = trackedRevisionOf(replicaSet.metadata.uid)
    const [before, previousOwner] = [trackedRevision.replicaSet, trackedRevision.owner]
    namedOwners.set(objectKey(replicaSet), { tracked: trackedRevision })
    trackedRevision.replicaSet = change === "DELETED" ? undefined : replicaSet
    const owner = controllerOf(replicaSet)?.uid
    assignOwner(trackedRevision, owner === undefined ? undefined : trackedWorkloadOf(owner))
    const revision = revisionLabel(replicaSet)
    if (revision !== trackedRevision.counts.revision)
      trackedRevision.counts = { ...trackedRevision.counts, revision }
    const minReadyMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
    if (minReadyMillis !== trackedRevision.minReadyMillis) {
      // A changed minReadySeconds is rare, and the only change that visits every counted Pod.
      const ownPods = [...countedPods].filter((pod) => pod.trackedRevision === trackedRevision)
      for (const pod of ownPods) countOut(pod)
      trackedRevision.minReadyMillis = minReadyMillis
      for (const pod of ownPods) countIn(pod)
    }
    const hasNewTemplate = hasOtherTemplate(before, replicaSet)
    const affected = distinctWorkloads(previousOwner, trackedRevision.owner)
    if (hasNewTemplate || affected.length > 1 || change !== "MODIFIED")
      for (const trackedWorkload of affected) updateNewRevision(trackedWorkload)
    return affected
  }
  const addPod = ({ change, number, object }: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const before = pods.get(uid)
    const owner = controllerOf(pod)
    const trackedRevision = owner?.kind === "ReplicaSet" ? trackedRevisionOf(owner.uid) : undefined
    const key = objectKey(pod)
    const tracked = trackedRevision ?? (change === "DELETED" ? namedOwners.get(key)?.tracked : undefined)
    if (tracked !== undefined)
      namedOwners.set(key, change === "DELETED" ? { tracked, deletedNumber: number } : { tracked })
    const isGone = change === "DELETED" || trackedRevision === undefined
    const readiness = isGone ? undefined : readinessOf(pod)
    const sinceMillis = readiness === "ready" ? (readySinceMillis(pod) ?? Infinity) : Infinity
    if (
      !isGone &&
      before?.trackedRevision === trackedRevision &&
      before.readiness === readiness &&
      before.sinceMillis === sinceMillis
    )
      return []
    countOut(before)
    if (isGone) pods.delete(uid)
    else {
      const podCount = { trackedRevision, readiness, sinceMillis, isAvailable: false }
      pods.set(uid, podCount)
      countIn(podCount)
    }
    return distinctWorkloads(before?.trackedRevision.owner, trackedRevision?.owner)
  }
  const addEventEntry = (entry: ObjectEntry): ReadonlyArray<TrackedWorkload> => {
    const { involvedObject } = toCompleteEvent(entry.object)
    const trackedWorkload = workloadOfName(namedOwners.get(nameKey(involvedObject)))
    const timelineEvent = entry.number > firstNumber ? timelineEventOf(entry) : undefined
    if (timelineEvent !== undefined && trackedWorkload !== undefined)
      addEvent(trackedWorkload, { ...timelineEvent, atMillis: nowMillis })
    return []
  }
  const handlers: Readonly<Partial<Record<string, (entry: ObjectEntry) => ReadonlyArray<TrackedWorkload>>>> =
    {
      deployments: addDeployment,
      replicasets: addReplicaSet,
      pods: addPod,
      events: addEventEntry
    }

  return {
    add: (entry) => {
      const handle = handlers[entry.resource]
      if (handle === undefined) return
      // Recorded times may go backwards when a clock is set back; drawn times do not.
      const atMillis = Math.max(nowMillis, entry.atMillis)
      for (let next = dueList.take(atMillis); next !== undefined; next = dueList.take(atMillis)) {
        const { item: pod } = next
        if (!countedPods.has(pod) || pod.isAvailable) continue
        countOut(pod)
        nowMillis = Math.max(nowMillis, next.atMillis)
        countIn(pod)
        if (pod.trackedRevision.owner !== undefined)
          recordRow(pod.trackedRevision.owner, entry.number, nowMillis)
      }
      nowMillis = atMillis
      addMoment(moments, { number: entry.number, atMillis })
      // All initial objects together make one row.
      const number = Math.max(firstNumber, entry.number)
      for (const trackedWorkload of handle(entry)) recordRow(trackedWorkload, number, atMillis)
    },
    forgetBefore: (number) => {
      firstNumber = number
      for (const trackedWorkload of deployments.values()) {
        const { uid, rows, events, isGone, withPods } = trackedWorkload
        dropBefore(trackedWorkload.moments, number, 1)
        dropBefore(rows, number, 1)
        dropBefore(events, number, 0)
        if (isGone && withPods.size === 0 && (rows.at(-1)?.number ?? 0) <= number) deployments.delete(uid)
      }
      for (const trackedRevision of replicaSets.values()) {
        if (
          trackedRevision.replicaSet !== undefined ||
          trackedRevision.owner?.withPods.has(trackedRevision) === true
        )
          continue
        assignOwner(trackedRevision, undefined)
        replicaSets.delete(trackedRevision.uid)
      }
      for (const [key, namedOwner] of namedOwners) {
        const uid = workloadOfName(namedOwner)?.uid
        const isGone = (namedOwner.deletedNumber ?? Infinity) <= number
        if (isGone || uid === undefined || !deployments.has(uid)) namedOwners.delete(key)
      }
      dropBefore(moments, number, 1)
    },
    tracks: () => [...deployments.values()].flatMap((trackedWorkload) => toTrack(trackedWorkload) ?? []),
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
  return "replicaSets" in tracked ? tracked : tracked.owner
}

/** A changed template implies a changed generation. */
const hasOtherTemplate = <A extends Deployment | ReplicaSet>(before: A | undefined, after: A): boolean =>
  before === undefined ||
  (before.metadata.generation !== after.metadata.generation && before.spec.template !== after.spec.template)

const toTrack = ({ uid, deployment, rows, events, moments }: TrackedWorkload): WorkloadTrack | undefined =>
  deployment === undefined
    ? undefined
    : {
        uid,
        namespace: deployment.metadata.namespace ?? "",
        name: deployment.metadata.name,
        rows,
        events,
        moments
      }

const distinctWorkloads = (
  a: TrackedWorkload | undefined,
  b: TrackedWorkload | undefined
): ReadonlyArray<TrackedWorkload> =>
  a === undefined || a === b ? (b === undefined ? [] : [b]) : b === undefined ? [a] : [a, b]

/** Undefined for Pods that have ended and are not counted. */
const readinessOf = (pod: Pod): PodReadiness | undefined => {
  if (isPodTerminating(pod)) return "terminating"
  if (!isPodActive(pod)) return undefined
  return isPodReady(pod) ? "ready" : "notReady"
}

const dropBefore = (list: Array<{ readonly number: number }>, number: number, keptCount: number): void => {
  const after = list.findIndex((it) => it.number > number)
  list.splice(0, Math.max(0, (after === -1 ? list.length : after) - keptCount))
}
