import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { ageColumn, ageText, makeColumn, nameColumn, textOrNone } from "./tableColumn.ts"
import { containersColumn, imagesColumn, selectorColumn } from "./templateColumns.ts"
import type * as Apps from "kubernetes-types/apps/v1.js"
import type * as Batch from "kubernetes-types/batch/v1.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Networking from "kubernetes-types/networking/v1.js"
import type * as Rbac from "kubernetes-types/rbac/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */

type SpecAndStatus<T extends { spec?: unknown; status?: unknown }> = KubeObject & Pick<T, "spec" | "status">

type DaemonSet = SpecAndStatus<Apps.DaemonSet>

const podCountColumn = (name: string, field: keyof Apps.DaemonSetStatus, description: string): TableColumn =>
  makeColumn<DaemonSet>(name, { type: "integer", description }, ({ status }) => Number(status?.[field] ?? 0))

const daemonSetColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  podCountColumn("Desired", "desiredNumberScheduled", "Nodes that should run a Pod of the DaemonSet."),
  podCountColumn("Current", "currentNumberScheduled", "Nodes that run a Pod of the DaemonSet."),
  podCountColumn("Ready", "numberReady", "Nodes whose Pod is ready."),
  podCountColumn("Up-to-date", "updatedNumberScheduled", "Nodes whose Pod has the current template."),
  podCountColumn("Available", "numberAvailable", "Nodes whose Pod has been ready for minReadySeconds."),
  makeColumn<DaemonSet>("Node Selector", { description: "Labels of its nodes." }, ({ spec }) =>
    textOrNone(formatSelector({ matchLabels: spec?.template.spec?.nodeSelector ?? {} }))
  ),
  ageColumn,
  containersColumn,
  imagesColumn,
  selectorColumn
]

type StatefulSet = SpecAndStatus<Apps.StatefulSet>

const statefulSetColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<StatefulSet>(
    "Ready",
    { description: "Ready Pods out of those wanted." },
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}`
  ),
  ageColumn,
  containersColumn,
  imagesColumn
]

type ReplicationController = SpecAndStatus<Core.ReplicationController>

const replicationControllerColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ReplicationController>(
    "Desired",
    { type: "integer", description: "Pods wanted." },
    ({ spec }) => spec?.replicas ?? 1
  ),
  makeColumn<ReplicationController>(
    "Current",
    { type: "integer", description: "The number of Pods." },
    ({ status }) => status?.replicas ?? 0
  ),
  makeColumn<ReplicationController>(
    "Ready",
    { type: "integer", description: "Pods that are ready." },
    ({ status }) => status?.readyReplicas ?? 0
  ),
  ageColumn,
  containersColumn,
  imagesColumn,
  makeColumn<ReplicationController>(
    "Selector",
    { wide: true, description: "The labels by which the object selects its Pods." },
    ({ spec }) => textOrNone(formatSelector({ matchLabels: spec?.selector ?? {} }))
  )
]

type Job = SpecAndStatus<Batch.Job>

const jobStatus = ({ metadata, status }: Job): string => {
  const hasCondition = (type: string) =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True")
  const endCondition = ["Complete", "Failed"].find(hasCondition)
  if (endCondition !== undefined) return endCondition
  if (metadata.deletionTimestamp !== undefined) return "Terminating"
  return hasCondition("Suspended") ? "Suspended" : "Running"
}

const jobDuration = ({ status }: Job, nowMillis: number): string => {
  if (status?.startTime === undefined) return ""
  const endMillis = status.completionTime === undefined ? nowMillis : timestampMillis(status.completionTime)
  return shortAge(endMillis - timestampMillis(status.startTime))
}

const jobColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Job>("Status", { description: "Whether the Job runs, is suspended or has ended." }, jobStatus),
  makeColumn<Job>(
    "Completions",
    { description: "Pods that succeeded, out of those wanted." },
    ({ spec, status }) => `${status?.succeeded ?? 0}/${spec?.completions ?? 1}`
  ),
  makeColumn<Job>("Duration", { description: "How long the Job has run, or took." }, jobDuration),
  ageColumn,
  containersColumn,
  imagesColumn,
  selectorColumn
]

type CronJob = SpecAndStatus<Batch.CronJob>

const cronJobColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<CronJob>("Schedule", { description: "In cron format." }, ({ spec }) => spec?.schedule ?? ""),
  makeColumn<CronJob>("Timezone", { description: "The time zone of the schedule." }, ({ spec }) =>
    textOrNone(spec?.timeZone)
  ),
  makeColumn<CronJob>("Suspend", { type: "boolean", description: "Whether it is suspended." }, ({ spec }) =>
    spec?.suspend === true ? "True" : "False"
  ),
  makeColumn<CronJob>(
    "Active",
    { type: "integer", description: "The number of running Jobs." },
    ({ status }) => status?.active?.length ?? 0
  ),
  makeColumn<CronJob>("Last Schedule", { description: "Age of the last Job." }, ({ status }, nowMillis) =>
    status?.lastScheduleTime === undefined ? "<none>" : ageText(status.lastScheduleTime, nowMillis)
  ),
  ageColumn,
  containersColumn,
  imagesColumn,
  selectorColumn
]

type Ingress = SpecAndStatus<Networking.Ingress>

const shownHostsMax = 3

const hostsText = ({ spec }: Ingress): string => {
  const hosts = (spec?.rules ?? []).map(({ host }) => host ?? "").filter((host) => host !== "")
  if (hosts.length === 0) return "*"
  const hiddenCount = hosts.length - shownHostsMax
  const shownHosts = hosts.slice(0, shownHostsMax).join(",")
  return hiddenCount > 0 ? `${shownHosts} + ${hiddenCount} more...` : shownHosts
}

const ingressColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Ingress>("Class", { description: "The class of the Ingress." }, ({ spec }) =>
    textOrNone(spec?.ingressClassName)
  ),
  makeColumn<Ingress>("Hosts", { description: "The hosts whose requests the Ingress routes." }, hostsText),
  makeColumn<Ingress>("Address", { description: "The addresses of the Ingress." }, ({ status }) =>
    (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "").join(",")
  ),
  makeColumn<Ingress>("Ports", { description: "The ports of the Ingress." }, ({ spec }) =>
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80"
  ),
  ageColumn
]

const ingressClassColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<SpecAndStatus<Networking.IngressClass & { status?: unknown }>>(
    "Controller",
    { description: "The controller that serves Ingresses of the class." },
    ({ spec }) => spec?.controller ?? ""
  ),
  makeColumn<SpecAndStatus<Networking.IngressClass & { status?: unknown }>>(
    "Parameters",
    { description: "An object with further configuration of the class." },
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
  makeColumn<KubeObject & { spec?: { podSelector?: LabelSelector } }>(
    "Pod-Selector",
    { description: "The labels of the Pods that the policy applies to." },
    ({ spec }) => textOrNone(formatSelector(spec?.podSelector ?? {}))
  ),
  ageColumn
]

type RoleBinding = KubeObject & Pick<Rbac.RoleBinding, "roleRef" | "subjects">

const subjectsText =
  (wantedKind: string) =>
  ({ subjects = [] }: RoleBinding): string =>
    subjects
      .filter(({ kind }) => kind === wantedKind)
      .map(({ name, namespace }) => (wantedKind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
      .join(", ")

const bindingColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<RoleBinding>(
    "Role",
    { description: "The role that is granted." },
    ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`
  ),
  ageColumn,
  makeColumn<RoleBinding>("Users", { wide: true, description: "Users with the role." }, subjectsText("User")),
  makeColumn<RoleBinding>(
    "Groups",
    { wide: true, description: "Groups with the role." },
    subjectsText("Group")
  ),
  makeColumn<RoleBinding>(
    "ServiceAccounts",
    { wide: true, description: "Service accounts with the role." },
    subjectsText("ServiceAccount")
  )
]

const accessModeAbbreviations: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP"
}

const accessModesText = (modes: ReadonlyArray<string> | undefined): string => {
  const accessModes = modes ?? []
  return Object.keys(accessModeAbbreviations)
    .filter((mode) => accessModes.includes(mode))
    .map((mode) => accessModeAbbreviations[mode])
    .join(",")
}

type Volume = SpecAndStatus<Core.PersistentVolume>
type Claim = SpecAndStatus<Core.PersistentVolumeClaim>

const orUnset = (text: string | undefined): string => (text === undefined || text === "" ? "<unset>" : text)

const phaseOrTerminating = (object: KubeObject, phase: string | undefined): string =>
  object.metadata.deletionTimestamp === undefined ? (phase ?? "") : "Terminating"

const volumeColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Volume>(
    "Capacity",
    { description: "The storage capacity of the volume." },
    ({ spec }) => spec?.capacity?.["storage"] ?? ""
  ),
  makeColumn<Volume>("Access Modes", { description: "How nodes may mount it." }, ({ spec }) =>
    accessModesText(spec?.accessModes)
  ),
  makeColumn<Volume>(
    "Reclaim Policy",
    { description: "What happens to the volume when its claim is deleted." },
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""
  ),
  makeColumn<Volume>("Status", { description: "The phase of the volume." }, (volume) =>
    phaseOrTerminating(volume, volume.status?.phase)
  ),
  makeColumn<Volume>("Claim", { description: "The bound claim." }, ({ spec: { claimRef } = {} }) =>
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`
  ),
  makeColumn<Volume>(
    "StorageClass",
    { description: "The storage class." },
    ({ spec }) => spec?.storageClassName ?? ""
  ),
  makeColumn<Volume>("VolumeAttributesClass", { description: "Its attributes class." }, ({ spec }) =>
    orUnset(spec?.volumeAttributesClassName)
  ),
  makeColumn<Volume>("Reason", { description: "Reason of the phase." }, ({ status }) => status?.reason ?? ""),
  ageColumn,
  makeColumn<Volume>("VolumeMode", { wide: true, description: "Filesystem or Block." }, ({ spec }) =>
    orUnset(spec?.volumeMode)
  )
]

const claimColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Claim>("Status", { description: "The phase of the claim." }, (claim) =>
    phaseOrTerminating(claim, claim.status?.phase)
  ),
  makeColumn<Claim>("Volume", { description: "The bound volume." }, ({ spec }) => spec?.volumeName ?? ""),
  makeColumn<Claim>("Capacity", { description: "The volume's capacity." }, ({ spec, status }) =>
    spec?.volumeName === undefined ? "" : (status?.capacity?.["storage"] ?? "")
  ),
  makeColumn<Claim>("Access Modes", { description: "How nodes may mount it." }, ({ spec, status }) =>
    spec?.volumeName === undefined ? "" : accessModesText(status?.accessModes)
  ),
  makeColumn<Claim>(
    "StorageClass",
    { description: "The storage class." },
    ({ spec }) => spec?.storageClassName ?? ""
  ),
  makeColumn<Claim>("VolumeAttributesClass", { description: "Its attributes class." }, ({ spec }) =>
    orUnset(spec?.volumeAttributesClassName)
  ),
  ageColumn,
  makeColumn<Claim>("VolumeMode", { wide: true, description: "Filesystem or Block." }, ({ spec }) =>
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
    { description: "The provisioner that creates the volumes." },
    ({ provisioner }) => provisioner
  ),
  makeColumn<StorageClass>(
    "ReclaimPolicy",
    { description: "What happens to a volume when its claim is deleted." },
    ({ reclaimPolicy = "Delete" }) => reclaimPolicy
  ),
  makeColumn<StorageClass>(
    "VolumeBindingMode",
    { description: "When a volume is created and bound." },
    ({ volumeBindingMode = "Immediate" }) => volumeBindingMode
  ),
  makeColumn<StorageClass>(
    "AllowVolumeExpansion",
    { description: "Whether volumes can be expanded." },
    ({ allowVolumeExpansion = false }) => allowVolumeExpansion
  ),
  ageColumn
]

type ControllerRevision = KubeObject & Apps.ControllerRevision

const controllerRevisionColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ControllerRevision>("Controller", { description: "The owning controller." }, ({ metadata }) => {
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true)
    return owner === undefined
      ? "<none>"
      : `${owner.kind.toLowerCase()}.${owner.apiVersion.split("/")[0]}/${owner.name}`
  }),
  makeColumn<ControllerRevision>("Revision", { description: "Its number." }, ({ revision }) => revision),
  ageColumn
]

export const otherKindColumns: Readonly<Record<string, ReadonlyArray<TableColumn>>> = {
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
