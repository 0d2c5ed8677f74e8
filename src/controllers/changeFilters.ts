import { dequal } from "dequal/lite"
import { hasSameEndpoint } from "../kubernetes/core/endpoints.ts"
import { isKubeletRunning } from "../kubernetes/core/nodeStatus.ts"
import { conditionOf, withoutCondition } from "../kubernetes/meta/conditions.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { hasSameCountedFields, isPodFinished } from "../kubernetes/pods/podState.ts"
import { progressingCondition } from "../kubernetes/apps/progress.ts"
import { copiedAnnotations } from "../kubernetes/apps/revisions/revisions.ts"
import { steeredCondition } from "../kubernetes/steering/steeringNames.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { builtInStrategies, strategyFor } from "../../machines/strategies/strategies.ts"
import { rolloutStateOf } from "../kubernetes/apps/rolloutStatus.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { Change } from "../store/objectStore.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { StatusCondition } from "../kubernetes/meta/conditions.ts"

/**
 * A filter may drop a change only if no decision depends on what changed. Versions of an object share unchanged parts,
 * so `===` compares them.
 */

export const concernsDeployment = (
  { type, object, old }: Change,
  strategies: ReadonlyArray<Strategy>
): boolean => {
  const [deployment, oldDeployment] = [object as Deployment, old as Deployment | undefined]
  if (type === "DELETED" || oldDeployment === undefined || deployment.spec !== oldDeployment.spec) return true
  return (
    !changesOnlyTerminatingCount(deployment, oldDeployment) &&
    !(changesOnlySteeringReport(deployment, oldDeployment) && hasBuiltInStrategy(deployment, strategies)) &&
    !changesNoDecision(deployment, oldDeployment)
  )
}

/** Other strategies may read every condition. */
const hasBuiltInStrategy = (deployment: Deployment, strategies: ReadonlyArray<Strategy>): boolean => {
  const strategy = strategyFor(deployment, strategies)
  return strategy === undefined || builtInStrategies.includes(strategy)
}

export const changesOnlySteeringReport = (object: Deployment, old: Deployment): boolean => {
  const { conditions } = object.status
  return (
    conditionOf(conditions, steeredCondition) !== conditionOf(old.status.conditions, steeredCondition) &&
    dequal(withoutSteeringReport(conditions), withoutSteeringReport(old.status.conditions)) &&
    changesOnlyStatusField(object, old, "conditions")
  )
}

const withoutSteeringReport = (
  conditions: Deployment["status"]["conditions"] = []
): ReadonlyArray<StatusCondition> => withoutCondition(conditions, steeredCondition)

/**
 * A Deployment need not look when only this count of its status changes: its ReplicaSet's count has woken it before.
 */
export const changesOnlyTerminatingCount = <O extends Deployment | ReplicaSet>(object: O, old: O): boolean =>
  object.spec === old.spec &&
  object.status.terminatingReplicas !== old.status.terminatingReplicas &&
  changesOnlyStatusField(object, old, "terminatingReplicas")

/** Ignores the metadata that every write changes. */
const changesOnlyStatusField = <O extends Deployment | ReplicaSet>(
  object: O,
  old: O,
  field: keyof O["status"] & string
): boolean =>
  isSameExcept(old.status, object.status, [field]) &&
  isSameExcept(old.metadata, object.metadata, ["managedFields", "resourceVersion"])

const isSameExcept = (a: object, b: object, ignored: ReadonlyArray<string>): boolean => {
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

/** During a rollout any change of a Deployment wakes its actor. */
const changesNoDecision = (object: Deployment, old: Deployment): boolean =>
  object.status === old.status &&
  rolloutStateOf(object) === "complete" &&
  dequal({ ...old.metadata, ...ignoredFields }, { ...object.metadata, ...ignoredFields })

const ignoredFields = { labels: undefined, managedFields: undefined, resourceVersion: undefined }

/** Only a report on a rollout that waits for Pods: other reports may lead to the actor's next decision. */
export const isOwnProgressReport = ({ object, old }: Change): boolean => {
  const [deployment, oldDeployment] = [object as Deployment, old as Deployment | undefined]
  return (
    deployment.spec === oldDeployment?.spec &&
    deployment.metadata.deletionTimestamp === oldDeployment.metadata.deletionTimestamp &&
    deployment.status.collisionCount === oldDeployment.status.collisionCount &&
    hasSameCopiedAnnotations(deployment, oldDeployment) &&
    progressingCondition(deployment)?.reason === "ReplicaSetUpdated" &&
    rolloutStateOf(deployment) !== "complete"
  )
}

/** Strategies record decisions in annotations that are copied to ReplicaSets. */
const hasSameCopiedAnnotations = ({ metadata }: Deployment, old: Deployment): boolean =>
  metadata.annotations === old.metadata.annotations ||
  dequal(copiedAnnotations(metadata.annotations), copiedAnnotations(old.metadata.annotations))

/** False with a ReplicaFailure condition, which the next look removes. */
export const isOwnReplicaSetReport = ({ object, old }: Change): boolean => {
  const [replicaSet, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  return (
    replicaSet.spec === oldReplicaSet?.spec &&
    replicaSet.metadata.deletionTimestamp === oldReplicaSet.metadata.deletionTimestamp &&
    replicaSet.status.conditions === undefined &&
    oldReplicaSet.status.conditions === undefined
  )
}

/** A Deployment keeps records in annotations of its ReplicaSets, which change no decision of a ReplicaSet's actor. */
export const changesOnlyAnnotations = ({ type, object, old }: Change): boolean => {
  const [replicaSet, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  return (
    type === "MODIFIED" &&
    replicaSet.spec === oldReplicaSet?.spec &&
    replicaSet.status === oldReplicaSet.status &&
    isSameExcept(oldReplicaSet.metadata, replicaSet.metadata, [
      "annotations",
      "managedFields",
      "resourceVersion"
    ])
  )
}

/** False if the report changes a revision, on which the next decision depends. */
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

/** False if the report changes the observed generation or the collisions, on which the next decision depends. */
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

export const concernsDaemonPods = ({ type, object, old }: Change): boolean => {
  const [pod, oldPod] = [object as Pod, old as Pod | undefined]
  return (
    type === "DELETED" ||
    oldPod === undefined ||
    !hasSameCountedFields(pod, oldPod) ||
    pod.spec.nodeName !== oldPod.spec.nodeName
  )
}

export const mayBeAdopted = ({ type, object, old }: Change): boolean =>
  type !== "DELETED" &&
  (old === undefined || old.metadata.labels !== object.metadata.labels || controllerOf(old) !== undefined)

/** Whether the ReplicaSet has fewer Pods than before, and fewer than desired. */
export const hasLostReplicas = ({ object, old }: Change): boolean => {
  const [{ spec, status }, oldReplicaSet] = [object as ReplicaSet, old as ReplicaSet | undefined]
  const pods = status.replicas ?? 0
  return oldReplicaSet !== undefined && pods < (oldReplicaSet.status.replicas ?? 0) && pods < spec.replicas
}

export const concernsPodsOfNode = ({ type, object, old }: Change): boolean =>
  isKubeletRunning(old) !== isKubeletRunning(type === "DELETED" ? undefined : object) ||
  (object as Node).status.volumesAttached !== (old as Node | undefined)?.status.volumesAttached

export const concernsTaintEvictions = ({ type, object, old }: Change): boolean =>
  type !== "DELETED" && (object as Pod).spec !== (old as Pod | undefined)?.spec

/** False for the kubelet's own reports. Other writers set readiness gates, and end Pods without a node. */
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

/** Whether a Pod's change concerns ReplicaSets and PodDisruptionBudgets. */
export const concernsPodCounts = ({ type, object, old }: Change): boolean =>
  type !== "MODIFIED" || old === undefined || !hasSameCountedFields(object as Pod, old as Pod)

export const concernsEndpoints = ({ type, object, old }: Change): boolean =>
  type !== "MODIFIED" || old === undefined || !hasSameEndpoint(object as Pod, old as Pod)

export const concernsPodGarbage = ({ type, object, old }: Change): boolean => {
  if (type !== "MODIFIED" || old === undefined) return true
  const [pod, oldPod] = [object as Pod, old as Pod]
  return (
    pod.spec !== oldPod.spec ||
    isTerminating(pod) !== isTerminating(oldPod) ||
    isPodFinished(pod) !== isPodFinished(oldPod)
  )
}
