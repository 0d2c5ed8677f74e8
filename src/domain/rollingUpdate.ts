import { specReplicas } from "./replicaCounts.ts"
import { perObservation } from "./perObservation.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { ReplicaSet } from "./objects.ts"

/**
 * The arithmetic of a rolling update. Nothing here waits or remembers: each function looks at one observation.
 *
 * Source: pkg/controller/deployment/rolling.go and util/deployment_util.go (NewRSNewReplicas).
 */

/** A ReplicaSet that should have another size. */
export interface Resize {
  readonly replicaSet: ReplicaSet
  readonly replicasFrom: number
  readonly replicasTo: number
}

type Plan = (seen: DeploymentObservation) => ReadonlyArray<Resize>

export const resize = (replicaSet: ReplicaSet, replicasTo: number): Resize => ({
  replicaSet,
  replicasFrom: replicaSet.spec.replicas,
  replicasTo
})

/** How many Pods more the surge leaves room for; negative where it leaves none and too many are asked for. */
export const roomForNext = ({ deployment, replicaSets, surgeMax }: DeploymentObservation): number =>
  deployment.spec.replicas + surgeMax - specReplicas(replicaSets)

/**
 * The size that the new ReplicaSet may have now: as near to the desired one as the surge leaves room for. What counts
 * is what all ReplicaSets are asked to run; Pods that are still terminating are not in it, so the number of real Pods
 * can pass the ceiling by those.
 */
export const nextSize = (seen: DeploymentObservation): number => {
  const desired = seen.deployment.spec.replicas
  const own = seen.next?.spec.replicas ?? 0
  if (own >= desired) return desired
  const room = roomForNext(seen)
  return room <= 0 ? own : own + Math.min(room, desired - own)
}

/** What the new ReplicaSet should change to, if it is there and should. */
export const planNext: Plan = perObservation((seen) => {
  if (seen.next === undefined) return []
  const size = nextSize(seen)
  return size === seen.next.spec.replicas ? [] : [resize(seen.next, size)]
})

/**
 * How the old ReplicaSets shrink: first Pods that serve nobody, then as many good ones as availability allows.
 *
 * Worked example: 10 replicas, at most 2 unavailable, surge 3. Old 8 (8 available), new 5 (0 available): 13 are asked
 * for, the floor is 8, and the 5 new ones that are not available yet may not be counted on, so 13 - 8 - 5 = 0: nothing
 * may go. Were 2 of the old ones broken (6 available), still nothing: removing them could not help. With 2 new ones
 * available the limit is 13 - 8 - 3 = 2, and 8 + 2 available less the floor of 8 leaves 2 good ones to remove.
 */
export const planPrevious: Plan = perObservation((seen) => {
  if (specReplicas(seen.previous) === 0) return []
  const { removable, spare } = budgetOfPrevious(seen)
  if (removable <= 0) return []

  const idle = removeIdle(seen.previous, removable)
  const sizes = new Map(idle.map((it) => [it.replicaSet, it.replicasTo]))
  return [...idle, ...removeGood(seen.previous, sizes, spare)]
})

/** What decides how many old Pods may go. */
export interface PreviousBudget {
  /** So many must stay available. */
  readonly floor: number
  /** New Pods that serve and will go on serving, and all that do. */
  readonly nextServing: number
  readonly serving: number
  /** What is asked for beyond the floor, without the new Pods that are not available yet. */
  readonly removable: number
  /** What is available beyond the floor. */
  readonly spare: number
}

export const budgetOfPrevious = (seen: DeploymentObservation): PreviousBudget => {
  const floor = seen.deployment.spec.replicas - seen.unavailableMax
  const nextServing = seen.next === undefined ? 0 : serving(seen.next)
  const available = seen.previous.reduce((sum, it) => sum + serving(it), nextServing)
  return {
    floor,
    nextServing,
    serving: available,
    removable: specReplicas(seen.previous) + nextServing - floor,
    spare: available - floor
  }
}

/**
 * Pods of a ReplicaSet that serve and will go on serving.
 *
 * Unlike Kubernetes, Pods that it has been told to drop and still reports are not counted: a report that lags behind
 * could otherwise cost more Pods than may be missing. Upstream fails at such an old ReplicaSet and does nothing.
 */
const serving = ({ spec, status }: ReplicaSet): number =>
  Math.min(spec.replicas, status.availableReplicas ?? 0)

/** Takes away Pods that are not available, from the oldest ReplicaSet on. */
const removeIdle = (previous: ReadonlyArray<ReplicaSet>, removable: number): ReadonlyArray<Resize> => {
  const resizes: Array<Resize> = []
  let left = removable
  for (const replicaSet of previous) {
    if (left <= 0) break
    const idle = Math.min(left, replicaSet.spec.replicas - serving(replicaSet))
    if (idle <= 0) continue
    resizes.push(resize(replicaSet, replicaSet.spec.replicas - idle))
    left -= idle
  }
  return resizes
}

/**
 * Takes away what is available beyond the floor, from the oldest ReplicaSet on, after `removeIdle` has had
 * its part.
 */
const removeGood = (
  previous: ReadonlyArray<ReplicaSet>,
  sizes: ReadonlyMap<ReplicaSet, number>,
  budget: number
): ReadonlyArray<Resize> => {
  const resizes: Array<Resize> = []
  let left = budget
  for (const replicaSet of previous) {
    if (left <= 0) break
    const size = sizes.get(replicaSet) ?? replicaSet.spec.replicas
    const going = Math.min(size, left)
    if (going <= 0) continue
    resizes.push({ replicaSet, replicasFrom: size, replicasTo: size - going })
    left -= going
  }
  return resizes
}
