import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Deployment, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"
import type { ClusterView } from "./objectStore.ts"

export const controllingOwner = <R extends GroupResource>(
  view: Pick<ClusterView["Service"], "get">,
  resource: R,
  child: KubeObject
): ObjectOf<R> | undefined => {
  const reference = controllerOf(child)
  if (reference === undefined) return undefined
  const owner = view.get(resource, toObjectKey(child.metadata.namespace, reference.name))
  return owner?.metadata.uid === reference.uid ? owner : undefined
}

export const podsOfDeployment = (
  view: Pick<ClusterView["Service"], "controlled">,
  { metadata }: Pick<Deployment, "metadata">
): ReadonlyArray<Pod> =>
  view
    .controlled(resources.replicaSets, metadata.uid)
    .flatMap((replicaSet) => view.controlled(resources.pods, replicaSet.metadata.uid))

export const podsOfWorkload = (
  view: Pick<ClusterView["Service"], "controlled">,
  resource: WorkloadResource,
  workload: Pick<Workload, "metadata">
): ReadonlyArray<Pod> =>
  resource === resources.deployments
    ? podsOfDeployment(view, workload)
    : view.controlled(resources.pods, workload.metadata.uid)
