import { availableReplicasOf } from "../../kubernetes/apps/servingPods.ts"
import { creationRefusal } from "../objects/creationRefusal.ts"
import { daemonSetBounds, statefulSetBounds } from "../../kubernetes/apps/rolloutBounds.ts"
import { brokenReplicaOf } from "../../kubernetes/apps/statefulSets/brokenReplica.ts"
import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { ordinalOf } from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import { podRevisionLabel } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { resources } from "../../kubernetes/meta/resources.ts"
import { tallyTrouble } from "./troubleTally.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { toWorkloadHealth } from "./healthLeads.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Health, Progress, WorkloadHealth } from "./healthLeads.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { TroubleTally } from "./troubleTally.ts"

interface PodSetObjects {
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: ReadonlyMap<string, Node>
  /** `controller-revision-hash` of the Pods of the present template. */
  readonly newRevision: string | undefined
}

interface PodSet {
  readonly desired: number
  readonly available: number
  /** The fewest available Pods that the update strategy allows. */
  readonly floor: number
  /** As `kubectl rollout status` judges it. */
  readonly isComplete: boolean
  readonly refusal: string | undefined
  /** An unready Pod of another template that everything else waits for. */
  readonly obstacle: string | undefined
}

export const statefulSetHealth = (statefulSet: StatefulSet, objects: PodSetObjects): WorkloadHealth => {
  const { spec } = statefulSet
  const tally = tallyOf(objects)
  const isComplete = workloadStatus(resources.statefulSets, statefulSet).state === "complete"
  const blockingPod = brokenReplicaOf(statefulSet, objects.pods)
  const podSet: PodSet = {
    desired: spec.replicas,
    available: availableReplicasOf(statefulSet, objects.pods),
    floor: statefulSetBounds(statefulSet).floor,
    isComplete,
    refusal: isComplete ? undefined : creationRefusal(statefulSet, objects.pods, objects.events),
    obstacle:
      blockingPod === undefined || tally.troubles.length === 0
        ? undefined
        : `${blockingPod.metadata.name} is not of the present template, and OrderedReady waits for it: delete it`
  }
  const ordinalsOf = (pods: ReadonlyArray<Pod>): ReadonlyArray<number> =>
    pods.flatMap((pod) => ordinalOf(statefulSet, pod) ?? [])
  const readyOrdinals = ordinalsOf(objects.pods.filter((pod) => isPodReady(pod)))
  const unreadyOrdinals = ordinalsOf(objects.pods.filter((pod) => !isPodReady(pod)))
  // With OrderedReady a scale-up goes on from the highest ordinal.
  const isGrowing = Math.min(...unreadyOrdinals) > Math.max(...readyOrdinals) && podSet.available > 0
  return healthOf(podSet, tally, isGrowing || isFirstStart(statefulSet, objects))
}

export const daemonSetHealth = (daemonSet: DaemonSet, objects: PodSetObjects): WorkloadHealth => {
  const { status } = daemonSet
  const isComplete = workloadStatus(resources.daemonSets, daemonSet).state === "complete"
  const podSet: PodSet = {
    desired: status.desiredNumberScheduled,
    available: availableReplicasOf(daemonSet, objects.pods),
    floor: daemonSetBounds(daemonSet).floor,
    isComplete,
    refusal: isComplete ? undefined : creationRefusal(daemonSet, objects.pods, objects.events),
    obstacle: undefined
  }
  return healthOf(podSet, tallyOf(objects), isFirstStart(daemonSet, objects))
}

const isOfRevision = ({ newRevision }: PodSetObjects, { metadata }: Pod): boolean =>
  newRevision === undefined || metadata.labels?.[podRevisionLabel] === newRevision

const tallyOf = (objects: PodSetObjects): TroubleTally =>
  tallyTrouble(objects.pods, objects.nodes, (pod) => isOfRevision(objects, pod))

/** Pods created within this time after the workload are its first Pods; later Pods replace others. */
const firstStartMillis = 5000

const isFirstStart = ({ metadata, status }: StatefulSet | DaemonSet, { pods }: PodSetObjects): boolean => {
  if (pods.length === 0) return status.observedGeneration === undefined
  const untilMillis = timestampMillis(metadata.creationTimestamp) + firstStartMillis
  return pods.every((pod) => timestampMillis(pod.metadata.creationTimestamp) <= untilMillis)
}

const healthOf = (podSet: PodSet, tally: TroubleTally, isStarting: boolean): WorkloadHealth => {
  const { refusal, obstacle } = podSet
  const { troubles } = tally
  const progress = progressOf(podSet, tally)
  const startsWithoutTrouble = isStarting && progress === "rolling out" && troubles.length === 0
  return toWorkloadHealth(startsWithoutTrouble ? "ok" : availabilityOf(podSet), progress, [
    ...(refusal === undefined ? [] : [`a Pod was refused: ${refusal}`]),
    ...troubles.map(({ text }) => text),
    ...(obstacle === undefined ? [] : [obstacle])
  ])
}

const availabilityOf = ({ desired, available, floor }: PodSet): Health => {
  if (desired > 0 && available === 0) return "down"
  return available < floor ? "degraded" : "ok"
}

const progressOf = (
  { desired, available, isComplete, refusal, obstacle }: PodSet,
  { blockedNewPodCount, startingNewPodCount }: TroubleTally
): Progress => {
  // kubectl calls a StatefulSet complete before minReadySeconds have passed.
  if (isComplete && available >= desired) return desired === 0 ? "idle" : "complete"
  if (refusal !== undefined || obstacle !== undefined) return "blocked"
  return startingNewPodCount === 0 && blockedNewPodCount > 0 ? "blocked" : "rolling out"
}
