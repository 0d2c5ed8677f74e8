import { dequal } from "dequal/lite"
import { annotationOf, revisionAnnotation } from "../kubernetes/apps/revisions/revisions.ts"
import { changesOnlyTerminatingCount } from "../controllers/changeFilters.ts"
import { completedRevisionAnnotation, steeredCondition } from "../kubernetes/steering/steeringNames.ts"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { hasBeenComplete, isRolloutComplete } from "../kubernetes/steering/steeringObservation.ts"
import { isFailingPod } from "../kubernetes/steering/podFacts.ts"
import { unschedulableCondition } from "../kubernetes/pods/podState.ts"
import { isApproved, hasApprovalGate, areContainersReady } from "../kubernetes/steering/podApproval.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import type { Change } from "../store/objectStore.ts"
import type { Deployment, Pod, PodCondition, ReplicaSet } from "../kubernetes/meta/objects.ts"

// The changes that any steering chart may decide on.

/** All changes of a Deployment or a ReplicaSet except the end of a terminating Pod. */
export const workloadChangeAffectsChart = ({ type, object, old }: Change): boolean => {
  const [workload, oldWorkload] = [
    object as Deployment | ReplicaSet,
    old as Deployment | ReplicaSet | undefined
  ]
  return (
    type !== "MODIFIED" || oldWorkload === undefined || !changesOnlyTerminatingCount(workload, oldWorkload)
  )
}

/**
 * Changes of a Pod: it fails, or finds no node. A Pod with the readiness gate comes, goes, or has a condition that
 * becomes or ceases to be True. A terminating Pod counts as gone.
 */
export const podChangeAffectsChart = ({ type, object, old }: Change): boolean => {
  const [pod, oldPod] = [object as Pod, old as Pod | undefined]
  if (oldPod === undefined) return hasApprovalGate(pod) || isFailingPod(pod) || findsNoNode(pod)
  const isActive = type !== "DELETED" && isPodActive(pod)
  const wasActive = isPodActive(oldPod)
  if (!isActive && !wasActive) return false
  if (isFailingPod(pod) || isFailingPod(oldPod) || findsNoNode(pod, oldPod)) return true
  return hasApprovalGate(pod) && (isActive !== wasActive || !hasSameTrueConditions(pod, oldPod))
}

// The changes that a chart with `awaitedPods` decides on. Other changes only alter counts or make a Pod ready, which
// may postpone the progress deadline; the chart checks that at the deadline.

/** All changes of a Deployment, but of its counts only those that complete the rollout or make it incomplete. */
export const deploymentChangeAffectsStep = ({ type, object, old }: Change): boolean => {
  const [deployment, oldDeployment] = [object as Deployment, old as Deployment | undefined]
  return (
    type !== "MODIFIED" ||
    oldDeployment === undefined ||
    deployment.spec !== oldDeployment.spec ||
    isTerminating(deployment) !== isTerminating(oldDeployment) ||
    deployment.metadata.generation !== oldDeployment.metadata.generation ||
    deployment.status.observedGeneration !== oldDeployment.status.observedGeneration ||
    !dequal(deployment.metadata.annotations, oldDeployment.metadata.annotations) ||
    isRolloutComplete({ deployment }) !== isRolloutComplete({ deployment: oldDeployment }) ||
    isReportChanged(deployment, oldDeployment, "Progressing") ||
    isReportChanged(deployment, oldDeployment, steeredCondition)
  )
}

/** Progress reports that differ only in times and messages are the same. */
const isReportChanged = ({ status }: Deployment, old: Deployment, type: string): boolean => {
  if (status.conditions === old.status.conditions) return false
  const [report, oldReport] = [conditionOf(status.conditions, type), conditionOf(old.status.conditions, type)]
  const isProgress = report?.reason === "ReplicaSetUpdated" && oldReport?.reason === "ReplicaSetUpdated"
  return !isProgress && !dequal(report, oldReport)
}

/** How many available Pods of a ReplicaSet the present step awaits; undefined for none. */
export type AvailablePodsToEndStep = (replicaSet: ReplicaSet) => number | undefined

/**
 * Changes of a ReplicaSet: it gets a revision or Pods, loses all of either, or reaches the awaited number of available
 * Pods.
 */
export const replicaSetChangeAffectsStep = (
  { type, object, old }: Change,
  availablePodsToEndStep: AvailablePodsToEndStep
): boolean => {
  const [replicaSet, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  return (
    type !== "MODIFIED" ||
    oldReplicaSet === undefined ||
    isTerminating(replicaSet) !== isTerminating(oldReplicaSet) ||
    isAnnotationChanged(replicaSet, oldReplicaSet, revisionAnnotation) ||
    isAnnotationChanged(replicaSet, oldReplicaSet, completedRevisionAnnotation) ||
    (replicaSet.spec.replicas === 0) !== (oldReplicaSet.spec.replicas === 0) ||
    reachesAwaitedPods(replicaSet, oldReplicaSet, availablePodsToEndStep)
  )
}

const isAnnotationChanged = (object: ReplicaSet, old: ReplicaSet, name: string): boolean =>
  object.metadata.annotations !== old.metadata.annotations &&
  annotationOf(object, name) !== annotationOf(old, name)

const reachesAwaitedPods = (
  replicaSet: ReplicaSet,
  old: ReplicaSet,
  availablePodsToEndStep: AvailablePodsToEndStep
): boolean => {
  const [available, oldAvailable] = [availableOf(replicaSet), availableOf(old)]
  if (available <= oldAvailable) return false
  const awaited = availablePodsToEndStep(replicaSet)
  return awaited !== undefined && available >= awaited && oldAvailable < awaited
}

const availableOf = ({ status }: ReplicaSet): number => status.availableReplicas ?? 0

/**
 * Changes of a Pod: it fails, finds no node, starts, or loses its approval. Pods of a complete ReplicaSet are approved
 * in any state; other Pods that go make room for an approval.
 */
export const podChangeAffectsStep = ({ type, object, old }: Change, replicaSet: ReplicaSet): boolean => {
  const [pod, oldPod] = [object as Pod, old as Pod | undefined]
  if (isFailingPod(pod) || (oldPod !== undefined && isFailingPod(oldPod))) return true
  const isOfCompleteRevision = hasBeenComplete(replicaSet)
  if (oldPod === undefined) return isOfCompleteRevision || areContainersReady(pod) || findsNoNode(pod)
  if (findsNoNode(pod, oldPod)) return true
  const isActive = type !== "DELETED" && isPodActive(pod)
  if (isActive !== isPodActive(oldPod)) return isActive || !isOfCompleteRevision
  if (areContainersReady(pod) && !areContainersReady(oldPod)) return true
  return isOfCompleteRevision
    ? isApproved(pod) !== isApproved(oldPod)
    : isApproved(oldPod) && !isApproved(pod)
}

const findsNoNode = (pod: Pod, old?: Pod): boolean =>
  pod.status.conditions !== old?.status.conditions &&
  unschedulableCondition(pod) !== undefined &&
  (old === undefined || unschedulableCondition(old) === undefined)

/** No approval depends on these conditions. */
const startConditions: ReadonlySet<string> = new Set([
  "PodScheduled",
  "PodReadyToStartContainers",
  "Initialized"
])

const trueConditions = ({ status }: Pod): ReadonlyArray<PodCondition> =>
  (status.conditions ?? []).filter(
    (condition) => condition.status === "True" && !startConditions.has(condition.type)
  )

const hasSameTrueConditions = (pod: Pod, old: Pod): boolean => {
  if (pod.status.conditions === old.status.conditions) return true
  const [present, former] = [trueConditions(pod), trueConditions(old)]
  return (
    present.length === former.length &&
    present.every((condition, index) => isSameMoment(condition, former[index]))
  )
}

const isSameMoment = (a: PodCondition, b: PodCondition | undefined): boolean =>
  a === b || (a.type === b?.type && a.lastTransitionTime === b.lastTransitionTime)
