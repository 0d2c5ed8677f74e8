import {
  allResourceVerbs,
  type GroupResource,
  type Kind,
  type ResourceVerb,
  type Subresource
} from "./kindTypes.ts"

interface KindOptions {
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
  readonly namespaced?: boolean
  readonly singular?: string
  readonly verbs?: ReadonlyArray<ResourceVerb>
  readonly subresources?: ReadonlyArray<SubresourceRow>
  readonly storedAs?: GroupResource
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
  storedAs: options.storedAs
})

const clusterScoped = { namespaced: false } as const
const allCategory = ["all"] as const
const apiExtensionsCategory = ["api-extensions"] as const
const readAndWriteVerbs = ["get", "patch", "update"] as const
const createVerb = ["create"] as const

const status: SubresourceRow = { name: "status", verbs: readAndWriteVerbs }
const approval: SubresourceRow = { name: "approval", verbs: readAndWriteVerbs }
const scale: SubresourceRow = {
  name: "scale",
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  verbs: readAndWriteVerbs
}

const pluralOf = (kind: string): string => {
  const word = kind.toLowerCase()
  return word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`
}

/** Creating a review answers a question and stores nothing. */
const defineReview = (group: string, kind: string, { namespaced = false } = {}): Kind =>
  defineKind(group, "v1", kind, `${kind.toLowerCase()}s`, { namespaced, verbs: createVerb })

/** A new kind comes last: the order is that of snapshots and relists. */
export const builtInKindTable: ReadonlyArray<Kind> = [
  defineKind("apps", "v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: allCategory,
    subresources: [scale, status]
  }),
  defineKind("apps", "v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: allCategory,
    subresources: [scale, status]
  }),
  defineKind("", "v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: allCategory,
    subresources: [
      { name: "binding", kind: "Binding", verbs: createVerb },
      { name: "ephemeralcontainers", verbs: readAndWriteVerbs },
      { name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: createVerb },
      { name: "log", verbs: ["get"] },
      { name: "resize", verbs: readAndWriteVerbs },
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
  defineKind("", "v1", "Binding", "bindings", { verbs: createVerb }),
  defineKind("", "v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  defineKind("", "v1", "Secret", "secrets"),
  defineKind("", "v1", "Service", "services", {
    shortNames: ["svc"],
    categories: allCategory,
    subresources: [status]
  }),
  defineKind("", "v1", "Endpoints", "endpoints", { shortNames: ["ep"] }),
  defineKind("", "v1", "ServiceAccount", "serviceaccounts", {
    shortNames: ["sa"],
    subresources: [
      {
        name: "token",
        group: "authentication.k8s.io",
        version: "v1",
        kind: "TokenRequest",
        verbs: createVerb
      }
    ]
  }),
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
    categories: allCategory,
    subresources: [scale, status]
  }),
  defineKind("apps", "v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: allCategory,
    subresources: [status]
  }),
  defineKind("apps", "v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: allCategory,
    subresources: [scale, status]
  }),
  defineKind("apps", "v1", "ControllerRevision", "controllerrevisions"),
  defineKind("events.k8s.io", "v1", "Event", "events", { shortNames: ["ev"], storedAs: "events" }),
  defineReview("authentication.k8s.io", "SelfSubjectReview"),
  defineReview("authentication.k8s.io", "TokenReview"),
  defineReview("authorization.k8s.io", "LocalSubjectAccessReview", { namespaced: true }),
  defineReview("authorization.k8s.io", "SelfSubjectAccessReview"),
  defineReview("authorization.k8s.io", "SelfSubjectRulesReview"),
  defineReview("authorization.k8s.io", "SubjectAccessReview"),
  defineKind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: allCategory,
    subresources: [status]
  }),
  defineKind("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: allCategory,
    subresources: [status],
    storedAs: "horizontalpodautoscalers.autoscaling"
  }),
  defineKind("batch", "v1", "Job", "jobs", { categories: allCategory, subresources: [status] }),
  defineKind("batch", "v1", "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: allCategory,
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
    categories: apiExtensionsCategory,
    subresources: [status]
  }),
  defineKind("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", {
    ...clusterScoped,
    shortNames: ["pc"]
  }),
  defineKind("coordination.k8s.io", "v1", "Lease", "leases"),
  defineKind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"),
  defineKind("", "v1", "ComponentStatus", "componentstatuses", {
    ...clusterScoped,
    shortNames: ["cs"],
    verbs: ["get", "list"]
  }),
  ...[
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration"
  ].map((kind) =>
    defineKind("admissionregistration.k8s.io", "v1", kind, pluralOf(kind), {
      ...clusterScoped,
      categories: apiExtensionsCategory,
      subresources: kind === "ValidatingAdmissionPolicy" ? [status] : []
    })
  ),
  defineKind("apiregistration.k8s.io", "v1", "APIService", "apiservices", {
    ...clusterScoped,
    categories: apiExtensionsCategory,
    subresources: [status]
  }),
  defineKind("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", "flowschemas", {
    ...clusterScoped,
    subresources: [status]
  }),
  defineKind(
    "flowcontrol.apiserver.k8s.io",
    "v1",
    "PriorityLevelConfiguration",
    "prioritylevelconfigurations",
    { ...clusterScoped, subresources: [status] }
  ),
  defineKind("networking.k8s.io", "v1", "IPAddress", "ipaddresses", { ...clusterScoped, shortNames: ["ip"] }),
  defineKind("networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs", {
    ...clusterScoped,
    subresources: [status]
  }),
  defineKind("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", clusterScoped),
  defineKind("resource.k8s.io", "v1", "DeviceClass", "deviceclasses", clusterScoped),
  defineKind("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", { subresources: [status] }),
  defineKind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates"),
  defineKind("resource.k8s.io", "v1", "ResourceSlice", "resourceslices", clusterScoped),
  defineKind("storage.k8s.io", "v1", "CSIDriver", "csidrivers", clusterScoped),
  defineKind("storage.k8s.io", "v1", "CSINode", "csinodes", clusterScoped),
  defineKind("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities"),
  defineKind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", {
    ...clusterScoped,
    subresources: [status]
  }),
  defineKind("storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses", {
    ...clusterScoped,
    shortNames: ["vac"]
  }),
  defineKind("metrics.k8s.io", "v1beta1", "NodeMetrics", "nodes", {
    ...clusterScoped,
    verbs: ["get", "list"]
  }),
  defineKind("metrics.k8s.io", "v1beta1", "PodMetrics", "pods", { verbs: ["get", "list"] }),
  defineKind("custom.metrics.k8s.io", "v1beta2", "MetricValueList", "pods", { verbs: ["get"] }),
  defineKind("external.metrics.k8s.io", "v1beta1", "ExternalMetricValueList", "metrics", { verbs: ["get"] })
]
