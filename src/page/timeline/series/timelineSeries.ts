import { toCompleteEvent } from "../../../kubernetes/meta/completeEvent.ts"
import {
  updateNewReplicaSet,
  addPodCount,
  addEvent,
  assignOwner,
  makeTrackedReplicaSet,
  makeTrackedDeployment,
  addMoment,
  recordRow,
  revisionLabel
} from "./deploymentTrack.ts"
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
  TrackedReplicaSet,
  TimelineMoment,
  TrackRow,
  PodReadiness,
  TrackedDeployment
} from "./deploymentTrack.ts"
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
  readonly tracks: () => ReadonlyArray<DeploymentTrack>
  readonly trackOf: (address: PageAddress) => DeploymentTrack | undefined
  readonly moments: ReadonlyArray<TimelineMoment>
}

/** One Deployment over time. The lists only grow, except when old entries are forgotten. */
export interface DeploymentTrack {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<TrackRow>
  readonly events: ReadonlyArray<TimelineEvent>
  readonly moments: ReadonlyArray<TimelineMoment>
}

interface PodCount {
  readonly trackedReplicaSet: TrackedReplicaSet
  readonly readiness: PodReadiness | undefined
  /** When it became ready; Infinity if it is not. */
  readonly sinceMillis: number
  isAvailable: boolean
}

interface NamedOwner {
  readonly tracked: TrackedDeployment | TrackedReplicaSet
  /** The number of the entry that deleted the Pod. Events of it may still arrive. */
  readonly deletedNumber?: number
}

/** Entries up to `beginNumber` are initial objects, not changes. */
export const makeTimelineSeries = (beginNumber = 0): TimelineSeries => {
  const deployments = new Map<string, TrackedDeployment>()
  const replicaSets = new Map<string, TrackedReplicaSet>()
  const pods = new Map<string, PodCount>()
  /** By the key of a Deployment, ReplicaSet or Pod: events involve objects by name. */
  const namedOwners = new Map<string, NamedOwner>()
  /** Ready Pods, due when minReadySeconds have passed and they become available. */
  const dueList = makeDueList<PodCount>()
  const moments: Array<TimelineMoment> = []
  const countedPods = new Set<PodCount>()
  let firstNumber = beginNumber
  let nowMillis = -Infinity

  const trackedDeploymentOf = (uid: string): TrackedDeployment =>
    getOrMake(deployments, uid, makeTrackedDeployment)
  const trackedReplicaSetOf = (uid: string): TrackedReplicaSet =>
    getOrMake(replicaSets, uid, makeTrackedReplicaSet)
  const countIn = (pod: PodCount): void => {
    const { readiness, sinceMillis, trackedReplicaSet } = pod
    const atMillis = sinceMillis + trackedReplicaSet.minReadyMillis
    pod.isAvailable =
      readiness === "ready" && (trackedReplicaSet.minReadyMillis === 0 || atMillis <= nowMillis)
    if (readiness === "ready" && !pod.isAvailable && atMillis < Infinity) dueList.add(atMillis, pod)
    addPodCount(trackedReplicaSet, pod, 1)
    countedPods.add(pod)
  }
  const countOut = (pod: PodCount | undefined): void => {
    if (pod === undefined) return
    addPodCount(pod.trackedReplicaSet, pod, -1)
    countedPods.delete(pod)
  }

  const addDeployment = ({ change, number, object }: ObjectEntry): ReadonlyArray<TrackedDeployment> => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const trackedDeployment = trackedDeploymentOf(uid)
    const before = trackedDeployment.deployment
    namedOwners.set(objectKey(deployment), { tracked: trackedDeployment })
    trackedDeployment.deployment = deployment
    trackedDeployment.isGone = change === "DELETED"
    if (hasOtherTemplate(before, deployment)) updateNewReplicaSet(trackedDeployment)
    if (number <= firstNumber || trackedDeployment.isGone) return [trackedDeployment]
    for (const it of conditionChanges(before, deployment, { number, atMillis: nowMillis }))
      addEvent(trackedDeployment, it)
    return [trackedDeployment]
  }
  const addReplicaSet = ({ change, object }: ObjectEntry): ReadonlyArray<TrackedDeployment> => {
    const replicaSet = object as ReplicaSet
    const trackedReplicaSet = trackedReplicaSetOf(replicaSet.metadata.uid)
    const [before, previousOwner] = [trackedReplicaSet.replicaSet, trackedReplicaSet.owner]
    namedOwners.set(objectKey(replicaSet), { tracked: trackedReplicaSet })
    trackedReplicaSet.replicaSet = change === "DELETED" ? undefined : replicaSet
    const owner = controllerOf(replicaSet)?.uid
    assignOwner(trackedReplicaSet, owner === undefined ? undefined : trackedDeploymentOf(owner))
    const revision = revisionLabel(replicaSet)
    if (revision !== trackedReplicaSet.counts.revision)
      trackedReplicaSet.counts = { ...trackedReplicaSet.counts, revision }
    const minReadyMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
    if (minReadyMillis !== trackedReplicaSet.minReadyMillis) {
      // A changed minReadySeconds is rare, and the only change that visits every counted Pod.
      const ownPods = [...countedPods].filter((pod) => pod.trackedReplicaSet === trackedReplicaSet)
      for (const pod of ownPods) countOut(pod)
      trackedReplicaSet.minReadyMillis = minReadyMillis
      for (const pod of ownPods) countIn(pod)
    }
    const hasNewTemplate = hasOtherTemplate(before, replicaSet)
    const affected = distinctDeployments(previousOwner, trackedReplicaSet.owner)
    if (hasNewTemplate || affected.length > 1 || change !== "MODIFIED")
      for (const trackedDeployment of affected) updateNewReplicaSet(trackedDeployment)
    return affected
  }
  const addPod = ({ change, number, object }: ObjectEntry): ReadonlyArray<TrackedDeployment> => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const before = pods.get(uid)
    const owner = controllerOf(pod)
    const trackedReplicaSet = owner?.kind === "ReplicaSet" ? trackedReplicaSetOf(owner.uid) : undefined
    const key = objectKey(pod)
    const tracked = trackedReplicaSet ?? (change === "DELETED" ? namedOwners.get(key)?.tracked : undefined)
    if (tracked !== undefined)
      namedOwners.set(key, change === "DELETED" ? { tracked, deletedNumber: number } : { tracked })
    const isGone = change === "DELETED" || trackedReplicaSet === undefined
    const readiness = isGone ? undefined : readinessOf(pod)
    const sinceMillis = readiness === "ready" ? (readySinceMillis(pod) ?? Infinity) : Infinity
    if (
      !isGone &&
      before?.trackedReplicaSet === trackedReplicaSet &&
      before.readiness === readiness &&
      before.sinceMillis === sinceMillis
    )
      return []
    countOut(before)
    if (isGone) pods.delete(uid)
    else {
      const podCount = { trackedReplicaSet, readiness, sinceMillis, isAvailable: false }
      pods.set(uid, podCount)
      countIn(podCount)
    }
    return distinctDeployments(before?.trackedReplicaSet.owner, trackedReplicaSet?.owner)
  }
  const addEventEntry = (entry: ObjectEntry): ReadonlyArray<TrackedDeployment> => {
    const { involvedObject } = toCompleteEvent(entry.object)
    const trackedDeployment = deploymentOfName(namedOwners.get(nameKey(involvedObject)))
    const timelineEvent = entry.number > firstNumber ? timelineEventOf(entry) : undefined
    if (timelineEvent !== undefined && trackedDeployment !== undefined)
      addEvent(trackedDeployment, { ...timelineEvent, atMillis: nowMillis })
    return []
  }
  const handlers: Readonly<
    Partial<Record<string, (entry: ObjectEntry) => ReadonlyArray<TrackedDeployment>>>
  > = {
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
        if (pod.trackedReplicaSet.owner !== undefined)
          recordRow(pod.trackedReplicaSet.owner, entry.number, nowMillis)
      }
      nowMillis = atMillis
      addMoment(moments, { number: entry.number, atMillis })
      // All initial objects together make one row.
      const number = Math.max(firstNumber, entry.number)
      for (const trackedDeployment of handle(entry)) recordRow(trackedDeployment, number, atMillis)
    },
    forgetBefore: (number) => {
      firstNumber = number
      for (const trackedDeployment of deployments.values()) {
        const { uid, rows, events, isGone, withPods } = trackedDeployment
        dropBefore(trackedDeployment.moments, number, 1)
        dropBefore(rows, number, 1)
        dropBefore(events, number, 0)
        if (isGone && withPods.size === 0 && (rows.at(-1)?.number ?? 0) <= number) deployments.delete(uid)
      }
      for (const trackedReplicaSet of replicaSets.values()) {
        if (
          trackedReplicaSet.replicaSet !== undefined ||
          trackedReplicaSet.owner?.withPods.has(trackedReplicaSet) === true
        )
          continue
        assignOwner(trackedReplicaSet, undefined)
        replicaSets.delete(trackedReplicaSet.uid)
      }
      for (const [key, namedOwner] of namedOwners) {
        const uid = deploymentOfName(namedOwner)?.uid
        const isGone = (namedOwner.deletedNumber ?? Infinity) <= number
        if (isGone || uid === undefined || !deployments.has(uid)) namedOwners.delete(key)
      }
      dropBefore(moments, number, 1)
    },
    tracks: () => [...deployments.values()].flatMap((trackedDeployment) => toTrack(trackedDeployment) ?? []),
    trackOf: (address) => {
      const trackedDeployment = deploymentOfName(namedOwners.get(addressedObjectKey(address)))
      return trackedDeployment === undefined ? undefined : toTrack(trackedDeployment)
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

const deploymentOfName = (namedOwner: NamedOwner | undefined): TrackedDeployment | undefined => {
  if (namedOwner === undefined) return undefined
  const { tracked } = namedOwner
  return "replicaSets" in tracked ? tracked : tracked.owner
}

/** A changed template implies a changed generation. */
const hasOtherTemplate = <A extends Deployment | ReplicaSet>(before: A | undefined, after: A): boolean =>
  before === undefined ||
  (before.metadata.generation !== after.metadata.generation && before.spec.template !== after.spec.template)

const toTrack = ({
  uid,
  deployment,
  rows,
  events,
  moments
}: TrackedDeployment): DeploymentTrack | undefined =>
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

const distinctDeployments = (
  a: TrackedDeployment | undefined,
  b: TrackedDeployment | undefined
): ReadonlyArray<TrackedDeployment> =>
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
