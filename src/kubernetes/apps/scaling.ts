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

/**
 * Scaling a Deployment during a rollout: the change is distributed among its ReplicaSets.
 * Source: pkg/controller/deployment/sync.go (isScalingEvent, scale), util/deployment_util.go
 * (GetReplicaSetProportion).
 */

/** Whether the desired size differs from the one that the ReplicaSets' annotations record. */
export const isScalingEvent = (observation: DeploymentObservation): boolean =>
  activeReplicaSets(observation.replicaSets).some((replicaSet) => {
    const desired = parseCountAnnotation(replicaSet, desiredReplicasAnnotation)
    return desired !== undefined && desired !== observation.deployment.spec.replicas
  })

/**
 * New sizes after scaling. A single active ReplicaSet takes the whole size; without one the new ReplicaSet does, or
 * else the newest old one. Once the new ReplicaSet is saturated, the old ones go to 0. Otherwise, if the strategy has
 * `rollingUpdate`, all active ReplicaSets change in proportion to their sizes. A Resize to the same size updates the
 * annotations only.
 *
 * Unlike Kubernetes, a custom strategy (of a type that Kubernetes does not have) may hold old Pods beside a saturated
 * new ReplicaSet, for example during a pause: these are not stopped. Without `rollingUpdate`, only the annotations of
 * several active ReplicaSets are updated, and the strategy resizes them.
 */
export const planScaling = (observation: DeploymentObservation): ReadonlyArray<Resize> => {
  const desired = observation.deployment.spec.replicas
  const active = activeReplicaSets(observation.replicaSets)
  if (active.length <= 1) {
    const only = active[0] ?? observation.newReplicaSet ?? observation.oldReplicaSets.at(-1)
    return only === undefined || only.spec.replicas === desired ? [] : [toResize(only, desired)]
  }
  const isCustomStrategy = !kubernetesStrategyTypes.has(observation.deployment.spec.strategy.type)
  if (isCustomStrategy && !(isProportional(observation) && isScalingEvent(observation)))
    return active.flatMap((it) => (recordsSize(observation, it) ? [] : [toResize(it, it.spec.replicas)]))
  if (!isCustomStrategy && isSaturated(observation))
    return activeReplicaSets(observation.oldReplicaSets).map((replicaSet) => toResize(replicaSet, 0))
  return isProportional(observation) ? scaleInProportion(observation, active) : []
}

/** The strategies of Kubernetes; any other type is a custom strategy. */
const kubernetesStrategyTypes: ReadonlySet<string> = new Set(["RollingUpdate", "Recreate"])

const isProportional = ({ deployment }: DeploymentObservation): boolean =>
  deployment.spec.strategy.rollingUpdate !== undefined

/** Whether the new ReplicaSet has and records the desired size, and all its Pods are available. */
const isSaturated = ({ deployment, newReplicaSet }: DeploymentObservation): boolean =>
  newReplicaSet !== undefined &&
  newReplicaSet.spec.replicas === deployment.spec.replicas &&
  parseCountAnnotation(newReplicaSet, desiredReplicasAnnotation) === deployment.spec.replicas &&
  (newReplicaSet.status.availableReplicas ?? 0) === deployment.spec.replicas

/**
 * Worked example: 10 replicas, surge 3, stuck with old 8 and new 5 (both record a maximum of 13). Scaled to 15, 18
 * are allowed, 5 more: old takes 8 * 18 / 13 = 11.08, so 3; new takes 5 * 18 / 13 = 6.92, so 2. Result 11 and 7.
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
    // The largest takes what rounding has left over.
    const leftover = index === 0 ? toAdd - added : 0
    const size = Math.max(0, replicaSet.spec.replicas + (changes[index] ?? 0) + leftover)
    return size !== replicaSet.spec.replicas || !recordsSize(observation, replicaSet)
      ? [toResize(replicaSet, size)]
      : []
  })
}

/** Largest first. Among equals, growth favours the newer, and shrinking the older. */
const inScalingOrder = (active: ReadonlyArray<ReplicaSet>, toAdd: number): ReadonlyArray<ReplicaSet> => {
  if (toAdd === 0) return active
  const oldestFirst = toAdd < 0 ? active : [...active].reverse()
  return [...oldestFirst].sort((a, b) => b.spec.replicas - a.spec.replicas)
}

/** The proportional change, but never more than what remains to be added or removed. */
const limitedChange = (
  observation: DeploymentObservation,
  replicaSet: ReplicaSet,
  remaining: number
): number => {
  if (remaining === 0) return 0
  const change = proportionalChange(observation, replicaSet)
  return remaining > 0 ? Math.min(change, remaining) : Math.max(change, remaining)
}

/**
 * How many Pods to add (negative: to remove) so that the ReplicaSet keeps its part of the Deployment's maximum size. Of
 * the new size, halves are rounded up.
 */
const proportionalChange = (observation: DeploymentObservation, replicaSet: ReplicaSet): number => {
  const size = replicaSet.spec.replicas
  const desired = observation.deployment.spec.replicas
  if (desired === 0) return -size
  // Without a recorded maximum the existing Pods count; without those there is no proportion to keep.
  const formerMax =
    parseCountAnnotation(replicaSet, maxReplicasAnnotation) || (observation.deployment.status.replicas ?? 0)
  if (formerMax === 0) return 0
  return Math.trunc((size * (desired + observation.surgeMax)) / formerMax + 0.5) - size
}

/** Whether the ReplicaSet's annotations record the Deployment's present size. */
const recordsSize = (observation: DeploymentObservation, replicaSet: ReplicaSet): boolean => {
  const desired = observation.deployment.spec.replicas
  const annotations = sizeAnnotations(desired, desired + observation.surgeMax)
  return Object.entries(annotations).every(([name, value]) => annotationOf(replicaSet, name) === value)
}
