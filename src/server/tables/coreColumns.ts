import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { ageColumn, ageText, makeColumn, listOrNone, nameColumn, textOrNone } from "./tableColumn.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { EventObject, KubeObject, Namespace, Node } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { TableColumn, ColumnOptions } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */

const eventColumn = (
  name: string,
  options: ColumnOptions,
  cell: (event: NormalizedEvent, nowMillis: number) => string | number
): TableColumn =>
  makeColumn<EventObject>(name, options, (event, nowMillis) => cell(normalizeEvent(event), nowMillis))

export const eventColumns: ReadonlyArray<TableColumn> = [
  eventColumn(
    "Last Seen",
    { description: "How long ago the event happened last." },
    ({ lastTimestamp }, nowMillis) => ageText(lastTimestamp, nowMillis)
  ),
  eventColumn("Type", { description: "Normal, or a Warning." }, ({ type }) => type),
  eventColumn("Reason", { description: "The reason of the event, in one word." }, ({ reason }) => reason),
  eventColumn(
    "Object",
    { description: "The object that the event is about." },
    ({ involvedObject: { kind = "", name = "" } }) => `${kind.toLowerCase()}/${name}`
  ),
  eventColumn(
    "Subobject",
    { wide: true, description: "The field of the object that the event is about." },
    ({ involvedObject }) => involvedObject.fieldPath ?? ""
  ),
  eventColumn(
    "Source",
    { wide: true, description: "The component that reported the event, and its host." },
    ({ source }) => [source.component, source.host].filter(Boolean).join(", ")
  ),
  eventColumn("Message", { description: "The message of the event." }, ({ message }) => message.trim()),
  eventColumn(
    "First Seen",
    { wide: true, description: "How long ago the event happened first." },
    ({ firstTimestamp }, nowMillis) => ageText(firstTimestamp, nowMillis)
  ),
  eventColumn(
    "Count",
    { type: "string", wide: true, description: "How often the event happened." },
    ({ count }) => count
  ),
  eventColumn(
    "Name",
    { format: "name", wide: true, description: "The name of the Event object." },
    ({ metadata }) => metadata.name
  )
]

export const namespaceColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Namespace>(
    "Status",
    { description: "Active, or Terminating." },
    ({ status }) => status.phase ?? ""
  ),
  ageColumn
]

const nodeStatus = ({ spec, status }: Node): string => {
  const ready = conditionOf((status.conditions ?? []) as ReadonlyArray<Core.NodeCondition>, "Ready")
  const readyText = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"
  return spec.unschedulable === true ? `${readyText},SchedulingDisabled` : readyText
}

const rolePrefix = "node-role.kubernetes.io/"

const rolesText = ({ metadata }: Node): string =>
  listOrNone(
    Object.keys(metadata.labels ?? {})
      .filter((label) => label.startsWith(rolePrefix) && label.length > rolePrefix.length)
      .map((label) => label.slice(rolePrefix.length))
      .sort()
  )

const nodeAddressOf =
  (type: string) =>
  ({ status }: Node): string =>
    textOrNone(status.addresses?.find((it) => it.type === type)?.address)

const nodeInfoTextOf =
  (field: "osImage" | "containerRuntimeVersion") =>
  ({ status }: Node): string =>
    status.nodeInfo?.[field] || "<unknown>"

const kernelText = ({ status }: Node): string => {
  const { kernelVersion, architecture } = status.nodeInfo ?? {}
  if (!kernelVersion) return "<unknown>"
  return architecture ? `${kernelVersion} (${architecture})` : kernelVersion
}

export const nodeColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Node>("Status", { description: "Whether the node is ready and takes new Pods." }, nodeStatus),
  makeColumn<Node>("Roles", { description: "The roles in the labels of the node." }, rolesText),
  ageColumn,
  makeColumn<Node>(
    "Version",
    { description: "The version of the kubelet." },
    ({ status }) => status.nodeInfo?.kubeletVersion ?? ""
  ),
  makeColumn<Node>(
    "Internal-IP",
    { wide: true, description: "The address of the node within the cluster." },
    nodeAddressOf("InternalIP")
  ),
  makeColumn<Node>(
    "External-IP",
    { wide: true, description: "The address of the node from outside the cluster." },
    nodeAddressOf("ExternalIP")
  ),
  makeColumn<Node>(
    "OS-Image",
    { wide: true, description: "The operating system of the node." },
    nodeInfoTextOf("osImage")
  ),
  makeColumn<Node>(
    "Kernel-Version",
    { wide: true, description: "The kernel version of the node." },
    kernelText
  ),
  makeColumn<Node>(
    "Container-Runtime",
    { wide: true, description: "The container runtime of the node." },
    nodeInfoTextOf("containerRuntimeVersion")
  )
]

interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
  readonly type?: string
}

const entryCountOf = ({ data = {}, binaryData = {} }: DataObject): number =>
  Object.keys(data).length + Object.keys(binaryData).length

const dataColumn = makeColumn<DataObject>(
  "Data",
  { description: "The number of entries in the object." },
  entryCountOf
)

export const configMapColumns: ReadonlyArray<TableColumn> = [nameColumn, dataColumn, ageColumn]

export const secretColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<DataObject>("Type", { description: "The type of the Secret." }, ({ type }) => type ?? "Opaque"),
  dataColumn,
  ageColumn
]

interface Service extends KubeObject {
  readonly spec?: Core.ServiceSpec
  readonly status?: Core.ServiceStatus
}

const externalAddressText = ({ spec, status }: Service): string => {
  const externalIPs = spec?.externalIPs ?? []
  switch (spec?.type) {
    case "LoadBalancer": {
      const ingressAddresses = (status?.loadBalancer?.ingress ?? []).map(
        ({ ip, hostname }) => ip ?? hostname ?? ""
      )
      const allAddresses = [...ingressAddresses, ...externalIPs].filter((it) => it !== "")
      return allAddresses.length === 0 ? "<pending>" : allAddresses.join(",")
    }
    case "ExternalName":
      return spec.externalName ?? ""
    default:
      return listOrNone(externalIPs)
  }
}

const portsText = ({ spec }: Service): string =>
  listOrNone(
    (spec?.ports ?? []).map(({ port, nodePort, protocol = "TCP" }) =>
      nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`
    )
  )

export const serviceColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Service>(
    "Type",
    { description: "The type of the Service, by which it can be reached." },
    ({ spec }) => spec?.type ?? "ClusterIP"
  ),
  makeColumn<Service>(
    "Cluster-IP",
    { description: "The address of the Service within the cluster." },
    ({ spec }) => textOrNone(spec?.clusterIP)
  ),
  makeColumn<Service>(
    "External-IP",
    { description: "The addresses of the Service from outside the cluster." },
    externalAddressText
  ),
  makeColumn<Service>("Port(s)", { description: "The ports of the Service." }, portsText),
  ageColumn,
  makeColumn<Service>(
    "Selector",
    { wide: true, description: "The labels by which the Service selects its Pods." },
    ({ spec }) => textOrNone(formatSelector({ matchLabels: spec?.selector ?? {} }))
  )
]

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string }
}

export const leaseColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Lease>(
    "Holder",
    { description: "The holder of the lease." },
    ({ spec }) => spec?.holderIdentity ?? ""
  ),
  ageColumn
]

interface Endpoints extends KubeObject {
  readonly subsets?: ReadonlyArray<Core.EndpointSubset>
}

const addressesMax = 3

const endpointAddressesText = ({ subsets = [] }: Endpoints): string => {
  const allAddresses = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`))
  )
  const hiddenCount = allAddresses.length - addressesMax
  const shown = listOrNone(allAddresses.slice(0, addressesMax))
  return hiddenCount > 0 ? `${shown} + ${hiddenCount} more...` : shown
}

export const endpointsColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Endpoints>(
    "Endpoints",
    { description: "The addresses of the ready Pods." },
    endpointAddressesText
  ),
  ageColumn
]

interface Budget extends KubeObject {
  readonly spec?: { readonly minAvailable?: number | string; readonly maxUnavailable?: number | string }
  readonly status?: { readonly disruptionsAllowed?: number }
}

const orNotApplicable = (value: number | string | undefined): string =>
  value === undefined ? "N/A" : String(value)

export const budgetColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Budget>(
    "Min Available",
    { description: "The fewest Pods that must stay available." },
    ({ spec }) => orNotApplicable(spec?.minAvailable)
  ),
  makeColumn<Budget>(
    "Max Unavailable",
    { description: "The most Pods that may be unavailable." },
    ({ spec }) => orNotApplicable(spec?.maxUnavailable)
  ),
  makeColumn<Budget>(
    "Allowed Disruptions",
    { type: "integer", description: "The number of Pods that may be evicted now." },
    ({ status }) => status?.disruptionsAllowed ?? 0
  ),
  ageColumn
]
