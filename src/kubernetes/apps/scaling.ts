import {
  annotationOf,
  parseCountAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  sizeAnnotations
} from "./revisions/revisions.ts"
import { activeReplicaSets, specReplicas } from "./replicaCounts.ts"
import { toResize } from "./rollingUpdate.ts"
import type { Resize } from "./rollingUpdate.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { ReplicaSet } from "../meta/objects.ts"

/** Source: deployment/sync.go (scale), util/deployment_util.go. */

/** Whether the desired size differs from the size in the ReplicaSets' annotations. */
export const isScalingEvent = (observation: DeploymentObservation): boolean =>
  replicaSetsToScale(observation).length > 0

const replicaSetsToScale = (observation: DeploymentObservation): ReadonlyArray<ReplicaSet> =>
  activeReplicaSets(observation.replicaSets).filter((replicaSet) => {
    const desired = parseCountAnnotation(replicaSet, desiredReplicasAnnotation)
    return desired !== undefined && desired !== observation.deployment.spec.replicas
  })

/** Recreate leaves several active ReplicaSets as they are: each look is a scaling event. */
export const isScaledAtOnce = (observation: DeploymentObservation): boolean => {
  const scaled = planScaling(observation).map(({ replicaSet }) => replicaSet)
  return replicaSetsToScale(observation).every((it) => scaled.includes(it))
}

/**
 * The sizes after scaling. A Resize to the same size updates only the annotations.
 * Unlike Kubernetes, a strategy type that Kubernetes does not have may keep old Pods beside a
 * saturated new ReplicaSet.
 */
export const planScaling = (observation: DeploymentObservation): ReadonlyArray<Resize> => {
  const desired = observation.deployment.spec.replicas
  const active = activeReplicaSets(observation.replicaSets)
  if (active.length <= 1) {
    const soleReplicaSet = active[0] ?? observation.newReplicaSet ?? observation.oldReplicaSets.at(-1)
    return soleReplicaSet === undefined || soleReplicaSet.spec.replicas === desired
      ? []
      : [toResize(soleReplicaSet, desired)]
  }
  const isCustomStrategy = !kubernetesStrategyTypes.has(observation.deployment.spec.strategy.type)
  if (isCustomStrategy && !(isProportional(observation) && isScalingEvent(observation)))
    return active.flatMap((it) =>
      recordsDeploymentSize(observation, it) ? [] : [toResize(it, it.spec.replicas)]
    )
  if (!isCustomStrategy && isSaturated(observation))
    return activeReplicaSets(observation.oldReplicaSets).map((replicaSet) => toResize(replicaSet, 0))
  return isProportional(observation) ? scaleInProportion(observation, active) : []
}

const kubernetesStrategyTypes: ReadonlySet<string> = new Set(["RollingUpdate", "Recreate"])

const isProportional = ({ deployment }: DeploymentObservation): boolean =>
  deployment.spec.strategy.rollingUpdate !== undefined

/** Whether the new ReplicaSet has the desired size and all its Pods are available. */
const isSaturated = ({ deployment, newReplicaSet }: DeploymentObservation): boolean =>
  newReplicaSet !== undefined &&
  newReplicaSet.spec.replicas === deployment.spec.replicas &&
  parseCountAnnotation(newReplicaSet, desiredReplicasAnnotation) === deployment.spec.replicas &&
  (newReplicaSet.status.availableReplicas ?? 0) === deployment.spec.replicas

/**
 * Worked example: 10 replicas, surge 3, old 8 and new 5, scaled to 15, so 5 more: old gets 8 * 18 /
 * 13 - 8 = 3 (rounded), new 5 * 18 / 13 - 5 = 2.
 */
const scaleInProportion = (
  observation: DeploymentObservation,
  active: ReadonlyArray<ReplicaSet>
): ReadonlyArray<Resize> => {
  const desired = observation.deployment.spec.replicas
  const allowed = desired > 0 ? desired + observation.surgeMax : 0
  const toAdd = allowed - specReplicas(active)
  const ordered = inScalingOrder(active, toAdd)

  const changes: Array<number> = []
  let added = 0
  for (const replicaSet of ordered) {
    const change = limitedChange(observation, replicaSet, toAdd - added)
    changes.push(change)
    added += change
  }
  return ordered.flatMap((replicaSet, index) => {
    // The largest ReplicaSet takes the rest of the rounding.
    const leftover = index === 0 ? toAdd - added : 0
    const size = Math.max(0, replicaSet.spec.replicas + (changes[index] ?? 0) + leftover)
    return size !== replicaSet.spec.replicas || !recordsDeploymentSize(observation, replicaSet)
      ? [toResize(replicaSet, size)]
      : []
  })
}

/** Largest first; among equal sizes, growth prefers newer and shrinking older ReplicaSets. */
const inScalingOrder = (active: ReadonlyArray<ReplicaSet>, toAdd: number): ReadonlyArray<ReplicaSet> => {
  if (toAdd === 0) return active
  const oldestFirst = toAdd < 0 ? active : [...active].reverse()
  return [...oldestFirst].sort((a, b) => b.spec.replicas - a.spec.replicas)
}

const limitedChange = (
  observation: DeploymentObservation,
  replicaSet: ReplicaSet,
  remaining: number
): number => {
  if (remaining === 0) return 0
  const change = proportionalChange(observation, replicaSet)
  return remaining > 0 ? Math.min(change, remaining) : Math.max(change, remaining)
}

/** A negative change removes Pods. Halves of the new size are rounded up. */
const proportionalChange = (observation: DeploymentObservation, replicaSet: ReplicaSet): number => {
  const size = replicaSet.spec.replicas
  const desired = observation.deployment.spec.replicas
  if (desired === 0) return -size
  const formerMax =
    parseCountAnnotation(replicaSet, maxReplicasAnnotation) || (observation.deployment.status.replicas ?? 0)
  if (formerMax === 0) return 0
  return Math.trunc((size * (desired + observation.surgeMax)) / formerMax + 0.5) - size
}

const recordsDeploymentSize = (observation: DeploymentObservation, replicaSet: ReplicaSet): boolean => {
  const desired = observation.deployment.spec.replicas
  const annotations = sizeAnnotations(desired, desired + observation.surgeMax)
  return Object.entries(annotations).every(([name, value]) => annotationOf(replicaSet, name) === value)
}
