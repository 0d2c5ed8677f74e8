import { groupResourceOf, kindOfResource, resources } from "../kubernetes/meta/kinds.ts"
import { keyOfDraft } from "./documentKeys.ts"
import { isWorkloadResource } from "../kubernetes/apps/workloadStatus.ts"
import { parseWorkloadName } from "../kubernetes/apps/workloadNames.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { Deployment, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Job } from "../kubernetes/batch/jobs/jobTypes.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"

export type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet" | "Job"

export const workloadKindsText = "Deployment, StatefulSet, DaemonSet or Job"

/** Names a workload among those of all kinds: `StatefulSet default/db`. */
export type WorkloadId = string

export interface WorkloadReference {
  readonly resource: WorkloadResource
  readonly key: Key
  readonly id: WorkloadId
}

export const workloadReference = (resource: WorkloadResource, key: Key): WorkloadReference => ({
  resource,
  key,
  id: `${kindOfResource(resource)?.kind ?? resource} ${key}`
})

export const workloadIdOf = ({
  kind,
  namespace,
  name
}: {
  readonly kind: WorkloadKind
  readonly namespace: string
  readonly name: string
}): WorkloadId => `${kind} ${toObjectKey(namespace, name)}`

export const isWorkload = ({ kind }: ManifestDocument): boolean => isWorkloadResource(groupResourceOf(kind))

export const workloadsAmong = (
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<WorkloadReference> => {
  const references = documents.flatMap(({ kind, draft }) => {
    const resource = groupResourceOf(kind)
    return isWorkloadResource(resource) ? [workloadReference(resource, keyOfDraft(draft))] : []
  })
  return [...new Map(references.map((reference) => [reference.id, reference])).values()]
}

export type WorkloadWithKind =
  | { readonly kind: "Deployment"; readonly object: Deployment }
  | { readonly kind: "StatefulSet"; readonly object: StatefulSet }
  | { readonly kind: "DaemonSet"; readonly object: DaemonSet }
  | { readonly kind: "Job"; readonly object: Job }

export const toWorkloadWithKind = (resource: WorkloadResource, object: Workload): WorkloadWithKind => {
  switch (resource) {
    case resources.deployments:
      return { kind: "Deployment", object: object as Deployment }
    case resources.statefulSets:
      return { kind: "StatefulSet", object: object as StatefulSet }
    case resources.daemonSets:
      return { kind: "DaemonSet", object: object as DaemonSet }
    case resources.jobs:
      return { kind: "Job", object: object as Job }
  }
}

/** `applied` is the workload as the plan wrote it; since then, the steering may have taken its template back. */
export const withAppliedTemplate = (
  workload: WorkloadWithKind,
  applied: Workload | undefined
): WorkloadWithKind =>
  workload.kind !== "Deployment" || applied === undefined
    ? workload
    : {
        kind: workload.kind,
        object: {
          ...workload.object,
          spec: { ...workload.object.spec, template: applied.spec.template }
        }
      }

/** For a Job, the number of Pods that should succeed. */
export const desiredPods = (workload: WorkloadWithKind): number => {
  switch (workload.kind) {
    case "Deployment":
    case "StatefulSet":
      return workload.object.spec.replicas
    case "DaemonSet":
      return workload.object.status.desiredNumberScheduled
    case "Job":
      return workload.object.spec.completions ?? workload.object.spec.parallelism
  }
}

export const findWorkload = (
  view: Pick<ClusterView["Service"], "get">,
  { resource, key }: Pick<WorkloadReference, "resource" | "key">
): Workload | undefined => view.get(resource, key)

export const podOwnersOf = (
  view: Pick<ClusterView["Service"], "controlled">,
  resource: WorkloadResource,
  workload: Workload
): ReadonlyArray<KubeObject> =>
  resource === resources.deployments
    ? view.controlled(resources.replicaSets, workload.metadata.uid)
    : [workload]

/** The text is `NAME`, `NAMESPACE/NAME` or `KIND/NAME`. */
export const isNamedBy = ({ resource, key }: WorkloadReference, text: string): boolean => {
  if (key === text || key.endsWith(`/${text}`)) return true
  const named = text.includes("/") ? parseWorkloadName(text) : undefined
  return named?.resource === resource && key.endsWith(`/${named.name}`)
}
