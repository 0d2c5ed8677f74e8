import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { Deployment, Draft, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { DisruptionBudget } from "../../kubernetes/policy/disruptionBudgets.ts"
import type { LimitRange } from "../../kubernetes/core/limitRanges.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

/** A real cluster's objects in the rollout's namespaces, and all nodes. Forbidden lists are undefined. */
export interface LiveObjects {
  /** Unix time by the cluster's clock if known, else by ours, as `kubectl` computes ages. */
  readonly readMillis: number
  readonly deployments: ReadonlyArray<Deployment>
  /** Of these Deployments, oldest first; empty if reading them is forbidden. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly nodes: ReadonlyArray<Node> | undefined
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly services: ReadonlyArray<Service> | undefined
  readonly quotas: ReadonlyArray<ResourceQuota> | undefined
  readonly limitRanges: ReadonlyArray<LimitRange>
  readonly budgets: ReadonlyArray<DisruptionBudget>
  /** Namespaces, ServiceAccounts and PriorityClasses, on which the other objects depend. */
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
