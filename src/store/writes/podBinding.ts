import type { NodeBinding } from "../objectStore.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { hasSchedulingGates } from "../../kubernetes/pods/schedulingGates.ts"
import { withPodCondition } from "../../kubernetes/pods/podConditions.ts"
import { Conflict } from "../storeErrors.ts"
import { uidPreconditionText, versionPreconditionText } from "../storeRefusals.ts"
import type { Pod, PodSpec } from "../../kubernetes/meta/objects.ts"

/** Source: pkg/registry/core/pod/storage/storage.go (BindingREST.setPodNodeAndMetadata). */
export const refuseBinding = (pod: Pod, binding: NodeBinding): Conflict | undefined => {
  const { name, uid, resourceVersion } = pod.metadata
  const conflict = (resource: string, why: string): Conflict =>
    new Conflict({ resource, resourceName: name, why })
  if (binding.uid && binding.uid !== uid) {
    return conflict(resources.pods, uidPreconditionText({ plural: "pods" }, pod, binding.uid))
  }
  if (binding.resourceVersion && binding.resourceVersion !== resourceVersion) {
    return conflict(resources.pods, versionPreconditionText({ plural: "pods" }, pod, binding.resourceVersion))
  }
  const why = refusalReason(pod)
  return why === undefined ? undefined : conflict("pods/binding", why)
}

const refusalReason = (pod: Pod): string | undefined => {
  const { name } = pod.metadata
  if (isTerminating(pod)) return `pod ${name} is being deleted, cannot be assigned to a host`
  const { nodeName } = pod.spec
  if (nodeName !== undefined) return `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`
  return hasSchedulingGates(pod) ? `pod ${name} has non-empty .spec.schedulingGates` : undefined
}

const scheduled = { status: "True" } as const

/** Binding clears the Pod's nomination (feature gate ClearingNominatedNodeNameAfterBinding). */
export const bindPod = (pod: Pod, binding: NodeBinding, nowMillis: number): Pod => {
  const conditions = withPodCondition(pod, "PodScheduled", scheduled, nowMillis)
  const { nominatedNodeName, ...status } = pod.status
  return {
    ...pod,
    metadata: withBindingMetadata(pod.metadata, binding),
    spec: boundSpec(pod.spec, binding.nodeName),
    status: { ...(nominatedNodeName === undefined ? pod.status : status), conditions }
  }
}

const withBindingMetadata = (
  metadata: Pod["metadata"],
  { labels, annotations }: NodeBinding
): Pod["metadata"] => {
  const changes = {
    ...(isEmpty(labels) ? {} : { labels: { ...metadata.labels, ...labels } }),
    ...(isEmpty(annotations) ? {} : { annotations: { ...metadata.annotations, ...annotations } })
  }
  return isEmpty(changes) ? metadata : { ...metadata, ...changes }
}

const isEmpty = (fields: object = {}): boolean => Object.keys(fields).length === 0

/** Pods of one template on one node share one spec. */
const specsByTemplate = new WeakMap<PodSpec, Map<string, PodSpec>>()

const boundSpec = (spec: PodSpec, nodeName: string): PodSpec => {
  const byNode = specsByTemplate.get(spec) ?? new Map<string, PodSpec>()
  specsByTemplate.set(spec, byNode)
  const shared = byNode.get(nodeName) ?? Object.freeze({ ...spec, nodeName })
  byNode.set(nodeName, shared)
  return shared
}
