import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type {
  Deployment,
  Draft,
  KubeObject,
  Node,
  Pod,
  PodTemplate,
  ReplicaSet
} from "../../kubernetes/meta/objects.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { DisruptionBudget } from "../../kubernetes/policy/disruptionBudgets.ts"
import type { LimitRange } from "../../kubernetes/core/limitRanges.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

/** A workload that keeps its earlier templates in ControllerRevisions. */
export type WorkloadWithRevisions = StatefulSet | DaemonSet

export const isWorkloadWithRevisions = (object: KubeObject): object is WorkloadWithRevisions =>
  object.kind === "StatefulSet" || object.kind === "DaemonSet"

export type LiveWorkload = KubeObject & {
  readonly spec: { readonly selector: LabelSelector; readonly template: PodTemplate }
}

/** Lists that the client may not read are undefined. */
export interface LiveObjects {
  /** Unix milliseconds by the cluster's clock if known, else by this machine's. */
  readonly readMillis: number
  readonly deployments: ReadonlyArray<Deployment>
  /** Oldest first; empty if the client may not read them. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly workloadsWithRevisions: ReadonlyArray<WorkloadWithRevisions>
  /** Empty if the client may not read them. */
  readonly controllerRevisions: ReadonlyArray<ControllerRevision>
  readonly nodes: ReadonlyArray<Node> | undefined
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly services: ReadonlyArray<Service> | undefined
  readonly quotas: ReadonlyArray<ResourceQuota> | undefined
  readonly limitRanges: ReadonlyArray<LimitRange>
  readonly budgets: ReadonlyArray<DisruptionBudget>
  readonly otherObjects: ReadonlyArray<Draft>
}

export const liveWorkloadsOf = ({
  deployments,
  workloadsWithRevisions
}: Pick<LiveObjects, "deployments" | "workloadsWithRevisions">): ReadonlyArray<LiveWorkload> => [
  ...deployments,
  ...workloadsWithRevisions
]

/** The selector decides: a workload may adopt an orphan. */
export const isPodOfAny = ({ metadata }: Pod, workloads: ReadonlyArray<LiveWorkload>): boolean =>
  workloads.some(
    (workload) =>
      workload.metadata.namespace === metadata.namespace &&
      matchesSelector(workload.spec.selector, metadata.labels)
  )

export const isControlledBy =
  ({ metadata }: KubeObject) =>
  (object: KubeObject): boolean =>
    controllerOf(object)?.uid === metadata.uid
