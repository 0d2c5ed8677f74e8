import { specReplicas } from "./replicaCounts.ts"
import { memoizePerObservation } from "./memoizePerObservation.ts"
import { availableFloor } from "./rolloutBounds.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { ReplicaSet } from "../meta/objects.ts"

/**
 * The arithmetic of a rolling update, as pure functions of an observation.
 * Source: pkg/controller/deployment/rolling.go and util/deployment_util.go (NewRSNewReplicas).
 */

/** A change of a ReplicaSet's desired replicas. */
export interface Resize {
  readonly replicaSet: ReplicaSet
  readonly replicasFrom: number
  readonly replicasTo: number
}

type Plan = (observation: DeploymentObservation) => ReadonlyArray<Resize>

export const toResize = (replicaSet: ReplicaSet, replicasTo: number): Resize => ({
  replicaSet,
  replicasFrom: replicaSet.spec.replicas,
  replicasTo
})

/** Pods that may be added within the surge; not positive if none may. */
export const surgeRoom = ({ deployment, replicaSets, surgeMax }: DeploymentObservation): number =>
  deployment.spec.replicas + surgeMax - specReplicas(replicaSets)

/**
 * The size that the new ReplicaSet may have now, as near to the desired one as the surge allows. Only desired
 * replicas of all ReplicaSets count. Terminating Pods do not, so that the number of existing Pods can exceed the
 * ceiling by those.
 */
export const newReplicaSetSize = (observation: DeploymentObservation): number => {
  const desired = observation.deployment.spec.replicas
  const present = observation.newReplicaSet?.spec.replicas ?? 0
  if (present >= desired) return desired
  const room = surgeRoom(observation)
  return room <= 0 ? present : present + Math.min(room, desired - present)
}

/** The resize of the new ReplicaSet, if any. */
export const planNewSize: Plan = memoizePerObservation((observation) => {
  if (observation.newReplicaSet === undefined) return []
  const size = newReplicaSetSize(observation)
  return size === observation.newReplicaSet.spec.replicas ? [] : [toResize(observation.newReplicaSet, size)]
})

/**
 * Scales down the old ReplicaSets, oldest first: unavailable Pods, then available ones as far as the floor allows.
 *
 * Worked example: 10 replicas, at most 2 unavailable, surge 3. Old 8 (8 available), new 5 (0 available): 13 are
 * desired, the floor is 8, and the 5 new Pods that are not available may not be counted on, so 13 - 8 - 5 = 0 may
 * be removed. If 2 of the old ones were broken (6 available), it would still be 0: removing them could not help.
 * With 2 new ones available, the limit is 13 - 8 - 3 = 2, and 8 + 2 available less the floor of 8 leaves 2
 * available Pods to remove.
 */
export const planOldSizes: Plan = memoizePerObservation((observation) => {
  if (specReplicas(observation.oldReplicaSets) === 0) return []
  const { removable, spare } = scaleDownBudget(observation)
  if (removable <= 0) return []

  const unavailableResizes = removeUnavailable(observation.oldReplicaSets, removable)
  const sizes = new Map(unavailableResizes.map((it) => [it.replicaSet, it.replicasTo]))
  return [...unavailableResizes, ...removeAvailable(observation.oldReplicaSets, sizes, spare)]
})

export interface ScaleDownBudget {
  readonly floor: number
  /** Available Pods of the new ReplicaSet, and of all, without those that are about to be removed. */
  readonly newAvailable: number
  readonly available: number
  /** Desired replicas beyond the floor, without new Pods that are not available yet. */
  readonly removable: number
  /** Available Pods beyond the floor. */
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
 * Available Pods of a ReplicaSet, at most its desired replicas.
 *
 * Unlike Kubernetes, Pods that it has already been told to remove and still reports are not counted: a stale status
 * could otherwise cost more Pods than may be missing. Upstream fails at such an old ReplicaSet and does nothing.
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
  /** Sizes after the unavailable Pods are removed, where they change. */
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
