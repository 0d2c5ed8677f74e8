import { specReplicas } from "./replicaCounts.ts"
import { memoizePerObservation } from "./memoizePerObservation.ts"
import { availableFloor } from "./rolloutBounds.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { ReplicaSet } from "../meta/objects.ts"

/** Source: deployment/rolling.go, util/deployment_util.go. */

export interface Resize {
  readonly replicaSet: ReplicaSet
  readonly replicasFrom: number
  readonly replicasTo: number
}

type ResizePlan = (observation: DeploymentObservation) => ReadonlyArray<Resize>

export const toResize = (replicaSet: ReplicaSet, replicasTo: number): Resize => ({
  replicaSet,
  replicasFrom: replicaSet.spec.replicas,
  replicasTo
})

/** Pods that may be added within the surge; not positive if none may. */
export const surgeRoom = ({ deployment, replicaSets, surgeMax }: DeploymentObservation): number =>
  deployment.spec.replicas + surgeMax - specReplicas(replicaSets)

/**
 * The size that the surge allows. As in Kubernetes, terminating Pods do not count, so more Pods can
 * exist than the ceiling.
 */
export const newReplicaSetSize = (observation: DeploymentObservation): number => {
  const desired = observation.deployment.spec.replicas
  const present = observation.newReplicaSet?.spec.replicas ?? 0
  if (present >= desired) return desired
  const room = surgeRoom(observation)
  return room <= 0 ? present : present + Math.min(room, desired - present)
}

export const planNewSize: ResizePlan = memoizePerObservation((observation) => {
  if (observation.newReplicaSet === undefined) return []
  const size = newReplicaSetSize(observation)
  return size === observation.newReplicaSet.spec.replicas ? [] : [toResize(observation.newReplicaSet, size)]
})

/**
 * Scales down the old ReplicaSets, oldest first: unavailable Pods, then available Pods above the
 * floor.
 * Worked example: 10 replicas, at most 2 unavailable, surge 3. Old 8 (8 available), new 5 (2
 * available): 13 - 8 - 3 = 2 may be removed, and 8 + 2 - 8 = 2 of those may be available Pods.
 */
export const planOldSizes: ResizePlan = memoizePerObservation((observation) => {
  if (specReplicas(observation.oldReplicaSets) === 0) return []
  const { removable, spare } = scaleDownBudget(observation)
  if (removable <= 0) return []

  const unavailableResizes = removeUnavailable(observation.oldReplicaSets, removable)
  const sizes = new Map(unavailableResizes.map((it) => [it.replicaSet, it.replicasTo]))
  return [...unavailableResizes, ...removeAvailable(observation.oldReplicaSets, sizes, spare)]
})

export interface ScaleDownBudget {
  readonly floor: number
  /** Available Pods of the new ReplicaSet, at most its desired replicas. */
  readonly newAvailable: number
  readonly available: number
  /** Old replicas and available new Pods above the floor: how many old Pods may go. */
  readonly removable: number
  /** Available Pods above the floor. */
  readonly spare: number
}

export const scaleDownBudget = (observation: DeploymentObservation): ScaleDownBudget => {
  const floor = availableFloor(observation)
  const newAvailable = observation.newReplicaSet === undefined ? 0 : availableOf(observation.newReplicaSet)
  const available = observation.oldReplicaSets.reduce((sum, it) => sum + availableOf(it), newAvailable)
  return {
    floor,
    newAvailable,
    available,
    removable: specReplicas(observation.oldReplicaSets) + newAvailable - floor,
    spare: available - floor
  }
}

/**
 * Unlike Kubernetes, which returns an error where a stale status has more available Pods than `spec.replicas`, the
 * excess does not count: the ReplicaSet removes those Pods.
 */
const availableOf = ({ spec, status }: ReplicaSet): number =>
  Math.min(spec.replicas, status.availableReplicas ?? 0)

const removeUnavailable = (
  oldReplicaSets: ReadonlyArray<ReplicaSet>,
  removable: number
): ReadonlyArray<Resize> => {
  const resizes: Array<Resize> = []
  let remaining = removable
  for (const replicaSet of oldReplicaSets) {
    if (remaining <= 0) break
    const unavailable = Math.min(remaining, replicaSet.spec.replicas - availableOf(replicaSet))
    if (unavailable <= 0) continue
    resizes.push(toResize(replicaSet, replicaSet.spec.replicas - unavailable))
    remaining -= unavailable
  }
  return resizes
}

const removeAvailable = (
  oldReplicaSets: ReadonlyArray<ReplicaSet>,
  sizes: ReadonlyMap<ReplicaSet, number>,
  spare: number
): ReadonlyArray<Resize> => {
  const resizes: Array<Resize> = []
  let remaining = spare
  for (const replicaSet of oldReplicaSets) {
    if (remaining <= 0) break
    const size = sizes.get(replicaSet) ?? replicaSet.spec.replicas
    const removed = Math.min(size, remaining)
    if (removed <= 0) continue
    resizes.push({ replicaSet, replicasFrom: size, replicasTo: size - removed })
    remaining -= removed
  }
  return resizes
}
