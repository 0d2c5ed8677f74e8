import { namespaceOption } from "../kubernetes/meta/text/kubectlTarget.ts"
import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, Pod } from "../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"

/** A workload whose Pod template a client may change. */
export type WorkloadWithTemplate = Deployment | StatefulSet | DaemonSet

const fieldManagerParameter = "fieldManager=charthouse-page"

const namespacePath = (
  apiPath: string,
  { metadata: { namespace = "default" } }: WorkloadWithTemplate | Pod
): string => `${apiPath}/namespaces/${encodeURIComponent(namespace)}`

export const workloadPath = (workload: WorkloadWithTemplate): string =>
  `${namespacePath("/apis/apps/v1", workload)}/${workload.kind.toLowerCase()}s/${encodeURIComponent(workload.metadata.name)}`

export const patchRequest = (
  path: string,
  type: "merge" | "json" | "strategic-merge",
  body: unknown
): ChangeRequest => ({
  method: "PATCH",
  path: `${path}?${fieldManagerParameter}`,
  contentType: `application/${type}-patch+json`,
  body
})

export const deletionRequest = (pod: Pod): ChangeRequest => ({
  method: "DELETE",
  path: `${namespacePath("/api/v1", pod)}/pods/${encodeURIComponent(pod.metadata.name)}`
})

/** `kubectl VERB KIND/NAME OPTIONS`. */
export const kubectlCommand = (
  verb: string,
  { kind, metadata }: WorkloadWithTemplate,
  options = ""
): string => `kubectl ${verb} ${kind.toLowerCase()}/${metadata.name}${namespaceOption(metadata)}${options}`

export const kubectlDelete = ({ metadata }: Pod): string =>
  `kubectl delete pod ${metadata.name}${namespaceOption(metadata)}`
