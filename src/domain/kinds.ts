import type { CustomVersion } from "./customResources/definitions.ts"

/**
 * What each kind is: its group and version, its names, whether it lives in a namespace, and what one may do
 * with it. One row a kind.
 *
 * Source of the names: the resources that kube-apiserver 1.36 lists in discovery (`api/discovery`).
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
  readonly verbs: ReadonlyArray<Verb>
  readonly subresources: ReadonlyArray<Subresource>
  /** The resource whose stored objects this kind shows in its own words; without it, it stores its own. */
  readonly viewOf?: GroupResource | undefined
  /** Where the kind came with a definition at run time: what that says of it. */
  readonly custom?: CustomVersion
}

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch"

/** What is served under the name of an object: `status`, `scale`. Its bodies may be of another kind. */
export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: ReadonlyArray<Verb>
}

/** How the store addresses a kind and messages name it: `pods`, `deployments.apps`. */
export type GroupResource = string

export const allVerbs: ReadonlyArray<Verb> = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch"
]

interface Row {
  readonly short?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
  readonly namespaced?: boolean
  readonly singular?: string
  readonly verbs?: ReadonlyArray<Verb>
  readonly under?: ReadonlyArray<UnderRow>
  readonly viewOf?: GroupResource
}

/** A subresource whose kind is that of the object, unless it names one. */
type UnderRow = Omit<Subresource, "group" | "version" | "kind"> & Partial<Subresource>

const row = (group: string, version: string, kind: string, plural: string, more: Row = {}): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced: more.namespaced ?? true,
  singular: more.singular ?? kind.toLowerCase(),
  shortNames: more.short ?? [],
  categories: more.categories ?? [],
  verbs: more.verbs ?? allVerbs,
  subresources: (more.under ?? []).map((under) => ({ group, version, kind, ...under })),
  viewOf: more.viewOf
})

const cluster = { namespaced: false } as const
const all = ["all"] as const
const change = ["get", "patch", "update"] as const
const once = ["create"] as const

const status: UnderRow = { name: "status", verbs: change }
const approval: UnderRow = { name: "approval", verbs: change }
const scale: UnderRow = { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: change }

/** A question: it is answered and not kept. */
const review = (group: string, kind: string, namespaced = false): Kind =>
  row(group, "v1", kind, `${kind.toLowerCase()}s`, { namespaced, verbs: once })

const kinds: ReadonlyArray<Kind> = [
  row("apps", "v1", "Deployment", "deployments", {
    short: ["deploy"],
    categories: all,
    under: [scale, status]
  }),
  row("apps", "v1", "ReplicaSet", "replicasets", { short: ["rs"], categories: all, under: [scale, status] }),
  row("", "v1", "Pod", "pods", {
    short: ["po"],
    categories: all,
    under: [
      { name: "binding", kind: "Binding", verbs: once },
      { name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: once },
      { name: "log", verbs: ["get"] },
      status
    ]
  }),
  row("", "v1", "Node", "nodes", { ...cluster, short: ["no"], under: [status] }),
  row("", "v1", "Namespace", "namespaces", {
    ...cluster,
    short: ["ns"],
    verbs: allVerbs.filter((verb) => verb !== "deletecollection"),
    under: [{ name: "finalize", verbs: ["update"] }, status]
  }),
  row("", "v1", "Event", "events", { short: ["ev"] }),
  row("", "v1", "Binding", "bindings", { verbs: once }),
  row("", "v1", "ConfigMap", "configmaps", { short: ["cm"] }),
  row("", "v1", "Secret", "secrets"),
  row("", "v1", "Service", "services", { short: ["svc"], categories: all, under: [status] }),
  row("", "v1", "Endpoints", "endpoints", { short: ["ep"] }),
  row("", "v1", "ServiceAccount", "serviceaccounts", { short: ["sa"] }),
  row("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", { short: ["pvc"], under: [status] }),
  row("", "v1", "PersistentVolume", "persistentvolumes", { ...cluster, short: ["pv"], under: [status] }),
  row("", "v1", "ResourceQuota", "resourcequotas", { short: ["quota"], under: [status] }),
  row("", "v1", "LimitRange", "limitranges", { short: ["limits"] }),
  row("", "v1", "PodTemplate", "podtemplates"),
  row("", "v1", "ReplicationController", "replicationcontrollers", {
    short: ["rc"],
    categories: all,
    under: [scale, status]
  }),
  row("apps", "v1", "DaemonSet", "daemonsets", { short: ["ds"], categories: all, under: [status] }),
  row("apps", "v1", "StatefulSet", "statefulsets", {
    short: ["sts"],
    categories: all,
    under: [scale, status]
  }),
  row("apps", "v1", "ControllerRevision", "controllerrevisions"),
  row("events.k8s.io", "v1", "Event", "events", { short: ["ev"], viewOf: "events" }),
  review("authentication.k8s.io", "SelfSubjectReview"),
  review("authentication.k8s.io", "TokenReview"),
  review("authorization.k8s.io", "LocalSubjectAccessReview", true),
  review("authorization.k8s.io", "SelfSubjectAccessReview"),
  review("authorization.k8s.io", "SelfSubjectRulesReview"),
  review("authorization.k8s.io", "SubjectAccessReview"),
  row("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    short: ["hpa"],
    categories: all,
    under: [status]
  }),
  row("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    short: ["hpa"],
    categories: all,
    under: [status],
    viewOf: "horizontalpodautoscalers.autoscaling"
  }),
  row("batch", "v1", "Job", "jobs", { categories: all, under: [status] }),
  row("batch", "v1", "CronJob", "cronjobs", { short: ["cj"], categories: all, under: [status] }),
  row("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", {
    ...cluster,
    short: ["csr"],
    under: [approval, status]
  }),
  row("networking.k8s.io", "v1", "Ingress", "ingresses", { short: ["ing"], under: [status] }),
  row("networking.k8s.io", "v1", "IngressClass", "ingressclasses", cluster),
  row("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", { short: ["netpol"] }),
  row("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", { short: ["pdb"], under: [status] }),
  row("rbac.authorization.k8s.io", "v1", "Role", "roles"),
  row("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
  row("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", cluster),
  row("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", cluster),
  row("storage.k8s.io", "v1", "StorageClass", "storageclasses", { ...cluster, short: ["sc"] }),
  row("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", {
    ...cluster,
    short: ["crd", "crds"],
    categories: ["api-extensions"],
    under: [status]
  }),
  row("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", { ...cluster, short: ["pc"] }),
  row("coordination.k8s.io", "v1", "Lease", "leases"),
  row("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
]

export const groupResourceOf = (kind: Kind): GroupResource =>
  kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`

/** `apps/v1`, or `v1` for the core group. */
export const apiVersionOf = (kind: Pick<Kind, "group" | "version">): string =>
  kind.group === "" ? kind.version : `${kind.group}/${kind.version}`

/** How messages name a kind: `Pod`, `Deployment.apps`. */
export const groupKindOf = (kind: Kind): string =>
  kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`

/** Every kind a client may name: what is stored, other views of it, and questions that are only answered. */
export const servedKinds: ReadonlyArray<Kind> = kinds

/** Every kind of which objects are stored, each in the one version it is stored in. */
export const allKinds: ReadonlyArray<Kind> = kinds.filter(
  ({ viewOf, verbs }) => viewOf === undefined && verbs.includes("get")
)

const typeOf = (kind: Kind): string => `${apiVersionOf(kind)}/${kind.kind}`
const storedByResource = new Map(allKinds.map((kind) => [groupResourceOf(kind), kind]))
const storedByType = new Map(allKinds.map((kind) => [typeOf(kind), kind]))
const servedByType = new Map(servedKinds.map((kind) => [typeOf(kind), kind]))

export interface Typed {
  readonly apiVersion: string
  readonly kind: string
}

/** The kind a stored object says it is, or undefined where nothing of such a kind is stored. */
export const kindOfObject = (object: Typed): Kind | undefined =>
  storedByType.get(`${object.apiVersion}/${object.kind}`)

/** The kind a client says an object is, or undefined where nobody serves such a kind. */
export const servedKindOf = (object: Typed): Kind | undefined =>
  servedByType.get(`${object.apiVersion}/${object.kind}`)

export const kindOfResource = (resource: GroupResource): Kind | undefined => storedByResource.get(resource)

/** The kind as which objects of this kind are stored: another one for a view, or for a version that is not stored. */
export const storedKindOf = (kind: Kind): Kind =>
  kind.custom?.storedAs ?? (kind.viewOf === undefined ? undefined : kindOfResource(kind.viewOf)) ?? kind

/** The kinds of one cluster: those that are built in, and those its definitions have added. */
export interface KindRegistry {
  readonly ofObject: (object: Typed) => Kind | undefined
  readonly ofServed: (object: Typed) => Kind | undefined
  readonly ofResource: (resource: GroupResource) => Kind | undefined
  /** Every kind a client may name; the same array as long as no definition changes. */
  readonly served: () => ReadonlyArray<Kind>
  /** Every kind that a definition added, in the version it is stored in. */
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

/** The resources the controllers know by name. */
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
  persistentVolumeClaims: "persistentvolumeclaims",
  certificateRequests: "certificatesigningrequests.certificates.k8s.io"
} as const
