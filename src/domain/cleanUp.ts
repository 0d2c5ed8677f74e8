import { isTerminating } from "./ownerReferences.ts"
import { revisionOf } from "./revisions.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { ReplicaSet } from "./objects.ts"

/** This limit, and no limit at all, both keep every old ReplicaSet. */
const keepAll = 2147483647

/**
 * The old ReplicaSets beyond the revision history limit, lowest revision first. Only as many candidates as there are
 * too many are looked at: one that still has Pods is passed over, and none takes its place.
 *
 * Source: pkg/controller/deployment/sync.go (cleanupDeployment).
 */
export const planCleanUp = (seen: DeploymentObservation): ReadonlyArray<ReplicaSet> => {
  const limit = seen.deployment.spec.revisionHistoryLimit
  if (limit === undefined || limit === keepAll) return []
  const candidates = seen.previous.filter((replicaSet) => !isTerminating(replicaSet))
  const excess = candidates.length - limit
  if (excess <= 0) return []
  return [...candidates].sort(byRevision).slice(0, excess).filter(isEmptyAndSeen)
}

/**
 * The candidates come oldest first, and a stable sort keeps that order among equal or unreadable revisions.
 */
const byRevision = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a), revisionOf(b)]
  if (left === undefined || right === undefined || left === right) return 0
  return left < right ? -1 : 1
}

const isEmptyAndSeen = (replicaSet: ReplicaSet): boolean =>
  replicaSet.spec.replicas === 0 &&
  (replicaSet.status.replicas ?? 0) === 0 &&
  (replicaSet.status.observedGeneration ?? 0) >= (replicaSet.metadata.generation ?? 0)
