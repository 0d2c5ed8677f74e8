import { controllerOf } from "../../domain/ownerReferences.ts"
import { matchesSelector } from "../../domain/selectors.ts"
import type { Deployment, Draft, Node, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { DisruptionBudget } from "../../domain/disruptionBudgets.ts"
import type { LimitRange } from "../../domain/limitRanges.ts"
import type { ResourceQuota } from "../../domain/quotas.ts"
import type { Service } from "../../domain/endpoints.ts"

/**
 * What was read from a cluster that is there: all of the namespaces of the rollout, and all nodes. Undefined is what
 * may not be read.
 */
export interface LiveObjects {
  /** When: by its own clock where it has one to ask, or else by ours, as `kubectl` reckons ages. */
  readonly readMillis: number
  /** Those that are to be rolled out and are there already. */
  readonly deployments: ReadonlyArray<Deployment>
  /** Those of these Deployments, the oldest first; none where they may not be read. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly nodes: ReadonlyArray<Node> | undefined
  /** Of all namespaces. */
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly services: ReadonlyArray<Service> | undefined
  readonly quotas: ReadonlyArray<ResourceQuota> | undefined
  readonly limitRanges: ReadonlyArray<LimitRange>
  readonly budgets: ReadonlyArray<DisruptionBudget>
  /** What must be there for these to be. */
  readonly others: ReadonlyArray<Draft>
}

/** Whether a Pod is of one of these Deployments. */
export const isOurs = ({ metadata }: Pod, deployments: ReadonlyArray<Deployment>): boolean =>
  deployments.some(
    (deployment) =>
      deployment.metadata.namespace === metadata.namespace &&
      matchesSelector(deployment.spec.selector, metadata.labels)
  )

export const isOwnedBy =
  ({ metadata }: Deployment) =>
  (replicaSet: ReplicaSet): boolean =>
    controllerOf(replicaSet)?.uid === metadata.uid
