import { conditionOf } from "../../domain/conditions.ts"
import { formatSelector } from "../../domain/selectors.ts"
import { ageColumn, ageSince, column, listOrNone, nameColumn, orNone } from "./column.ts"
import { wholeEvent } from "../../domain/wholeEvent.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { EventObject, KubeObject, Namespace, Node } from "../../domain/objects.ts"
import type { WholeEvent } from "../../domain/wholeEvent.ts"
import type { Column } from "./column.ts"

/** Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */

const eventColumn = (
  name: string,
  options: Parameters<typeof column>[1],
  cell: (event: WholeEvent, nowMillis: number) => string | number
): Column => column<EventObject>(name, options, (event, nowMillis) => cell(wholeEvent(event), nowMillis))

export const eventColumns: ReadonlyArray<Column> = [
  eventColumn("Last Seen", { tells: "When it happened last." }, ({ lastTimestamp }, nowMillis) =>
    ageSince(lastTimestamp, nowMillis)
  ),
  eventColumn("Type", { tells: "Normal, or a Warning." }, ({ type }) => type),
  eventColumn("Reason", { tells: "What happened, in one word." }, ({ reason }) => reason),
  eventColumn(
    "Object",
    { tells: "What it happened to." },
    ({ involvedObject: { kind = "", name = "" } }) => `${kind.toLowerCase()}/${name}`
  ),
  eventColumn(
    "Subobject",
    { wide: true, tells: "Which part of it." },
    ({ involvedObject }) => involvedObject.fieldPath ?? ""
  ),
  eventColumn("Source", { wide: true, tells: "Who says so." }, ({ source }) =>
    [source.component, source.host].filter(Boolean).join(", ")
  ),
  eventColumn("Message", { tells: "What happened, in words." }, ({ message }) => message.trim()),
  eventColumn(
    "First Seen",
    { wide: true, tells: "When it happened first." },
    ({ firstTimestamp }, nowMillis) => ageSince(firstTimestamp, nowMillis)
  ),
  eventColumn("Count", { type: "string", wide: true, tells: "How often it happened." }, ({ count }) => count),
  eventColumn(
    "Name",
    { format: "name", wide: true, tells: "What the event itself is called." },
    ({ metadata }) => metadata.name
  )
]

export const namespaceColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Namespace>("Status", { tells: "Active, or Terminating." }, ({ status }) => status.phase ?? ""),
  ageColumn
]

const nodeStatus = ({ spec, status }: Node): string => {
  const ready = conditionOf((status.conditions ?? []) as ReadonlyArray<Core.NodeCondition>, "Ready")
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"
  return spec.unschedulable === true ? `${word},SchedulingDisabled` : word
}

const rolePrefix = "node-role.kubernetes.io/"

const rolesOf = ({ metadata }: Node): string =>
  listOrNone(
    Object.keys(metadata.labels ?? {})
      .filter((label) => label.startsWith(rolePrefix) && label.length > rolePrefix.length)
      .map((label) => label.slice(rolePrefix.length))
      .sort()
  )

const addressOf =
  (type: string) =>
  ({ status }: Node): string =>
    orNone(status.addresses?.find((it) => it.type === type)?.address)

const systemOf =
  (field: "osImage" | "containerRuntimeVersion") =>
  ({ status }: Node): string =>
    status.nodeInfo?.[field] || "<unknown>"

const kernelOf = ({ status }: Node): string => {
  const { kernelVersion, architecture } = status.nodeInfo ?? {}
  if (!kernelVersion) return "<unknown>"
  return architecture ? `${kernelVersion} (${architecture})` : kernelVersion
}

export const nodeColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Node>("Status", { tells: "Whether it takes and runs Pods." }, nodeStatus),
  column<Node>("Roles", { tells: "What it is there for." }, rolesOf),
  ageColumn,
  column<Node>(
    "Version",
    { tells: "Of its kubelet." },
    ({ status }) => status.nodeInfo?.kubeletVersion ?? ""
  ),
  column<Node>("Internal-IP", { wide: true, tells: "Its address inside." }, addressOf("InternalIP")),
  column<Node>("External-IP", { wide: true, tells: "Its address outside." }, addressOf("ExternalIP")),
  column<Node>("OS-Image", { wide: true, tells: "Its operating system." }, systemOf("osImage")),
  column<Node>("Kernel-Version", { wide: true, tells: "Its kernel." }, kernelOf),
  column<Node>(
    "Container-Runtime",
    { wide: true, tells: "What runs its containers." },
    systemOf("containerRuntimeVersion")
  )
]

interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
  readonly type?: string
}

const entriesOf = ({ data = {}, binaryData = {} }: DataObject): number =>
  Object.keys(data).length + Object.keys(binaryData).length

const dataColumn = column<DataObject>("Data", { tells: "How many entries it has." }, entriesOf)

export const configMapColumns: ReadonlyArray<Column> = [nameColumn, dataColumn, ageColumn]

export const secretColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<DataObject>("Type", { tells: "What its entries are." }, ({ type }) => type ?? "Opaque"),
  dataColumn,
  ageColumn
]

interface Service extends KubeObject {
  readonly spec?: Core.ServiceSpec
  readonly status?: Core.ServiceStatus
}

const externalAddress = ({ spec, status }: Service): string => {
  const externalIPs = spec?.externalIPs ?? []
  switch (spec?.type) {
    case "LoadBalancer": {
      const ingressAddresses = (status?.loadBalancer?.ingress ?? []).map(
        ({ ip, hostname }) => ip ?? hostname ?? ""
      )
      const all = [...ingressAddresses, ...externalIPs].filter((it) => it !== "")
      return all.length === 0 ? "<pending>" : all.join(",")
    }
    case "ExternalName":
      return spec.externalName ?? ""
    default:
      return listOrNone(externalIPs)
  }
}

const portsOf = ({ spec }: Service): string =>
  listOrNone(
    (spec?.ports ?? []).map(({ port, nodePort, protocol = "TCP" }) =>
      nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`
    )
  )

export const serviceColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Service>("Type", { tells: "How it can be reached." }, ({ spec }) => spec?.type ?? "ClusterIP"),
  column<Service>("Cluster-IP", { tells: "Its address inside." }, ({ spec }) => orNone(spec?.clusterIP)),
  column<Service>("External-IP", { tells: "Its addresses outside." }, externalAddress),
  column<Service>("Port(s)", { tells: "Its ports." }, portsOf),
  ageColumn,
  column<Service>("Selector", { wide: true, tells: "The labels by which it finds its Pods." }, ({ spec }) =>
    orNone(formatSelector({ matchLabels: spec?.selector ?? {} }))
  )
]

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string }
}

export const leaseColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Lease>("Holder", { tells: "Who has it." }, ({ spec }) => spec?.holderIdentity ?? ""),
  ageColumn
]

interface Endpoints extends KubeObject {
  readonly subsets?: ReadonlyArray<Core.EndpointSubset>
}

const shownAddresses = 3

const addressesOf = ({ subsets = [] }: Endpoints): string => {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`))
  )
  const hiddenCount = all.length - shownAddresses
  const shown = listOrNone(all.slice(0, shownAddresses))
  return hiddenCount > 0 ? `${shown} + ${hiddenCount} more...` : shown
}

export const endpointsColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Endpoints>("Endpoints", { tells: "Where the ready Pods are." }, addressesOf),
  ageColumn
]

interface Budget extends KubeObject {
  readonly spec?: { readonly minAvailable?: number | string; readonly maxUnavailable?: number | string }
  readonly status?: { readonly disruptionsAllowed?: number }
}

const orNotApplicable = (value: number | string | undefined): string =>
  value === undefined ? "N/A" : String(value)

export const budgetColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Budget>("Min Available", { tells: "Pods that must stay available." }, ({ spec }) =>
    orNotApplicable(spec?.minAvailable)
  ),
  column<Budget>("Max Unavailable", { tells: "Pods that may be missing." }, ({ spec }) =>
    orNotApplicable(spec?.maxUnavailable)
  ),
  column<Budget>(
    "Allowed Disruptions",
    { type: "integer", tells: "Pods that may be evicted now." },
    ({ status }) => status?.disruptionsAllowed ?? 0
  ),
  ageColumn
]
