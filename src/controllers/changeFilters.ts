import { dequal } from "dequal/lite"
import { hasSameEndpoint } from "../kubernetes/core/endpoints.ts"
import { isSameValue } from "../kubernetes/meta/semanticEquality.ts"
import { isKubeletRunning } from "../kubernetes/core/nodeStatus.ts"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { hasSameCounts, isPodFinished } from "../kubernetes/pods/podState.ts"
import { hasSchedulingGates } from "../kubernetes/pods/schedulingGates.ts"
import { progressingCondition } from "../kubernetes/apps/progress.ts"
import { copiedAnnotations } from "../kubernetes/apps/revisions/revisions.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { rolloutStateOf } from "../kubernetes/apps/rolloutStatus.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { Change } from "../store/objectStore.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"

/**
 * For each controller that does not look at every change: which changes need a look. Looks read the present state, so a
 * filter may drop a change only if no decision depends on what changed. The next version of an object has its unchanged
 * parts as the same objects, so that `===` compares them.
 */

/** Changes of a Deployment, for its own actor. */
export const concernsDeployment = ({ type, object, old }: Change): boolean => {
  const [deployment, oldDeployment] = [object as Deployment, old as Deployment | undefined]
  if (type === "DELETED" || oldDeployment === undefined || deployment.spec !== oldDeployment.spec) return true
  return (
    !changesOnlyTerminatingCount(deployment, oldDeployment) && !changesNoDecision(deployment, oldDeployment)
  )
}

/**
 * Whether only the count of terminating Pods changed. Such a change of a Deployment needs no look: the change of the
 * ReplicaSet's count, from which it follows, has woken the Deployment already.
 */
export const changesOnlyTerminatingCount = <O extends Deployment | ReplicaSet>(object: O, old: O): boolean =>
  object.spec === old.spec &&
  object.status.terminatingReplicas !== old.status.terminatingReplicas &&
  isSameBut(old.status, object.status, ["terminatingReplicas"]) &&
  isSameBut(old.metadata, object.metadata, ["managedFields", "resourceVersion"])

/** Whether two objects have the same fields, apart from these. Stops at the first that differs. */
const isSameBut = (a: object, b: object, ignored: ReadonlyArray<string>): boolean => {
  const [fields, otherFields] = [a as Fields, b as Fields]
  for (const name of Object.keys(fields)) {
    const isSame =
      Object.hasOwn(otherFields, name) &&
      (fields[name] === otherFields[name] || dequal(fields[name], otherFields[name]))
    if (!isSame && !ignored.includes(name)) return false
  }
  for (const name of Object.keys(otherFields))
    if (!Object.hasOwn(fields, name) && !ignored.includes(name)) return false
  return true
}

/** Whether only labels or managed fields of a complete Deployment changed. During a rollout any change wakes it. */
const changesNoDecision = (object: Deployment, old: Deployment): boolean =>
  object.status === old.status &&
  rolloutStateOf(object) === "complete" &&
  dequal({ ...old.metadata, ...ignoredFields }, { ...object.metadata, ...ignoredFields })

const ignoredFields = { labels: undefined, managedFields: undefined, resourceVersion: undefined }

/**
 * Of the changes that the Deployment's actor makes itself, those that need no look: its reports on a rollout that waits
 * for Pods. Other reports may lead to the next decision.
 */
export const isOwnProgressReport = ({ object, old }: Change): boolean => {
  const [deployment, oldDeployment] = [object as Deployment, old as Deployment | undefined]
  return (
    deployment.spec === oldDeployment?.spec &&
    deployment.metadata.deletionTimestamp === oldDeployment.metadata.deletionTimestamp &&
    deployment.status.collisionCount === oldDeployment.status.collisionCount &&
    hasSameRecords(deployment, oldDeployment) &&
    progressingCondition(deployment)?.reason === "ReplicaSetUpdated" &&
    rolloutStateOf(deployment) !== "complete"
  )
}

/**
 * Whether no annotation has changed by which a strategy records something for its next decision. The annotations that
 * are not copied to ReplicaSets, such as the revision, are no such records: the controller or kubectl writes them.
 */
const hasSameRecords = ({ metadata }: Deployment, old: Deployment): boolean =>
  metadata.annotations === old.metadata.annotations ||
  dequal(copiedAnnotations(metadata.annotations), copiedAnnotations(old.metadata.annotations))

/** A ReplicaSet's own status reports, unless a ReplicaFailure condition is there, which the next look removes. */
export const isOwnReplicaSetReport = ({ object, old }: Change): boolean => {
  const [replicaSet, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  return (
    replicaSet.spec === oldReplicaSet?.spec &&
    replicaSet.metadata.deletionTimestamp === oldReplicaSet.metadata.deletionTimestamp &&
    replicaSet.status.conditions === undefined &&
    oldReplicaSet.status.conditions === undefined
  )
}

/**
 * Changes of a ReplicaSet on which it decides nothing: its annotations are its Deployment's records. Like any change,
 * they retry refused writes.
 */
export const changesOnlyAnnotations = ({ type, object, old }: Change): boolean => {
  const [replicaSet, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  return (
    type === "MODIFIED" &&
    replicaSet.spec === oldReplicaSet?.spec &&
    replicaSet.status === oldReplicaSet.status &&
    isSameBut(oldReplicaSet.metadata, replicaSet.metadata, [
      "annotations",
      "managedFields",
      "resourceVersion"
    ])
  )
}

/** A StatefulSet's own status reports, unless the revisions in them decide what comes next. */
export const isOwnStatefulSetReport = ({ resource, object, old }: Change): boolean => {
  if (resource !== resources.statefulSets) return false
  const [statefulSet, oldStatefulSet] = [object as StatefulSet, old as StatefulSet | undefined]
  return (
    statefulSet.spec === oldStatefulSet?.spec &&
    statefulSet.metadata.deletionTimestamp === oldStatefulSet.metadata.deletionTimestamp &&
    statefulSet.status.currentRevision === oldStatefulSet.status.currentRevision &&
    statefulSet.status.collisionCount === oldStatefulSet.status.collisionCount
  )
}

/** A DaemonSet's own status reports, unless they change what decides: collisions, and the generation of back-offs. */
export const isOwnDaemonSetReport = ({ resource, object, old }: Change): boolean => {
  if (resource !== resources.daemonSets) return false
  const [daemonSet, oldDaemonSet] = [object as DaemonSet, old as DaemonSet | undefined]
  return (
    daemonSet.spec === oldDaemonSet?.spec &&
    daemonSet.metadata.deletionTimestamp === oldDaemonSet.metadata.deletionTimestamp &&
    daemonSet.status.observedGeneration === oldDaemonSet.status.observedGeneration &&
    daemonSet.status.collisionCount === oldDaemonSet.status.collisionCount
  )
}

/** Changes of a Pod, for its DaemonSet: whether it is ready, finished, deleted, relabelled or bound to a node. */
export const concernsDaemonPods = ({ type, object, old }: Change): boolean => {
  const [pod, oldPod] = [object as Pod, old as Pod | undefined]
  return (
    type === "DELETED" ||
    oldPod === undefined ||
    !hasSameCounts(pod, oldPod) ||
    pod.spec.nodeName !== oldPod.spec.nodeName
  )
}

/** Changes of a ReplicaSet or Pod without a controller, for owners that may adopt it: new, relabelled or released. */
export const mayBeAdopted = ({ type, object, old }: Change): boolean =>
  type !== "DELETED" &&
  (old === undefined || old.metadata.labels !== object.metadata.labels || controllerOf(old) !== undefined)

/** Changes of a ReplicaSet, for its Deployment: fewer Pods than before, and fewer than desired. */
export const hasLostReplicas = ({ object, old }: Change): boolean => {
  const [{ spec, status }, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  const pods = status.replicas ?? 0
  return oldReplicaSet !== undefined && pods < (oldReplicaSet.status.replicas ?? 0) && pods < spec.replicas
}

/** Changes of a node, for its Pods: its kubelet has stopped or started, or a volume was attached or detached. */
export const concernsPodsOfNode = ({ type, object, old }: Change): boolean =>
  isKubeletRunning(old) !== isKubeletRunning(type === "DELETED" ? undefined : object) ||
  (object as Node).status.volumesAttached !== (old as Node | undefined)?.status.volumesAttached

/** Changes of a Pod, for its node's NoExecute taints: the Pod is bound, or its tolerations changed. */
export const concernsTaintEvictions = ({ type, object, old }: Change): boolean =>
  type !== "DELETED" && (object as Pod).spec !== (old as Pod | undefined)?.spec

/**
 * Changes of a Pod, for the Pod's actor, its kubelet: the kubelet's own status reports do not wake it. A Pod without a
 * node has no kubelet, so that its end is written by others; readiness gates are opened and closed by others too.
 */
export const concernsKubelet = ({ type, object, old }: Change): boolean => {
  const [pod, oldPod] = [object as Pod, old as Pod | undefined]
  return (
    type !== "MODIFIED" ||
    pod.spec !== oldPod?.spec ||
    pod.metadata.deletionTimestamp !== oldPod.metadata.deletionTimestamp ||
    pod.metadata.deletionGracePeriodSeconds !== oldPod.metadata.deletionGracePeriodSeconds ||
    (pod.spec.nodeName === undefined && isPodFinished(pod) && !isPodFinished(oldPod)) ||
    !hasSameGates(pod, oldPod)
  )
}

const hasSameGates = ({ spec: { readinessGates }, status }: Pod, old: Pod): boolean => {
  if (readinessGates === undefined || status.conditions === old.status.conditions) return true
  for (const { conditionType } of readinessGates) {
    const [gate, oldGate] = [
      conditionOf(status.conditions, conditionType),
      conditionOf(old.status.conditions, conditionType)
    ]
    if (gate?.status !== oldGate?.status) return false
  }
  return true
}

/** Changes of a Pod, for ReplicaSets and PodDisruptionBudgets. */
export const concernsPodCounts = ({ type, object, old }: Change): boolean =>
  type !== "MODIFIED" || old === undefined || !hasSameCounts(object as Pod, old as Pod)

/** Changes of a Pod, for the Services that select it. */
export const concernsEndpoints = ({ type, object, old }: Change): boolean =>
  type !== "MODIFIED" || old === undefined || !hasSameEndpoint(object as Pod, old as Pod)

/** Changes of a Pod, for the Pod garbage collector. */
export const concernsPodGarbage = ({ type, object, old }: Change): boolean => {
  if (type !== "MODIFIED" || old === undefined) return true
  const [pod, oldPod] = [object as Pod, old as Pod]
  return (
    pod.spec !== oldPod.spec ||
    isTerminating(pod) !== isTerminating(oldPod) ||
    isPodFinished(pod) !== isPodFinished(oldPod)
  )
}

export const opensSchedulingGates = ({ object, old }: Change): boolean =>
  old !== undefined && hasSchedulingGates(old as Pod) && !hasSchedulingGates(object as Pod)

/** Whether an unschedulable Pod may fit now: a node was added or changed, or a Pod on one ended. */
export const makesRoom = ({ resource, type, object, old }: Change): boolean => {
  if (resource === resources.nodes) {
    const [node, oldNode] = [object as Node, old as Node | undefined]
    if (type === "DELETED") return false
    return oldNode === undefined || !isSameValue(placementFacts(node), placementFacts(oldNode))
  }
  if (resource !== resources.pods) return false
  const pod = object as Pod
  if (pod.spec.nodeName === undefined) return false
  return type === "DELETED" || (isPodFinished(pod) && old !== undefined && !isPodFinished(old as Pod))
}

const placementFacts = ({ spec, metadata, status }: Node): object => ({
  spec,
  labels: metadata.labels,
  allocatable: status.allocatable,
  conditions: (status.conditions ?? []).map(({ type, status: state }) => ({ type, state }))
})
