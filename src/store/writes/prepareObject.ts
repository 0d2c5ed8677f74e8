import { qosClassOf } from "../../kubernetes/admission/admit.ts"
import { withRequester, withCertificateRequestStatus } from "../../kubernetes/core/certificateRequests.ts"
import { uncountedDisruptionStatus } from "../../kubernetes/policy/disruptionBudgets.ts"
import { definitionsResourceName } from "../../kubernetes/customResources/definitions.ts"
import { resolveFeatureGates } from "../../kubernetes/meta/featureGates.ts"
import { resources, groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { isSameValue } from "../../kubernetes/meta/semanticEquality.ts"
import { schedulingGatedStatus, hasSchedulingGates } from "../../kubernetes/pods/schedulingGates.ts"
import { timestampMillis, timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { customOnCreate, customOnStatus, customOnUpdate } from "./prepareCustomObject.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { FeatureGates } from "../../kubernetes/meta/featureGates.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"
import type { Draft, KubeObject, Pod, PodStatus, ReplicaSetStatus } from "../../kubernetes/meta/objects.ts"

/**
 * What the server sets and keeps of an object that is written: identity, generation, status.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/registry/rest/create.go and update.go,
 * pkg/registry/apps/deployment/strategy.go, pkg/registry/apps/replicaset/strategy.go,
 * pkg/registry/core/pod/strategy.go, pkg/registry/certificates/certificates/strategy.go.
 */

const resourcesWithStatus: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.namespaces,
  resources.nodes,
  resources.resourceQuotas,
  resources.services,
  resources.disruptionBudgets,
  resources.persistentVolumes,
  resources.persistentVolumeClaims,
  resources.certificateRequests,
  definitionsResourceName
])

/**
 * A namespace's finalizers belong to the sub-resource `finalize`; a CertificateSigningRequest's spec is immutable.
 */
const immutableSpecResources: ReadonlySet<string> = new Set([
  resources.namespaces,
  resources.certificateRequests
])

const resourcesWithGeneration: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.disruptionBudgets,
  definitionsResourceName
])

/** An object as the client has sent it. */
interface SentObject extends Draft {
  readonly spec?: object
  readonly status?: object
}

export const prepareCreate = (options: {
  readonly kind: Kind
  readonly draft: SentObject
  readonly name: string
  readonly uid: string
  readonly nowMillis: number
  readonly user?: UserInfo | undefined
}): KubeObject => {
  const { kind, draft } = options
  const resource = groupResourceOf(kind)
  const object = {
    ...draft,
    metadata: {
      ...withoutServerFields(draft.metadata),
      name: options.name,
      uid: options.uid,
      // Set when the object is stored.
      resourceVersion: "",
      creationTimestamp: timestampOf(options.nowMillis),
      ...(resourcesWithGeneration.has(resource) ? { generation: 1 } : {})
    }
  }
  if (resource === resources.certificateRequests) return withRequester(object, options.user)
  return kind.custom === undefined ? object : customOnCreate(kind.custom, object)
}

const serverFields = [
  "resourceVersion",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink"
] as const

/** Drops what a client cannot set. Drafts rarely have any of it: their metadata stay as they are. */
const withoutServerFields = (metadata: Draft["metadata"]): Draft["metadata"] => {
  if (!serverFields.some((field) => field in metadata)) return metadata
  const {
    resourceVersion: _version,
    deletionTimestamp: _deletion,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...others
  } = metadata
  return others
}

/** The initial status; a status sent by the client is ignored. */
export const withFirstStatus = (resource: string, object: KubeObject): KubeObject => ({
  ...object,
  ...firstStatus(resource, object)
})

const firstStatus = (resource: string, object: KubeObject): object => {
  switch (resource) {
    case resources.deployments:
    case resources.resourceQuotas:
    case resources.certificateRequests:
    case definitionsResourceName:
      return { status: {} }
    case resources.replicaSets:
      return { status: { replicas: 0 } }
    case resources.services:
      return { status: { loadBalancer: {} } }
    case resources.disruptionBudgets:
      return { status: uncountedDisruptionStatus }
    case resources.persistentVolumes:
    case resources.persistentVolumeClaims:
      return { status: { phase: "Pending" } }
    case resources.pods:
      return { status: firstPodStatus(object as Pod) }
    case resources.namespaces:
      return { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }
    default:
      return {}
  }
}

const firstPodStatus = (pod: Pod): PodStatus => {
  const status = { phase: "Pending", qosClass: qosClassOf(pod.spec) }
  const { creationTimestamp } = pod.metadata
  return hasSchedulingGates(pod)
    ? schedulingGatedStatus({ ...pod, status }, timestampMillis(creationTimestamp))
    : status
}

/** Keeps the status and the server's metadata; counts the generation. */
export const prepareUpdate = (kind: Kind, old: KubeObject & SentObject, next: SentObject): KubeObject => {
  if (kind.custom !== undefined) {
    const { object, generation } = customOnUpdate(kind.custom, old, next)
    return { ...object, metadata: preservedMetadata(old, next, { generation }) }
  }
  const resource = groupResourceOf(kind)
  const { status: _status, ...rest } = next
  const spec = immutableSpecResources.has(resource) && old.spec !== undefined ? { spec: old.spec } : {}
  const merged = resourcesWithStatus.has(resource) ? { ...rest, ...spec, ...statusOf(old) } : next
  const hasGeneration = resourcesWithGeneration.has(resource)
  const changed =
    !isSameValue(old.spec, next.spec) ||
    (resource === resources.deployments &&
      !isSameValue(old.metadata.annotations, next.metadata.annotations, "annotations"))
  const generation = (old.metadata.generation ?? 0) + (changed ? 1 : 0)
  return { ...merged, metadata: preservedMetadata(old, next, hasGeneration ? { generation } : {}) }
}

interface StatusWrite {
  readonly nowMillis: number
  /** Whether the write is to the sub-resource `approval`. */
  readonly isApproval: boolean
  readonly gates?: FeatureGates | undefined
}

/** Keeps all but the status and such metadata as a Deployment's revision annotation. */
export const prepareStatus = (
  kind: Kind,
  old: KubeObject & SentObject,
  next: SentObject,
  write: StatusWrite
): KubeObject => {
  if (kind.custom !== undefined) return customOnStatus(old, { ...next })
  const resource = groupResourceOf(kind)
  const metadata = withStoredField(old, next, preservedByStatus.get(resource))
  const generation = old.metadata.generation === undefined ? {} : { generation: old.metadata.generation }
  return {
    ...old,
    metadata: preservedMetadata(old, { ...next, metadata }, generation),
    ...statusOf(withAllowedStatus(resource, old, next, write))
  }
}

/** Drops fields of the status that this write may not set. */
const withAllowedStatus = (
  resource: string,
  old: KubeObject & SentObject,
  next: SentObject,
  { nowMillis, isApproval, gates = resolveFeatureGates() }: StatusWrite
): SentObject => {
  if (resource === resources.certificateRequests)
    return withCertificateRequestStatus(old, next, { nowMillis, isApproval })
  return resourcesWithTerminatingCount.has(resource) ? withEnabledTerminatingCount(old, next, gates) : next
}

const resourcesWithTerminatingCount: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.replicaSets
])

/**
 * Drops `terminatingReplicas` if its feature gate is off and the stored status has none.
 *
 * Source: pkg/registry/apps/deployment/strategy.go, pkg/registry/apps/replicaset/strategy.go
 * (dropDisabledStatusFields).
 */
const withEnabledTerminatingCount = (old: SentObject, next: SentObject, gates: FeatureGates): SentObject => {
  const [stored, written] = [old.status, next.status] as ReadonlyArray<ReplicaSetStatus | undefined>
  const isDisabled =
    !gates.DeploymentReplicaSetTerminatingReplicas && stored?.terminatingReplicas === undefined
  if (!isDisabled || written?.terminatingReplicas === undefined) return next
  const { terminatingReplicas: _disabled, ...status } = written
  return { ...next, status }
}

type MetadataField = "labels" | "ownerReferences"

/** The metadata that the status sub-resource does not write. */
const preservedByStatus: ReadonlyMap<string, MetadataField> = new Map([
  [resources.deployments, "labels"],
  [resources.pods, "ownerReferences"]
])

const withStoredField = (
  old: KubeObject,
  next: SentObject,
  field: MetadataField | undefined
): SentObject["metadata"] => {
  if (field === undefined || next.metadata[field] === old.metadata[field]) return next.metadata
  const { [field]: _written, ...others } = next.metadata
  const stored = old.metadata[field]
  return stored === undefined ? others : { ...others, [field]: stored }
}

const statusOf = (object: SentObject): object =>
  object.status === undefined ? {} : { status: object.status }

/** Keeps the metadata that no update can change. */
const preservedMetadata = (old: KubeObject, next: SentObject, generation: object): KubeObject["metadata"] => {
  if (
    next.metadata === old.metadata &&
    !("generation" in generation && generation.generation !== old.metadata.generation)
  ) {
    return old.metadata
  }
  const { deletionTimestamp, deletionGracePeriodSeconds, uid, creationTimestamp, name } = old.metadata
  const { generation: _generation, deletionTimestamp: _deletion, ...metadata } = next.metadata
  return {
    ...metadata,
    name,
    uid,
    creationTimestamp,
    resourceVersion: old.metadata.resourceVersion,
    ...generation,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds })
  }
}
