import type { OpenApiSchema } from "../customResources/openApiSchema.ts"

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface CustomResourceVersion {
  readonly schema: OpenApiSchema | undefined
  readonly listKind: string
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  readonly printerColumns: ReadonlyArray<PrinterColumn>
  readonly selectableFields: ReadonlyArray<string>
  /** The Warning header of a deprecated version. */
  readonly deprecationWarning: string | undefined
  /** The storage version's kind; undefined for the storage version itself. */
  readonly storageKind: Kind | undefined
}

/**
 * The kinds of the API: group, version, names, scope, verbs and sub-resources.
 *
 * Source: the resources that kube-apiserver 1.36 lists in discovery (`api/discovery`).
 */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<ResourceVerb>
  readonly subresources: ReadonlyArray<Subresource>
  /** Set for a kind that presents the stored objects of another resource in other fields. */
  readonly viewOf?: GroupResource | undefined
  /** Set for a kind that a CustomResourceDefinition added. */
  readonly custom?: CustomResourceVersion
}

export type ResourceVerb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch"

export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: ReadonlyArray<ResourceVerb>
}

/** `pods`, `deployments.apps`. */
export type GroupResource = string

export const allResourceVerbs: ReadonlyArray<ResourceVerb> = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch"
]

interface KindOptions {
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
  readonly namespaced?: boolean
  readonly singular?: string
  readonly verbs?: ReadonlyArray<ResourceVerb>
  readonly subresources?: ReadonlyArray<SubresourceRow>
  readonly viewOf?: GroupResource
}

type SubresourceRow = Omit<Subresource, "group" | "version" | "kind"> & Partial<Subresource>

const defineKind = (
  group: string,
  version: string,
  kind: string,
  plural: string,
  options: KindOptions = {}
): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced: options.namespaced ?? true,
  singular: options.singular ?? kind.toLowerCase(),
  shortNames: options.shortNames ?? [],
  categories: options.categories ?? [],
  verbs: options.verbs ?? allResourceVerbs,
  subresources: (options.subresources ?? []).map((subresource) => ({ group, version, kind, ...subresource })),
  viewOf: options.viewOf
})

const clusterScoped = { namespaced: false } as const
const all = ["all"] as const
const readAndWrite = ["get", "patch", "update"] as const
const createOnly = ["create"] as const

const status: SubresourceRow = { name: "status", verbs: readAndWrite }
const approval: SubresourceRow = { name: "approval", verbs: readAndWrite }
const scale: SubresourceRow = {
  name: "scale",
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  verbs: readAndWrite
}

/** A kind that answers a question and stores nothing. */
const defineReview = (group: string, kind: string, namespaced = false): Kind =>
  defineKind(group, "v1", kind, `${kind.toLowerCase()}s`, { namespaced, verbs: createOnly })

const kinds: ReadonlyArray<Kind> = [
  defineKind("apps", "v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: all,
    subresources: [scale, status]
  }),
  defineKind("apps", "v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: all,
    subresources: [scale, status]
  }),
  defineKind("", "v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: all,
    subresources: [
      { name: "binding", kind: "Binding", verbs: createOnly },
      { name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: createOnly },
      { name: "log", verbs: ["get"] },
      status
    ]
  }),
  defineKind("", "v1", "Node", "nodes", { ...clusterScoped, shortNames: ["no"], subresources: [status] }),
  defineKind("", "v1", "Namespace", "namespaces", {
    ...clusterScoped,
    shortNames: ["ns"],
    verbs: allResourceVerbs.filter((verb) => verb !== "deletecollection"),
    subresources: [{ name: "finalize", verbs: ["update"] }, status]
  }),
  defineKind("", "v1", "Event", "events", { shortNames: ["ev"] }),
  defineKind("", "v1", "Binding", "bindings", { verbs: createOnly }),
  defineKind("", "v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  defineKind("", "v1", "Secret", "secrets"),
  defineKind("", "v1", "Service", "services", {
    shortNames: ["svc"],
    categories: all,
    subresources: [status]
  }),
  defineKind("", "v1", "Endpoints", "endpoints", { shortNames: ["ep"] }),
  defineKind("", "v1", "ServiceAccount", "serviceaccounts", { shortNames: ["sa"] }),
  defineKind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    shortNames: ["pvc"],
    subresources: [status]
  }),
  defineKind("", "v1", "PersistentVolume", "persistentvolumes", {
    ...clusterScoped,
    shortNames: ["pv"],
    subresources: [status]
  }),
  defineKind("", "v1", "ResourceQuota", "resourcequotas", { shortNames: ["quota"], subresources: [status] }),
  defineKind("", "v1", "LimitRange", "limitranges", { shortNames: ["limits"] }),
  defineKind("", "v1", "PodTemplate", "podtemplates"),
  defineKind("", "v1", "ReplicationController", "replicationcontrollers", {
    shortNames: ["rc"],
    categories: all,
    subresources: [scale, status]
  }),
  defineKind("apps", "v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: all,
    subresources: [status]
  }),
  defineKind("apps", "v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: all,
    subresources: [scale, status]
  }),
  defineKind("apps", "v1", "ControllerRevision", "controllerrevisions"),
  defineKind("events.k8s.io", "v1", "Event", "events", { shortNames: ["ev"], viewOf: "events" }),
  defineReview("authentication.k8s.io", "SelfSubjectReview"),
  defineReview("authentication.k8s.io", "TokenReview"),
  defineReview("authorization.k8s.io", "LocalSubjectAccessReview", true),
  defineReview("authorization.k8s.io", "SelfSubjectAccessReview"),
  defineReview("authorization.k8s.io", "SelfSubjectRulesReview"),
  defineReview("authorization.k8s.io", "SubjectAccessReview"),
  defineKind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: all,
    subresources: [status]
  }),
  defineKind("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: all,
    subresources: [status],
    viewOf: "horizontalpodautoscalers.autoscaling"
  }),
  defineKind("batch", "v1", "Job", "jobs", { categories: all, subresources: [status] }),
  defineKind("batch", "v1", "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: all,
    subresources: [status]
  }),
  defineKind("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", {
    ...clusterScoped,
    shortNames: ["csr"],
    subresources: [approval, status]
  }),
  defineKind("networking.k8s.io", "v1", "Ingress", "ingresses", {
    shortNames: ["ing"],
    subresources: [status]
  }),
  defineKind("networking.k8s.io", "v1", "IngressClass", "ingressclasses", clusterScoped),
  defineKind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", { shortNames: ["netpol"] }),
  defineKind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    subresources: [status]
  }),
  defineKind("rbac.authorization.k8s.io", "v1", "Role", "roles"),
  defineKind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
  defineKind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", clusterScoped),
  defineKind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", clusterScoped),
  defineKind("storage.k8s.io", "v1", "StorageClass", "storageclasses", {
    ...clusterScoped,
    shortNames: ["sc"]
  }),
  defineKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", {
    ...clusterScoped,
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    subresources: [status]
  }),
  defineKind("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", {
    ...clusterScoped,
    shortNames: ["pc"]
  }),
  defineKind("coordination.k8s.io", "v1", "Lease", "leases"),
  defineKind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
]

export const groupResourceOf = (kind: Kind): GroupResource => {
  if (kind.group === "") return kind.plural
  const present = groupResources.get(kind)
  if (present !== undefined) return present
  const resource = `${kind.plural}.${kind.group}`
  groupResources.set(kind, resource)
  return resource
}

const groupResources = new WeakMap<Kind, GroupResource>()

/** `apps/v1`, or `v1` for the core group. */
export const apiVersionOf = (kind: Pick<Kind, "group" | "version">): string =>
  kind.group === "" ? kind.version : `${kind.group}/${kind.version}`

/** `Pod`, `Deployment.apps`. */
export const groupKindOf = (kind: Kind): string =>
  kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`

/** All kinds that the API serves: stored ones, views of those, and reviews. */
export const servedKinds: ReadonlyArray<Kind> = kinds

/** All stored kinds, each in its storage version. */
export const storedKinds: ReadonlyArray<Kind> = kinds.filter(
  ({ viewOf, verbs }) => viewOf === undefined && verbs.includes("get")
)

/** By `kind`, then by `apiVersion`: every write looks its kind up, without a text of both. */
type KindsByType = ReadonlyMap<string, ReadonlyMap<string, Kind>>

const kindsByType = (of: ReadonlyArray<Kind>): KindsByType => {
  const byType = new Map<string, Map<string, Kind>>()
  for (const kind of of) {
    const versions = byType.get(kind.kind) ?? new Map<string, Kind>()
    byType.set(kind.kind, versions.set(apiVersionOf(kind), kind))
  }
  return byType
}

const storedByResource = new Map(storedKinds.map((kind) => [groupResourceOf(kind), kind]))
const storedByType = kindsByType(storedKinds)
const servedByType = kindsByType(servedKinds)

export interface ObjectTypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** The stored kind of an object. */
export const kindOfObject = (object: ObjectTypeMeta): Kind | undefined =>
  storedByType.get(object.kind)?.get(object.apiVersion)

/** The served kind of an object: a stored kind, a view or a review. */
export const servedKindOf = (object: ObjectTypeMeta): Kind | undefined =>
  servedByType.get(object.kind)?.get(object.apiVersion)

export const kindOfResource = (resource: GroupResource): Kind | undefined => storedByResource.get(resource)

/** The kind that objects of this kind are stored as; differs for views and for versions that are not stored. */
export const storedKindOf = (kind: Kind): Kind =>
  kind.custom?.storageKind ?? (kind.viewOf === undefined ? undefined : kindOfResource(kind.viewOf)) ?? kind

/** The kinds that an API server knows: the built-in ones, and those of its CustomResourceDefinitions. */
export interface KindRegistry {
  /** The stored kind of an object. */
  readonly ofObject: (object: ObjectTypeMeta) => Kind | undefined
  /** The served kind of an object: a stored kind, a view or a review. */
  readonly ofServed: (object: ObjectTypeMeta) => Kind | undefined
  readonly ofResource: (resource: GroupResource) => Kind | undefined
  /** All served kinds; the same array as long as no definition changes. */
  readonly served: () => ReadonlyArray<Kind>
  readonly custom: () => ReadonlyArray<Kind>
}

const noKinds: ReadonlyArray<Kind> = []

export const builtInKinds: KindRegistry = {
  ofObject: kindOfObject,
  ofServed: servedKindOf,
  ofResource: kindOfResource,
  served: () => servedKinds,
  custom: () => noKinds
}

/** The resources that the code refers to by name. */
export const resources = {
  deployments: "deployments.apps",
  replicaSets: "replicasets.apps",
  pods: "pods",
  nodes: "nodes",
  namespaces: "namespaces",
  events: "events",
  leases: "leases.coordination.k8s.io",
  resourceQuotas: "resourcequotas",
  limitRanges: "limitranges",
  services: "services",
  endpoints: "endpoints",
  endpointSlices: "endpointslices.discovery.k8s.io",
  serviceAccounts: "serviceaccounts",
  configMaps: "configmaps",
  secrets: "secrets",
  disruptionBudgets: "poddisruptionbudgets.policy",
  persistentVolumes: "persistentvolumes",
  persistentVolumeClaims: "persistentvolumeclaims",
  storageClasses: "storageclasses.storage.k8s.io",
  certificateRequests: "certificatesigningrequests.certificates.k8s.io"
} as const
