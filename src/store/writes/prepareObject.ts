import { qosClassOf } from "../../kubernetes/admission/admit.ts"
import { withRequester, withCertificateRequestStatus } from "../../kubernetes/core/certificateRequests.ts"
import { nextGeneration, strategyOf } from "../../kubernetes/admission/kindStrategies.ts"
import { resolveFeatureGates } from "../../kubernetes/meta/featureGates.ts"
import { resources, groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { schedulingGatedStatus, hasSchedulingGates } from "../../kubernetes/pods/schedulingGates.ts"
import { timestampMillis, timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { prepareCustomCreate, prepareCustomStatus, prepareCustomUpdate } from "./prepareCustomObject.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { FeatureGates } from "../../kubernetes/meta/featureGates.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"
import type {
  Draft,
  KubeObject,
  Namespace,
  Pod,
  PodStatus,
  ReplicaSetStatus
} from "../../kubernetes/meta/objects.ts"

/**
 * The fields that the server sets or keeps.
 * Source: apiserver/pkg/registry/rest (create.go, update.go), pkg/registry (apps/deployment, apps/replicaset,
 * core/pod, certificates: strategy.go).
 */

/**
 * A namespace's finalizers belong to the sub-resource `finalize`; a CertificateSigningRequest's spec is immutable.
 */
const immutableSpecResources: ReadonlySet<string> = new Set([
  resources.namespaces,
  resources.certificateRequests
])

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
  const { generationFields, onCreate } = strategyOf(resource)
  const object = {
    ...draft,
    metadata: {
      ...withoutServerFields(draft.metadata),
      name: options.name,
      uid: options.uid,
      // Set when the object is stored.
      resourceVersion: "",
      creationTimestamp: timestampOf(options.nowMillis),
      ...(generationFields === undefined ? {} : { generation: 1 })
    }
  }
  if (onCreate !== undefined) return onCreate(object)
  if (resource === resources.certificateRequests) return withRequester(object, options.user)
  return kind.custom === undefined ? object : prepareCustomCreate(kind.custom, object)
}

const serverFields = [
  "resourceVersion",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink"
] as const

/** Drafts rarely have any of these fields: their metadata stay as they are. */
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

export const withFirstStatus = (resource: string, object: KubeObject, nowMillis: number): KubeObject => {
  switch (resource) {
    case resources.pods:
      return withStatus(object, firstPodStatus(object as Pod))
    case resources.namespaces:
      return withStatus(withNamespaceFinalizer(object as Namespace), { phase: "Active" })
  }
  const { hasStatusSubresource = false, firstStatus } = strategyOf(resource)
  if (!hasStatusSubresource) return object
  return withStatus(object, firstStatus?.(object, nowMillis) ?? {})
}

const withNamespaceFinalizer = (namespace: Namespace): Namespace => {
  const { finalizers = [] } = namespace.spec ?? {}
  return finalizers.includes("kubernetes")
    ? namespace
    : { ...namespace, spec: { ...namespace.spec, finalizers: [...finalizers, "kubernetes"] } }
}

const withStatus = (object: KubeObject, status: object) => ({ ...object, status })

const firstPodStatus = (pod: Pod): PodStatus => {
  const status = { phase: "Pending", qosClass: qosClassOf(pod.spec) }
  const { creationTimestamp } = pod.metadata
  return hasSchedulingGates(pod)
    ? schedulingGatedStatus({ ...pod, status }, timestampMillis(creationTimestamp))
    : status
}

export const prepareUpdate = (kind: Kind, old: KubeObject & SentObject, next: SentObject): KubeObject => {
  if (kind.custom !== undefined) {
    const { object, generation } = prepareCustomUpdate(kind.custom, old, next)
    return { ...object, metadata: preservedMetadata(old, next, { generation }) }
  }
  const resource = groupResourceOf(kind)
  const { status: _status, ...rest } = next
  const spec = immutableSpecResources.has(resource) && old.spec !== undefined ? { spec: old.spec } : {}
  const strategy = strategyOf(resource)
  const withStoredParts =
    strategy.hasStatusSubresource === true ? { ...rest, ...spec, ...statusOf(old) } : next
  const merged = strategy.onUpdate?.(withStoredParts, old) ?? withStoredParts
  const generation =
    strategy.generationFields === undefined ? {} : { generation: nextGeneration(strategy, old, merged) }
  return { ...merged, metadata: preservedMetadata(old, merged, generation) }
}

interface StatusWrite {
  readonly nowMillis: number
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
  if (kind.custom !== undefined) return prepareCustomStatus(old, { ...next })
  const resource = groupResourceOf(kind)
  const { statusKeepsMetadata = false, onStatus } = strategyOf(resource)
  const metadata = statusKeepsMetadata
    ? withWrittenManagedFields(old, next)
    : withStoredField(old, next, fieldKeptByStatusWrite.get(resource))
  const generation = old.metadata.generation === undefined ? {} : { generation: old.metadata.generation }
  const object = {
    ...old,
    metadata: preservedMetadata(old, { ...next, metadata }, generation),
    ...statusOf(withAllowedStatus(resource, old, next, write))
  }
  return onStatus?.(object, old, write.nowMillis) ?? object
}

const withWrittenManagedFields = (old: KubeObject, next: SentObject): SentObject["metadata"] => {
  const { managedFields: _stored, ...metadata }: ManagedMetadata = old.metadata
  const { managedFields }: Partial<ManagedMetadata> = next.metadata
  return managedFields === undefined ? metadata : { ...metadata, managedFields }
}

type ManagedMetadata = KubeObject["metadata"] & { readonly managedFields?: unknown }

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

/** Source: pkg/registry/apps/deployment/strategy.go, replicaset/strategy.go (dropDisabledStatusFields). */
const withEnabledTerminatingCount = (old: SentObject, next: SentObject, gates: FeatureGates): SentObject => {
  const [stored, written] = [old.status, next.status] as ReadonlyArray<ReplicaSetStatus | undefined>
  const isDisabled =
    !gates.DeploymentReplicaSetTerminatingReplicas && stored?.terminatingReplicas === undefined
  if (!isDisabled || written?.terminatingReplicas === undefined) return next
  const { terminatingReplicas: _disabled, ...status } = written
  return { ...next, status }
}

type MetadataField = "labels" | "ownerReferences"

const fieldKeptByStatusWrite: ReadonlyMap<string, MetadataField> = new Map([
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
  const storedField = old.metadata[field]
  return storedField === undefined ? others : { ...others, [field]: storedField }
}

const statusOf = (object: SentObject): object =>
  object.status === undefined ? {} : { status: object.status }

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
