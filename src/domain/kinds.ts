/**
 * What each kind is: its group, its plural, whether it lives in a namespace. One row a kind.
 *
 * Source of the names: the resources that kube-apiserver 1.36 lists in discovery.
 */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

/** How the store addresses a kind and messages name it: `pods`, `deployments.apps`. */
export type GroupResource = string

const row = (group: string, version: string, kind: string, plural: string, namespaced = true): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced
})

const kinds: ReadonlyArray<Kind> = [
  row("apps", "v1", "Deployment", "deployments"),
  row("apps", "v1", "ReplicaSet", "replicasets"),
  row("", "v1", "Pod", "pods"),
  row("", "v1", "Node", "nodes", false),
  row("", "v1", "Namespace", "namespaces", false),
  row("", "v1", "Event", "events"),
  row("", "v1", "ConfigMap", "configmaps"),
  row("", "v1", "Secret", "secrets"),
  row("", "v1", "Service", "services"),
  row("", "v1", "Endpoints", "endpoints"),
  row("", "v1", "ServiceAccount", "serviceaccounts"),
  row("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  row("", "v1", "PersistentVolume", "persistentvolumes", false),
  row("", "v1", "ResourceQuota", "resourcequotas"),
  row("", "v1", "LimitRange", "limitranges"),
  row("", "v1", "PodTemplate", "podtemplates"),
  row("", "v1", "ReplicationController", "replicationcontrollers"),
  row("apps", "v1", "DaemonSet", "daemonsets"),
  row("apps", "v1", "StatefulSet", "statefulsets"),
  row("apps", "v1", "ControllerRevision", "controllerrevisions"),
  row("batch", "v1", "Job", "jobs"),
  row("batch", "v1", "CronJob", "cronjobs"),
  row("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
  row("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
  row("coordination.k8s.io", "v1", "Lease", "leases"),
  row("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"),
  row("networking.k8s.io", "v1", "Ingress", "ingresses"),
  row("networking.k8s.io", "v1", "IngressClass", "ingressclasses", false),
  row("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
  row("rbac.authorization.k8s.io", "v1", "Role", "roles"),
  row("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
  row("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false),
  row("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false),
  row("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false),
  row("storage.k8s.io", "v1", "StorageClass", "storageclasses", false)
]

export const groupResourceOf = (kind: Kind): GroupResource =>
  kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`

/** `apps/v1`, or `v1` for the core group. */
export const apiVersionOf = (kind: Kind): string =>
  kind.group === "" ? kind.version : `${kind.group}/${kind.version}`

/** How messages name a kind: `Pod`, `Deployment.apps`. */
export const groupKindOf = (kind: Kind): string =>
  kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`

const kindByResource = new Map(kinds.map((kind) => [groupResourceOf(kind), kind]))
const kindByType = new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]))

/** The kind an object says it is, or undefined where nobody serves such a kind. */
export const kindOfObject = (object: {
  readonly apiVersion: string
  readonly kind: string
}): Kind | undefined => kindByType.get(`${object.apiVersion}/${object.kind}`)

export const kindOfResource = (resource: GroupResource): Kind | undefined => kindByResource.get(resource)

export const allKinds: ReadonlyArray<Kind> = kinds

/** The resources the controllers know by name. */
export const resources = {
  deployments: "deployments.apps",
  replicaSets: "replicasets.apps",
  pods: "pods",
  nodes: "nodes",
  namespaces: "namespaces",
  events: "events",
  leases: "leases.coordination.k8s.io"
} as const
