import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { Deployment, Draft, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { DisruptionBudget } from "../../kubernetes/policy/disruptionBudgets.ts"
import type { LimitRange } from "../../kubernetes/core/limitRanges.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

/**
 * The objects of a real cluster in the namespaces of the rollout, and all nodes. A list is undefined if reading it is
 * forbidden.
 */
export interface LiveObjects {
  /** Unix time by the cluster's own clock if it has one, otherwise by ours, as `kubectl` computes ages. */
  readonly readMillis: number
  readonly deployments: ReadonlyArray<Deployment>
  /** The ReplicaSets of these Deployments, oldest first; empty if reading them is forbidden. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly nodes: ReadonlyArray<Node> | undefined
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly services: ReadonlyArray<Service> | undefined
  readonly quotas: ReadonlyArray<ResourceQuota> | undefined
  readonly limitRanges: ReadonlyArray<LimitRange>
  readonly budgets: ReadonlyArray<DisruptionBudget>
  /** Objects that the others depend on: Namespaces, ServiceAccounts and PriorityClasses. */
  readonly others: ReadonlyArray<Draft>
}

export const isPodOfAny = ({ metadata }: Pod, deployments: ReadonlyArray<Deployment>): boolean =>
  deployments.some(
    (deployment) =>
      deployment.metadata.namespace === metadata.namespace &&
      matchesSelector(deployment.spec.selector, metadata.labels)
  )

export const isReplicaSetOf =
  ({ metadata }: Deployment) =>
  (replicaSet: ReplicaSet): boolean =>
    controllerOf(replicaSet)?.uid === metadata.uid
