import { ageColumn, listOrNone, makeColumn, nameColumn, type TableColumn } from "./tableColumn.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */
type ComponentStatus = KubeObject & Pick<Core.ComponentStatus, "conditions">

const healthyConditionColumn = (
  name: string,
  description: string,
  textOf: (condition: Core.ComponentCondition | undefined) => string
): TableColumn =>
  makeColumn<ComponentStatus>(name, { description }, ({ conditions }) =>
    textOf(conditions?.find(({ type }) => type === "Healthy"))
  )

const componentColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  healthyConditionColumn("Status", "Whether the component is healthy.", (condition) =>
    condition?.status === "True" ? "Healthy" : condition?.status === "False" ? "Unhealthy" : "Unknown"
  ),
  healthyConditionColumn("Message", "What the component answered.", (condition) => condition?.message ?? ""),
  healthyConditionColumn("Error", "Why it did not answer.", (condition) => condition?.error ?? "")
]

const fieldColumn = (name: string, description: string, path: string): TableColumn =>
  makeColumn(name, { description }, (object) => {
    let value: unknown = object
    for (const field of path.split(".")) value = (value as Readonly<Record<string, unknown>>)[field]
    return typeof value === "string" || typeof value === "boolean" ? value : ""
  })

interface IpAddress extends KubeObject {
  readonly spec?: { readonly parentRef?: Readonly<Record<string, string | undefined>> }
}

const addressColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<IpAddress>("ParentRef", { description: "The object that uses the address." }, ({ spec }) => {
    const { group = "", resource = "", namespace = "", name = "" } = spec?.parentRef ?? {}
    if (spec?.parentRef === undefined) return "<none>"
    const type = (group === "" ? resource : `${resource}.${group}`).toLowerCase()
    return [type, ...(namespace === "" ? [] : [namespace]), name].join("/")
  })
]

interface ServiceCidr extends KubeObject {
  readonly spec?: { readonly cidrs?: ReadonlyArray<string> }
}

const cidrColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ServiceCidr>("CIDRs", { description: "The address ranges." }, ({ spec }) =>
    (spec?.cidrs ?? []).join(",")
  ),
  ageColumn
]

interface ResourceClaim extends KubeObject {
  readonly status?: { readonly allocation?: object; readonly reservedFor?: ReadonlyArray<unknown> }
}

const claimState = ({ metadata: { deletionTimestamp }, status }: ResourceClaim): string => {
  const isDeleted = deletionTimestamp !== undefined
  const deleted = isDeleted ? ["deleted"] : []
  if (status?.allocation === undefined) return [...deleted, ...(isDeleted ? [] : ["pending"])].join(",")
  return [...deleted, "allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : [])].join(",")
}

type CsiDriver = KubeObject & Pick<Storage.CSIDriver, "spec">

const booleanColumn = (
  name: "attachRequired" | "podInfoOnMount" | "storageCapacity" | "requiresRepublish",
  description: string,
  { valueWhenUnset }: { readonly valueWhenUnset: boolean } = { valueWhenUnset: false }
): TableColumn =>
  makeColumn<CsiDriver>(
    `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    { type: "boolean", description },
    ({ spec }) => spec[name] ?? valueWhenUnset
  )

const driverColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  booleanColumn("attachRequired", "Whether volumes are attached before they are mounted.", {
    valueWhenUnset: true
  }),
  booleanColumn("podInfoOnMount", "Whether the driver is told of the Pod."),
  booleanColumn("storageCapacity", "Whether the scheduler looks at its capacity."),
  makeColumn<CsiDriver>("TokenRequests", { description: "Audiences of its tokens." }, ({ spec }) =>
    spec.tokenRequests === undefined
      ? "<unset>"
      : spec.tokenRequests.map(({ audience }) => audience).join(",")
  ),
  booleanColumn("requiresRepublish", "Whether volumes are published again and again."),
  makeColumn<CsiDriver>("Modes", { description: "The kinds of volumes that it supports." }, ({ spec }) =>
    listOrNone(spec.volumeLifecycleModes ?? [])
  ),
  ageColumn
]

type CsiNode = KubeObject & Pick<Storage.CSINode, "spec">

const csiNodeColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<CsiNode>(
    "Drivers",
    { type: "integer", description: "The number of drivers on the node." },
    ({ spec }) => spec.drivers?.length ?? 0
  ),
  ageColumn
]

type Attachment = KubeObject & Pick<Storage.VolumeAttachment, "status">

export const infrastructureColumns: Readonly<Record<string, ReadonlyArray<TableColumn>>> = {
  componentstatuses: componentColumns,
  "runtimeclasses.node.k8s.io": [
    nameColumn,
    fieldColumn("Handler", "The configuration of the container runtime.", "handler"),
    ageColumn
  ],
  "ipaddresses.networking.k8s.io": addressColumns,
  "servicecidrs.networking.k8s.io": cidrColumns,
  "deviceclasses.resource.k8s.io": [nameColumn, ageColumn],
  "resourceclaims.resource.k8s.io": [
    nameColumn,
    makeColumn<ResourceClaim>("State", { description: "Whether devices are allocated." }, claimState),
    ageColumn
  ],
  "resourceclaimtemplates.resource.k8s.io": [nameColumn, ageColumn],
  "resourceslices.resource.k8s.io": [
    nameColumn,
    fieldColumn("Node", "The node of the devices.", "spec.nodeName"),
    fieldColumn("Driver", "The driver of the devices.", "spec.driver"),
    fieldColumn("Pool", "The pool of the devices.", "spec.pool.name"),
    ageColumn
  ],
  "csidrivers.storage.k8s.io": driverColumns,
  "csinodes.storage.k8s.io": csiNodeColumns,
  "csistoragecapacities.storage.k8s.io": [
    nameColumn,
    fieldColumn("StorageClassName", "The class of the storage.", "storageClassName"),
    fieldColumn("Capacity", "The free storage.", "capacity")
  ],
  "volumeattachments.storage.k8s.io": [
    nameColumn,
    fieldColumn("Attacher", "The driver that attaches the volume.", "spec.attacher"),
    fieldColumn("PV", "The volume.", "spec.source.persistentVolumeName"),
    fieldColumn("Node", "The node that the volume is attached to.", "spec.nodeName"),
    makeColumn<Attachment>(
      "Attached",
      { type: "boolean", description: "Whether the volume is attached." },
      ({ status }) => status?.attached ?? false
    ),
    ageColumn
  ],
  "volumeattributesclasses.storage.k8s.io": [
    nameColumn,
    fieldColumn("DriverName", "The driver of the class.", "driverName"),
    ageColumn
  ]
}
