import { revisionOf } from "../domain/revisions.ts"
import { withTemplateOf } from "../domain/rollback.ts"
import type { Deployment, ReplicaSet } from "../domain/objects.ts"

/**
 * The Deployment with the template and annotations of the revision before its present one, as `kubectl
 * rollout undo` writes it; undefined where there is none.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undone = (deployment: Deployment, replicaSets: Iterable<ReplicaSet>): Deployment | undefined => {
  const [, previous] = [...replicaSets].sort(byRevision)
  return previous === undefined ? undefined : withTemplateOf(deployment, previous)
}

/** The newest revision first. */
const byRevision = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n]
  return left === right ? 0 : left > right ? -1 : 1
}
