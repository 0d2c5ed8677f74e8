import { isTerminating } from "../../meta/deletion.ts"
import { revisionOf } from "./revisions.ts"
import { isGenerationObserved } from "../../meta/observedGeneration.ts"
import type { DeploymentObservation } from "../deploymentObservation.ts"
import type { ReplicaSet } from "../../meta/objects.ts"

/** This `revisionHistoryLimit` keeps every old ReplicaSet. */
const unlimitedHistory = 2147483647

/**
 * The ReplicaSets to delete, lowest revision first. A candidate with Pods is skipped and not
 * replaced. Source: deployment/sync.go (cleanupDeployment).
 */
export const planHistoryCleanUp = (observation: DeploymentObservation): ReadonlyArray<ReplicaSet> => {
  const limit = observation.deployment.spec.revisionHistoryLimit
  if (limit === undefined || limit === unlimitedHistory) return []
  const candidates = observation.oldReplicaSets.filter((replicaSet) => !isTerminating(replicaSet))
  const excess = candidates.length - limit
  if (excess <= 0) return []
  return [...candidates].sort(byRevision).slice(0, excess).filter(isEmptyAndObserved)
}

/** The stable sort keeps the oldest first among equal revisions. */
const byRevision = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a), revisionOf(b)]
  if (left === undefined || right === undefined || left === right) return 0
  return left < right ? -1 : 1
}

const isEmptyAndObserved = (replicaSet: ReplicaSet): boolean =>
  replicaSet.spec.replicas === 0 &&
  (replicaSet.status.replicas ?? 0) === 0 &&
  isGenerationObserved(replicaSet)
