import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { ageColumn, ageText, makeColumn, listOrNone, nameColumn, orNone } from "./tableColumn.ts"
import type * as Apps from "kubernetes-types/apps/v1.js"
import type * as Batch from "kubernetes-types/batch/v1.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Networking from "kubernetes-types/networking/v1.js"
import type * as Rbac from "kubernetes-types/rbac/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Kinds that no controller acts on. Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */

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
  makeColumn<Templated>(
    "Containers",
    { wide: true, description: "Names of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ name }) => name))
  ),
  makeColumn<Templated>(
    "Images",
    { wide: true, description: "Images of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ image = "" }) => image))
  ),
  makeColumn<Templated>(
    "Selector",
    { wide: true, description: "The labels by which it finds its Pods." },
    ({ spec }) => orNone(formatSelector(spec?.selector ?? {}))
  )
] as const

type DaemonSet = Spec<Apps.DaemonSet>

const daemons = (name: string, field: keyof Apps.DaemonSetStatus, tells: string): TableColumn =>
  makeColumn<DaemonSet>(name, { type: "integer", description: tells }, ({ status }) =>
    Number(status?.[field] ?? 0)
  )

const daemonSetColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  daemons("Desired", "desiredNumberScheduled", "Nodes that should run it."),
  daemons("Current", "currentNumberScheduled", "Nodes that run it."),
  daemons("Ready", "numberReady", "Nodes where it is ready."),
  daemons("Up-to-date", "updatedNumberScheduled", "Nodes with the present template."),
  daemons("Available", "numberAvailable", "Nodes where it has been ready for long enough."),
  makeColumn<DaemonSet>("Node Selector", { description: "Which nodes it is for." }, ({ spec }) =>
    orNone(formatSelector({ matchLabels: spec?.template.spec?.nodeSelector ?? {} }))
  ),
  ageColumn,
  containers,
  images,
  selector
]

type StatefulSet = Spec<Apps.StatefulSet>

const statefulSetColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<StatefulSet>(
    "Ready",
    { description: "Ready Pods out of those wanted." },
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}`
  ),
  ageColumn,
  containers,
  images
]

type ReplicationController = Spec<Core.ReplicationController>

const replicationControllerColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ReplicationController>(
    "Desired",
    { type: "integer", description: "Pods wanted." },
    ({ spec }) => spec?.replicas ?? 1
  ),
  makeColumn<ReplicationController>(
    "Current",
    { type: "integer", description: "Pods there are." },
    ({ status }) => status?.replicas ?? 0
  ),
  makeColumn<ReplicationController>(
    "Ready",
    { type: "integer", description: "Pods that are ready." },
    ({ status }) => status?.readyReplicas ?? 0
  ),
  ageColumn,
  containers,
  images,
  makeColumn<ReplicationController>(
    "Selector",
    { wide: true, description: "The labels by which it finds its Pods." },
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
  const endMillis = status.completionTime === undefined ? nowMillis : timestampMillis(status.completionTime)
  return shortAge(endMillis - timestampMillis(status.startTime))
}

const jobColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Job>("Status", { description: "What has become of it." }, jobStatus),
  makeColumn<Job>(
    "Completions",
    { description: "Pods that ended well out of those wanted." },
    ({ spec, status }) => `${status?.succeeded ?? 0}/${spec?.completions ?? 1}`
  ),
  makeColumn<Job>("Duration", { description: "How long it took." }, jobDuration),
  ageColumn,
  containers,
  images,
  selector
]

type CronJob = Spec<Batch.CronJob>

const cronJobColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<CronJob>("Schedule", { description: "When it runs." }, ({ spec }) => spec?.schedule ?? ""),
  makeColumn<CronJob>("Timezone", { description: "Where that is meant." }, ({ spec }) =>
    orNone(spec?.timeZone)
  ),
  makeColumn<CronJob>("Suspend", { type: "boolean", description: "Whether it rests." }, ({ spec }) =>
    spec?.suspend === true ? "True" : "False"
  ),
  makeColumn<CronJob>(
    "Active",
    { type: "integer", description: "Jobs that run." },
    ({ status }) => status?.active?.length ?? 0
  ),
  makeColumn<CronJob>("Last Schedule", { description: "When it ran last." }, ({ status }, nowMillis) =>
    status?.lastScheduleTime === undefined ? "<none>" : ageText(status.lastScheduleTime, nowMillis)
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

const ingressColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Ingress>("Class", { description: "Who serves it." }, ({ spec }) =>
    orNone(spec?.ingressClassName)
  ),
  makeColumn<Ingress>("Hosts", { description: "The hosts it is for." }, hostsOf),
  makeColumn<Ingress>("Address", { description: "Where it can be reached." }, ({ status }) =>
    (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "").join(",")
  ),
  makeColumn<Ingress>("Ports", { description: "The ports it is reached at." }, ({ spec }) =>
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80"
  ),
  ageColumn
]

const ingressClassColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Spec<Networking.IngressClass & { status?: unknown }>>(
    "Controller",
    { description: "Who serves it." },
    ({ spec }) => spec?.controller ?? ""
  ),
  makeColumn<Spec<Networking.IngressClass & { status?: unknown }>>(
    "Parameters",
    { description: "An object with more about it." },
    ({ spec: { parameters } = {} }) => {
      if (parameters === undefined) return "<none>"
      const { apiGroup, kind, name } = parameters
      return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`
    }
  ),
  ageColumn
]

const networkPolicyColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Templated & { spec?: { podSelector?: LabelSelector } }>(
    "Pod-Selector",
    { description: "The Pods it is about." },
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

const bindingColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Bound>(
    "Role",
    { description: "What is granted." },
    ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`
  ),
  ageColumn,
  makeColumn<Bound>("Users", { wide: true, description: "Users it is granted to." }, subjectsOf("User")),
  makeColumn<Bound>("Groups", { wide: true, description: "Groups it is granted to." }, subjectsOf("Group")),
  makeColumn<Bound>(
    "ServiceAccounts",
    { wide: true, description: "Service accounts it is granted to." },
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

const phaseOrTerminating = (object: KubeObject, phase: string | undefined): string =>
  object.metadata.deletionTimestamp === undefined ? (phase ?? "") : "Terminating"

const volumeColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Volume>(
    "Capacity",
    { description: "What it holds." },
    ({ spec }) => spec?.capacity?.["storage"] ?? ""
  ),
  makeColumn<Volume>("Access Modes", { description: "Who may use it how." }, ({ spec }) =>
    modesOf(spec?.accessModes)
  ),
  makeColumn<Volume>(
    "Reclaim Policy",
    { description: "What becomes of it after its claim." },
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""
  ),
  makeColumn<Volume>("Status", { description: "Whether it is claimed." }, (volume) =>
    phaseOrTerminating(volume, volume.status?.phase)
  ),
  makeColumn<Volume>("Claim", { description: "Whose it is." }, ({ spec: { claimRef } = {} }) =>
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`
  ),
  makeColumn<Volume>(
    "StorageClass",
    { description: "What it is made of." },
    ({ spec }) => spec?.storageClassName ?? ""
  ),
  makeColumn<Volume>("VolumeAttributesClass", { description: "Which attributes it has." }, ({ spec }) =>
    orUnset(spec?.volumeAttributesClassName)
  ),
  makeColumn<Volume>("Reason", { description: "Why it is as it is." }, ({ status }) => status?.reason ?? ""),
  ageColumn,
  makeColumn<Volume>("VolumeMode", { wide: true, description: "What is mounted." }, ({ spec }) =>
    orUnset(spec?.volumeMode)
  )
]

const claimColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Claim>("Status", { description: "Whether it has a volume." }, (claim) =>
    phaseOrTerminating(claim, claim.status?.phase)
  ),
  makeColumn<Claim>("Volume", { description: "Which one it has." }, ({ spec }) => spec?.volumeName ?? ""),
  makeColumn<Claim>("Capacity", { description: "What it holds." }, ({ spec, status }) =>
    spec?.volumeName === undefined ? "" : (status?.capacity?.["storage"] ?? "")
  ),
  makeColumn<Claim>("Access Modes", { description: "Who may use it how." }, ({ spec, status }) =>
    spec?.volumeName === undefined ? "" : modesOf(status?.accessModes)
  ),
  makeColumn<Claim>(
    "StorageClass",
    { description: "What it is made of." },
    ({ spec }) => spec?.storageClassName ?? ""
  ),
  makeColumn<Claim>("VolumeAttributesClass", { description: "Which attributes it has." }, ({ spec }) =>
    orUnset(spec?.volumeAttributesClassName)
  ),
  ageColumn,
  makeColumn<Claim>("VolumeMode", { wide: true, description: "What is mounted." }, ({ spec }) =>
    orUnset(spec?.volumeMode)
  )
]

type StorageClass = KubeObject & Storage.StorageClass

const storageClassColumns: ReadonlyArray<TableColumn> = [
  {
    ...nameColumn,
    cell: ({ metadata: { name, annotations } }) =>
      annotations?.["storageclass.kubernetes.io/is-default-class"] === "true" ? `${name} (default)` : name
  },
  makeColumn<StorageClass>(
    "Provisioner",
    { description: "Who makes its volumes." },
    ({ provisioner }) => provisioner
  ),
  makeColumn<StorageClass>(
    "ReclaimPolicy",
    { description: "What becomes of a volume after its claim." },
    ({ reclaimPolicy = "Delete" }) => reclaimPolicy
  ),
  makeColumn<StorageClass>(
    "VolumeBindingMode",
    { description: "When a volume is made." },
    ({ volumeBindingMode = "Immediate" }) => volumeBindingMode
  ),
  {
    ...makeColumn("AllowVolumeExpansion", { description: "Whether volumes can grow." }, () => ""),
    cell: (object) => (object as StorageClass).allowVolumeExpansion ?? false
  },
  ageColumn
]

type ControllerRevision = KubeObject & Apps.ControllerRevision

const controllerRevisionColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ControllerRevision>("Controller", { description: "Whose revision it is." }, ({ metadata }) => {
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true)
    return owner === undefined
      ? "<none>"
      : `${owner.kind.toLowerCase()}.${owner.apiVersion.split("/")[0]}/${owner.name}`
  }),
  makeColumn<ControllerRevision>("Revision", { description: "Which one." }, ({ revision }) => revision),
  ageColumn
]

export const passiveKindColumns: Readonly<Record<string, ReadonlyArray<TableColumn>>> = {
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
