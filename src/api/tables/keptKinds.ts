import { millisOf } from "../../domain/timestamps.ts"
import { shortAge } from "../../domain/ages.ts"
import { formatSelector } from "../../domain/selectors.ts"
import { ageColumn, ageSince, column, listOrNone, nameColumn, orNone } from "./column.ts"
import type * as Apps from "kubernetes-types/apps/v1.js"
import type * as Batch from "kubernetes-types/batch/v1.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Networking from "kubernetes-types/networking/v1.js"
import type * as Rbac from "kubernetes-types/rbac/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../domain/objects.ts"
import type { Column } from "./column.ts"

/**
 * Kinds that are stored and that no controller acts on.
 *
 * Source: pkg/printers/internalversion/printers.go (the handlers of each kind).
 */

type Spec<T extends { spec?: unknown; status?: unknown }> = KubeObject & Pick<T, "spec" | "status">

interface Templated extends KubeObject {
  readonly spec?: {
    readonly selector?: LabelSelector
    readonly template?: { readonly spec?: Core.PodSpec }
    readonly jobTemplate?: { readonly spec?: { readonly template: { readonly spec?: Core.PodSpec } } }
  }
}

const containersOf = ({ spec }: Templated) =>
  (spec?.template ?? spec?.jobTemplate?.spec?.template)?.spec?.containers ?? []

const [containers, images, selector] = [
  column<Templated>(
    "Containers",
    { wide: true, tells: "Names of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ name }) => name))
  ),
  column<Templated>("Images", { wide: true, tells: "Images of the containers in the template." }, (object) =>
    listOrNone(containersOf(object).map(({ image = "" }) => image))
  ),
  column<Templated>("Selector", { wide: true, tells: "The labels by which it finds its Pods." }, ({ spec }) =>
    orNone(formatSelector(spec?.selector ?? {}))
  )
] as const

type DaemonSet = Spec<Apps.DaemonSet>

const daemons = (name: string, field: keyof Apps.DaemonSetStatus, tells: string): Column =>
  column<DaemonSet>(name, { type: "integer", tells }, ({ status }) => Number(status?.[field] ?? 0))

const daemonSetColumns: ReadonlyArray<Column> = [
  nameColumn,
  daemons("Desired", "desiredNumberScheduled", "Nodes that should run it."),
  daemons("Current", "currentNumberScheduled", "Nodes that run it."),
  daemons("Ready", "numberReady", "Nodes where it is ready."),
  daemons("Up-to-date", "updatedNumberScheduled", "Nodes with the present template."),
  daemons("Available", "numberAvailable", "Nodes where it has been ready for long enough."),
  column<DaemonSet>("Node Selector", { tells: "Which nodes it is for." }, ({ spec }) =>
    orNone(formatSelector({ matchLabels: spec?.template.spec?.nodeSelector ?? {} }))
  ),
  ageColumn,
  containers,
  images,
  selector
]

type StatefulSet = Spec<Apps.StatefulSet>

const statefulSetColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<StatefulSet>(
    "Ready",
    { tells: "Ready Pods out of those wanted." },
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}`
  ),
  ageColumn,
  containers,
  images
]

type ReplicationController = Spec<Core.ReplicationController>

const replicationControllerColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<ReplicationController>(
    "Desired",
    { type: "integer", tells: "Pods wanted." },
    ({ spec }) => spec?.replicas ?? 1
  ),
  column<ReplicationController>(
    "Current",
    { type: "integer", tells: "Pods there are." },
    ({ status }) => status?.replicas ?? 0
  ),
  column<ReplicationController>(
    "Ready",
    { type: "integer", tells: "Pods that are ready." },
    ({ status }) => status?.readyReplicas ?? 0
  ),
  ageColumn,
  containers,
  images,
  column<ReplicationController>(
    "Selector",
    { wide: true, tells: "The labels by which it finds its Pods." },
    ({ spec }) => orNone(formatSelector({ matchLabels: spec?.selector ?? {} }))
  )
]

type Job = Spec<Batch.Job>

const jobStatus = ({ metadata, status }: Job): string => {
  const holds = (type: string) =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True")
  const ended = ["Complete", "Failed"].find(holds)
  if (ended !== undefined) return ended
  if (metadata.deletionTimestamp !== undefined) return "Terminating"
  return holds("Suspended") ? "Suspended" : "Running"
}

const jobDuration = ({ status }: Job, nowMillis: number): string => {
  if (status?.startTime === undefined) return ""
  const endMillis = status.completionTime === undefined ? nowMillis : millisOf(status.completionTime)
  return shortAge(endMillis - millisOf(status.startTime))
}

const jobColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Job>("Status", { tells: "What has become of it." }, jobStatus),
  column<Job>(
    "Completions",
    { tells: "Pods that ended well out of those wanted." },
    ({ spec, status }) => `${status?.succeeded ?? 0}/${spec?.completions ?? 1}`
  ),
  column<Job>("Duration", { tells: "How long it took." }, jobDuration),
  ageColumn,
  containers,
  images,
  selector
]

type CronJob = Spec<Batch.CronJob>

const cronJobColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<CronJob>("Schedule", { tells: "When it runs." }, ({ spec }) => spec?.schedule ?? ""),
  column<CronJob>("Timezone", { tells: "Where that is meant." }, ({ spec }) => orNone(spec?.timeZone)),
  column<CronJob>("Suspend", { type: "boolean", tells: "Whether it rests." }, ({ spec }) =>
    spec?.suspend === true ? "True" : "False"
  ),
  column<CronJob>(
    "Active",
    { type: "integer", tells: "Jobs that run." },
    ({ status }) => status?.active?.length ?? 0
  ),
  column<CronJob>("Last Schedule", { tells: "When it ran last." }, ({ status }, nowMillis) =>
    status?.lastScheduleTime === undefined ? "<none>" : ageSince(status.lastScheduleTime, nowMillis)
  ),
  ageColumn,
  containers,
  images,
  selector
]

type Ingress = Spec<Networking.Ingress>

const hostsMax = 3

const hostsOf = ({ spec }: Ingress): string => {
  const hosts = (spec?.rules ?? []).map(({ host }) => host ?? "").filter((host) => host !== "")
  if (hosts.length === 0) return "*"
  const hiddenCount = hosts.length - hostsMax
  const shownHosts = hosts.slice(0, hostsMax).join(",")
  return hiddenCount > 0 ? `${shownHosts} + ${hiddenCount} more...` : shownHosts
}

const ingressColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Ingress>("Class", { tells: "Who serves it." }, ({ spec }) => orNone(spec?.ingressClassName)),
  column<Ingress>("Hosts", { tells: "The hosts it is for." }, hostsOf),
  column<Ingress>("Address", { tells: "Where it can be reached." }, ({ status }) =>
    (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "").join(",")
  ),
  column<Ingress>("Ports", { tells: "The ports it is reached at." }, ({ spec }) =>
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80"
  ),
  ageColumn
]

const ingressClassColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Spec<Networking.IngressClass & { status?: unknown }>>(
    "Controller",
    { tells: "Who serves it." },
    ({ spec }) => spec?.controller ?? ""
  ),
  column<Spec<Networking.IngressClass & { status?: unknown }>>(
    "Parameters",
    { tells: "An object with more about it." },
    ({ spec: { parameters } = {} }) => {
      if (parameters === undefined) return "<none>"
      const { apiGroup, kind, name } = parameters
      return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`
    }
  ),
  ageColumn
]

const networkPolicyColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Templated & { spec?: { podSelector?: LabelSelector } }>(
    "Pod-Selector",
    { tells: "The Pods it is about." },
    ({ spec }) => orNone(formatSelector(spec?.podSelector ?? {}))
  ),
  ageColumn
]

type Bound = KubeObject & Pick<Rbac.RoleBinding, "roleRef" | "subjects">

const subjectsOf =
  (wanted: string) =>
  ({ subjects = [] }: Bound): string =>
    subjects
      .filter(({ kind }) => kind === wanted)
      .map(({ name, namespace }) => (wanted === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
      .join(", ")

const bindingColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Bound>("Role", { tells: "What is granted." }, ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  column<Bound>("Users", { wide: true, tells: "Users it is granted to." }, subjectsOf("User")),
  column<Bound>("Groups", { wide: true, tells: "Groups it is granted to." }, subjectsOf("Group")),
  column<Bound>(
    "ServiceAccounts",
    { wide: true, tells: "Service accounts it is granted to." },
    subjectsOf("ServiceAccount")
  )
]

const modeLetters: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP"
}

const modesOf = (modes: ReadonlyArray<string> | undefined): string => {
  const volumeModes = modes ?? []
  return Object.keys(modeLetters)
    .filter((mode) => volumeModes.includes(mode))
    .map((mode) => modeLetters[mode])
    .join(",")
}

type Volume = Spec<Core.PersistentVolume>
type Claim = Spec<Core.PersistentVolumeClaim>

const orUnset = (text: string | undefined): string => (text === undefined || text === "" ? "<unset>" : text)

const going = (object: KubeObject, phase: string | undefined): string =>
  object.metadata.deletionTimestamp === undefined ? (phase ?? "") : "Terminating"

const volumeColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Volume>("Capacity", { tells: "What it holds." }, ({ spec }) => spec?.capacity?.["storage"] ?? ""),
  column<Volume>("Access Modes", { tells: "Who may use it how." }, ({ spec }) => modesOf(spec?.accessModes)),
  column<Volume>(
    "Reclaim Policy",
    { tells: "What becomes of it after its claim." },
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""
  ),
  column<Volume>("Status", { tells: "Whether it is claimed." }, (volume) =>
    going(volume, volume.status?.phase)
  ),
  column<Volume>("Claim", { tells: "Whose it is." }, ({ spec: { claimRef } = {} }) =>
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`
  ),
  column<Volume>(
    "StorageClass",
    { tells: "What it is made of." },
    ({ spec }) => spec?.storageClassName ?? ""
  ),
  column<Volume>("VolumeAttributesClass", { tells: "Which attributes it has." }, ({ spec }) =>
    orUnset(spec?.volumeAttributesClassName)
  ),
  column<Volume>("Reason", { tells: "Why it is as it is." }, ({ status }) => status?.reason ?? ""),
  ageColumn,
  column<Volume>("VolumeMode", { wide: true, tells: "What is mounted." }, ({ spec }) =>
    orUnset(spec?.volumeMode)
  )
]

const claimColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Claim>("Status", { tells: "Whether it has a volume." }, (claim) =>
    going(claim, claim.status?.phase)
  ),
  column<Claim>("Volume", { tells: "Which one it has." }, ({ spec }) => spec?.volumeName ?? ""),
  column<Claim>("Capacity", { tells: "What it holds." }, ({ spec, status }) =>
    spec?.volumeName === undefined ? "" : (status?.capacity?.["storage"] ?? "")
  ),
  column<Claim>("Access Modes", { tells: "Who may use it how." }, ({ spec, status }) =>
    spec?.volumeName === undefined ? "" : modesOf(status?.accessModes)
  ),
  column<Claim>("StorageClass", { tells: "What it is made of." }, ({ spec }) => spec?.storageClassName ?? ""),
  column<Claim>("VolumeAttributesClass", { tells: "Which attributes it has." }, ({ spec }) =>
    orUnset(spec?.volumeAttributesClassName)
  ),
  ageColumn,
  column<Claim>("VolumeMode", { wide: true, tells: "What is mounted." }, ({ spec }) =>
    orUnset(spec?.volumeMode)
  )
]

type StorageClass = KubeObject & Storage.StorageClass

const storageClassColumns: ReadonlyArray<Column> = [
  {
    ...nameColumn,
    cell: ({ metadata: { name, annotations } }) =>
      annotations?.["storageclass.kubernetes.io/is-default-class"] === "true" ? `${name} (default)` : name
  },
  column<StorageClass>("Provisioner", { tells: "Who makes its volumes." }, ({ provisioner }) => provisioner),
  column<StorageClass>(
    "ReclaimPolicy",
    { tells: "What becomes of a volume after its claim." },
    ({ reclaimPolicy = "Delete" }) => reclaimPolicy
  ),
  column<StorageClass>(
    "VolumeBindingMode",
    { tells: "When a volume is made." },
    ({ volumeBindingMode = "Immediate" }) => volumeBindingMode
  ),
  {
    ...column("AllowVolumeExpansion", { tells: "Whether volumes can grow." }, () => ""),
    cell: (object) => (object as StorageClass).allowVolumeExpansion ?? false
  },
  ageColumn
]

type ControllerRevision = KubeObject & Apps.ControllerRevision

const controllerRevisionColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<ControllerRevision>("Controller", { tells: "Whose revision it is." }, ({ metadata }) => {
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true)
    return owner === undefined
      ? "<none>"
      : `${owner.kind.toLowerCase()}.${owner.apiVersion.split("/")[0]}/${owner.name}`
  }),
  column<ControllerRevision>("Revision", { tells: "Which one." }, ({ revision }) => revision),
  ageColumn
]

export const keptKindColumns: Readonly<Record<string, ReadonlyArray<Column>>> = {
  "daemonsets.apps": daemonSetColumns,
  "statefulsets.apps": statefulSetColumns,
  "controllerrevisions.apps": controllerRevisionColumns,
  replicationcontrollers: replicationControllerColumns,
  "jobs.batch": jobColumns,
  "cronjobs.batch": cronJobColumns,
  "ingresses.networking.k8s.io": ingressColumns,
  "ingressclasses.networking.k8s.io": ingressClassColumns,
  "networkpolicies.networking.k8s.io": networkPolicyColumns,
  "rolebindings.rbac.authorization.k8s.io": bindingColumns,
  "clusterrolebindings.rbac.authorization.k8s.io": bindingColumns,
  persistentvolumes: volumeColumns,
  persistentvolumeclaims: claimColumns,
  "storageclasses.storage.k8s.io": storageClassColumns
}
