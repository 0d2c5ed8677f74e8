import {
  annotationOf,
  countAnnotation,
  desiredAnnotation,
  maxAnnotation,
  sizeAnnotations
} from "./revisions.ts"
import { activeOf, specReplicas } from "./replicaCounts.ts"
import { resize } from "./rollingUpdate.ts"
import type { Resize } from "./rollingUpdate.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { ReplicaSet } from "./objects.ts"

/**
 * Scaling a Deployment in the middle of a rollout: the change is shared out among its ReplicaSets.
 *
 * Source: pkg/controller/deployment/sync.go (isScalingEvent, scale), util/deployment_util.go
 * (GetReplicaSetProportion).
 */

/**
 * Whether the size was changed since the ReplicaSets were last written: their annotations remember the old
 * one.
 */
export const isScaling = (seen: DeploymentObservation): boolean =>
  activeOf(seen.replicaSets).some((replicaSet) => {
    const desired = countAnnotation(replicaSet, desiredAnnotation)
    return desired !== undefined && desired !== seen.deployment.spec.replicas
  })

/**
 * New sizes for a scaled or paused Deployment. With one active ReplicaSet (or none) that one takes the whole size; a
 * rollout that is over gives all to the new one; in mid-rollout each gets its share, for RollingUpdate only.
 * A Resize to the same size asks for the annotations to be refreshed.
 */
export const planScaling = (seen: DeploymentObservation): ReadonlyArray<Resize> => {
  const desired = seen.deployment.spec.replicas
  const active = activeOf(seen.replicaSets)
  if (active.length <= 1) {
    const only = active[0] ?? seen.next ?? seen.previous.at(-1)
    return only === undefined || only.spec.replicas === desired ? [] : [resize(only, desired)]
  }
  if (isSaturated(seen)) return activeOf(seen.previous).map((replicaSet) => resize(replicaSet, 0))
  if (seen.deployment.spec.strategy.type !== "RollingUpdate") return []
  return shareOut(seen, active)
}

/** Whether the new ReplicaSet is all that the Deployment asks for, and available. */
const isSaturated = ({ deployment, next }: DeploymentObservation): boolean =>
  next !== undefined &&
  next.spec.replicas === deployment.spec.replicas &&
  countAnnotation(next, desiredAnnotation) === deployment.spec.replicas &&
  (next.status.availableReplicas ?? 0) === deployment.spec.replicas

/**
 * Worked example: 10 replicas, surge 3, stuck with old 8 and new 5 (both remember a maximum of 13). Scaled to 15, 18
 * are allowed, 5 more: old takes 8 * 18 / 13 = 11.08, so 3; new takes 5 * 18 / 13 = 6.92, so 2. Result 11 and 7.
 */
const shareOut = (seen: DeploymentObservation, active: ReadonlyArray<ReplicaSet>): ReadonlyArray<Resize> => {
  const desired = seen.deployment.spec.replicas
  const allowed = desired > 0 ? desired + seen.surgeMax : 0
  const toAdd = allowed - specReplicas(active)
  const ordered = inShareOrder(active, toAdd)

  const shares: Array<number> = []
  let added = 0
  for (const replicaSet of ordered) {
    const share = shareOf(seen, replicaSet, toAdd - added)
    shares.push(share)
    added += share
  }
  return ordered.flatMap((replicaSet, index) => {
    // Rounding leaves a rest, which the largest takes.
    const leftover = index === 0 ? toAdd - added : 0
    const size = Math.max(0, replicaSet.spec.replicas + (shares[index] ?? 0) + leftover)
    return size !== replicaSet.spec.replicas || !remembersSize(seen, replicaSet)
      ? [resize(replicaSet, size)]
      : []
  })
}

/** Largest first; among equals growth favours the newer and shrinking hits the older. */
const inShareOrder = (active: ReadonlyArray<ReplicaSet>, toAdd: number): ReadonlyArray<ReplicaSet> => {
  if (toAdd === 0) return active
  const oldestFirst = toAdd < 0 ? active : [...active].reverse()
  return [...oldestFirst].sort((a, b) => b.spec.replicas - a.spec.replicas)
}

/** What one ReplicaSet gains (or loses) of the `left` that is still to be shared out. */
const shareOf = (seen: DeploymentObservation, replicaSet: ReplicaSet, left: number): number => {
  if (left === 0) return 0
  const fraction = fractionOf(seen, replicaSet)
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left)
}

/** The change that would keep the ReplicaSet's part of the whole; halves round away from 0. */
const fractionOf = (seen: DeploymentObservation, replicaSet: ReplicaSet): number => {
  const size = replicaSet.spec.replicas
  const desired = seen.deployment.spec.replicas
  if (desired === 0) return -size
  // A missing or zero maximum falls back to the Pods there are; with none of those either there is no share
  // to keep.
  const formerMax = countAnnotation(replicaSet, maxAnnotation) || (seen.deployment.status.replicas ?? 0)
  if (formerMax === 0) return 0
  return Math.trunc((size * (desired + seen.surgeMax)) / formerMax + 0.5) - size
}

const remembersSize = (seen: DeploymentObservation, replicaSet: ReplicaSet): boolean => {
  const desired = seen.deployment.spec.replicas
  const wanted = sizeAnnotations(desired, desired + seen.surgeMax)
  return Object.entries(wanted).every(([name, value]) => annotationOf(replicaSet, name) === value)
}
