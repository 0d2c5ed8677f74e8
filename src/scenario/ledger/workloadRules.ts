import {
  isOrdinalInRange,
  ordinalOf,
  replicaName,
  startOrdinal
} from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import { isPodActive, isPodReady, readySinceMillis } from "../../kubernetes/pods/podState.ts"
import { daemonUpdateLimits } from "../../kubernetes/apps/daemonSets/daemonSetObservation.ts"
import { podRevisionLabel } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { ViolationDetails } from "./violations.ts"

interface ControllerStep<Owner> {
  readonly owner: Owner
  readonly pod: Pod
  readonly nowMillis: number
}

export const isAvailableAt = (
  pod: Pod | undefined,
  minReadySeconds: number | undefined,
  nowMillis: number
): boolean =>
  pod !== undefined &&
  isPodActive(pod) &&
  isPodReady(pod) &&
  (readySinceMillis(pod) ?? 0) + (minReadySeconds ?? 0) * 1000 <= nowMillis

const creationBy = (kind: string, pod: Pod) => ({
  who: `${kind} controller`,
  what: `created Pod ${pod.metadata.name}`
})
const stopBy = (kind: string, pod: Pod) => ({
  who: `${kind} controller`,
  what: `told Pod ${pod.metadata.name} to stop`
})

/**
 * Each Pod has its own ordinal; with OrderedReady, all lower ordinals have an available Pod. Source:
 * pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet, processReplica).
 */
export const checkReplicaCreated = (
  { owner, pod, nowMillis }: ControllerStep<StatefulSet>,
  podNamed: (name: string) => Pod | undefined
): ViolationDetails | undefined => {
  const { spec, metadata } = owner
  const ordinal = ordinalOf(owner, pod)
  const start = startOrdinal(owner)
  const isOwnName = ordinal !== undefined && pod.metadata.name === replicaName(owner, ordinal)
  if (!isOwnName || !isOrdinalInRange(owner, ordinal)) {
    const ordinals = spec.replicas === 0 ? "no ordinal" : `ordinals ${start} to ${start + spec.replicas - 1}`
    return {
      ...creationBy("StatefulSet", pod),
      rule: "ordinals",
      sums: `StatefulSet ${metadata.name} has ${ordinals}`,
      broken: `one Pod for each ordinal, and no other: ${pod.metadata.name}`
    }
  }
  if (spec.podManagementPolicy === "Parallel") return undefined
  for (let lower = start; lower < ordinal; lower += 1) {
    const name = replicaName(owner, lower)
    if (isAvailableAt(podNamed(name), spec.minReadySeconds, nowMillis)) continue
    return {
      ...creationBy("StatefulSet", pod),
      rule: "ordered",
      sums: `Pod ${name} is not available`,
      broken: `with OrderedReady the Pods of all lower ordinals are available: ${lower - start} = ${ordinal - start}`
    }
  }
  return undefined
}

/**
 * `available` leaves out the Pod that stops. Source: pkg/controller/statefulset/stateful_set_control.go
 * (updateStatefulSet).
 */
export const checkReplicaStopped = (
  { owner, pod }: ControllerStep<StatefulSet>,
  available: number
): ViolationDetails | undefined => {
  const { spec, metadata } = owner
  const ordinal = ordinalOf(owner, pod)
  const isReplaced = ordinal !== undefined && isOrdinalInRange(owner, ordinal)
  if (spec.podManagementPolicy === "Parallel" || !isReplaced || available >= spec.replicas - 1)
    return undefined
  return {
    ...stopBy("StatefulSet", pod),
    rule: "ordered",
    sums: `StatefulSet ${metadata.name} is asked for ${spec.replicas}, and ${available} others are available`,
    broken: `with OrderedReady one Pod is replaced at a time: ${available} >= ${spec.replicas} - 1`
  }
}

interface DaemonStep extends ControllerStep<DaemonSet> {
  readonly desired: number
  readonly otherPodsOnNode: ReadonlyArray<Pod>
}

/**
 * At least desired - maxUnavailable Pods must stay available; with maxSurge, another available Pod on the same node is
 * enough. Source: pkg/controller/daemon/update.go (rollingUpdate).
 */
export const checkDaemonStopped = (step: DaemonStep, available: number): ViolationDetails | undefined => {
  const { owner, pod, desired, otherPodsOnNode, nowMillis } = step
  const { maxUnavailable: unavailable } = daemonUpdateLimits(owner, desired)
  const availableMin = desired - unavailable
  if (available >= availableMin) return undefined
  const isAvailable = (other: Pod): boolean => isAvailableAt(other, owner.spec.minReadySeconds, nowMillis)
  if (otherPodsOnNode.some(isAvailable)) return undefined
  return {
    ...stopBy("DaemonSet", pod),
    rule: "floor",
    sums: `${available} available; desired ${desired} - unavailable ${unavailable} = ${availableMin}`,
    broken: `available >= desired - maxUnavailable: ${available} >= ${availableMin}`
  }
}

/** Source: pkg/controller/daemon/update.go (rollingUpdate), daemon_controller.go (podsShouldBeOnNode). */
export const checkDaemonCreated = (
  step: DaemonStep,
  podsByNode: ReadonlyMap<string, ReadonlyArray<Pod>>
): ViolationDetails | undefined => {
  const { owner, pod, desired, otherPodsOnNode, nowMillis } = step
  const isAvailable = (other: Pod): boolean => isAvailableAt(other, owner.spec.minReadySeconds, nowMillis)
  const isOld = (other: Pod): boolean =>
    other.metadata.labels?.[podRevisionLabel] !== pod.metadata.labels?.[podRevisionLabel]
  const isAvailableOld = (other: Pod): boolean => isOld(other) && isAvailable(other)
  const isUnavailableNew = (other: Pod): boolean => !isOld(other) && isPodActive(other) && !isAvailable(other)
  if (!otherPodsOnNode.some(isAvailableOld)) return undefined
  const { maxSurge: surge } = daemonUpdateLimits(owner, desired)
  const surgedNodeCount = [...podsByNode.values()].filter(
    (pods) => pods.length > 1 && pods.some(isAvailableOld) && pods.some(isUnavailableNew)
  ).length
  if (surgedNodeCount <= surge) return undefined
  return {
    ...creationBy("DaemonSet", pod),
    rule: "ceiling",
    sums: `${surgedNodeCount} nodes with a new Pod beside an available old one; surge ${surge} of ${desired}`,
    broken: `nodes with two Pods <= maxSurge: ${surgedNodeCount} <= ${surge}`
  }
}

/** Source: pkg/controller/job/job_controller.go (manageJob). */
export const checkJobPodCreated = (
  { owner, pod }: ControllerStep<Job>,
  active: number
): ViolationDetails | undefined => {
  const { parallelism, suspend = false } = owner.spec
  const activeMax = suspend ? 0 : parallelism
  if (active <= activeMax) return undefined
  return {
    ...creationBy("Job", pod),
    rule: "parallelism",
    sums: `Job ${owner.metadata.name} has parallelism ${parallelism}${suspend ? " and is suspended" : ""}`,
    broken: `active Pods <= parallelism: ${active} <= ${activeMax}`
  }
}
