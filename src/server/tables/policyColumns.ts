import { ageColumn, makeColumn, listOrNone, nameColumn } from "./tableColumn.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */

type Quota = KubeObject & Pick<Core.ResourceQuota, "status">

const usageText =
  (amounts: "requests" | "limits") =>
  ({ status: { hard = {}, used = {} } = {} }: Quota): string =>
    Object.keys(hard)
      .filter((resource) => resource.startsWith("limits") === (amounts === "limits"))
      .sort()
      .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource]}`)
      .join(", ")

export const quotaColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Quota>(
    "Request",
    { description: "Used and allowed amounts of resource requests and object counts." },
    usageText("requests")
  ),
  makeColumn<Quota>(
    "Limit",
    { description: "Used and allowed amounts of resource limits." },
    usageText("limits")
  ),
  ageColumn
]

type Autoscaler = KubeObject & Pick<Autoscaling.HorizontalPodAutoscaler, "spec" | "status">

const shownMetricsMax = 2

const unmeasured = "<unknown>"

const targetsText = ({ spec, status }: Autoscaler): string => {
  const metrics = (spec?.metrics ?? []).map((metric, index) => {
    const { name, target } = metric.resource ?? metric.containerResource ?? {}
    if (name === undefined || target === undefined) return unmeasured
    const { current } = status?.currentMetrics?.[index]?.resource ?? {}
    if (target.averageValue !== undefined) {
      return `${name}: ${current?.averageValue ?? unmeasured}/${target.averageValue}`
    }
    const utilization = current?.averageUtilization
    const targetText = target.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`
    return `${name}: ${utilization === undefined ? unmeasured : `${utilization}%`}/${targetText}`
  })
  const hiddenCount = metrics.length - shownMetricsMax
  const shown = listOrNone(metrics.slice(0, shownMetricsMax))
  return hiddenCount > 0
    ? `${shown.replaceAll(",", ", ")} + ${hiddenCount} more...`
    : shown.replaceAll(",", ", ")
}

export const autoscalerColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Autoscaler>(
    "Reference",
    { description: "The object that the autoscaler scales." },
    ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`
  ),
  makeColumn<Autoscaler>(
    "Targets",
    { description: "Current and target values of the metrics." },
    targetsText
  ),
  makeColumn<Autoscaler>("MinPods", { description: "The fewest Pods." }, ({ spec }) =>
    String(spec?.minReplicas ?? "<unset>")
  ),
  makeColumn<Autoscaler>("MaxPods", { description: "The most Pods." }, ({ spec }) => spec?.maxReplicas ?? 0),
  makeColumn<Autoscaler>(
    "Replicas",
    { description: "The number of Pods." },
    ({ status }) => status?.currentReplicas ?? 0
  ),
  ageColumn
]

type PriorityClass = KubeObject & Scheduling.PriorityClass

export const priorityClassColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<PriorityClass>(
    "Value",
    { type: "integer", description: "The priority of Pods of the class." },
    ({ value }) => value
  ),
  makeColumn<PriorityClass>(
    "Global-Default",
    { type: "boolean", description: "Whether Pods without a class have this one." },
    ({ globalDefault = false }) => globalDefault
  ),
  ageColumn,
  makeColumn<PriorityClass>(
    "PreemptionPolicy",
    { description: "Whether Pods of the class preempt others." },
    ({ preemptionPolicy }) => preemptionPolicy ?? "PreemptLowerPriority"
  )
]

type EndpointSlice = KubeObject & Discovery.EndpointSlice

const shownMax = 3

const shortListText = (all: ReadonlyArray<string>): string => {
  const shown = all.slice(0, shownMax).join(",")
  if (all.length > shownMax) return `${shown} + ${all.length - shownMax} more...`
  return shown === "" ? "<unset>" : shown
}

export const endpointSliceColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<EndpointSlice>(
    "AddressType",
    { description: "The type of the addresses: IPv4, IPv6 or FQDN." },
    ({ addressType }) => addressType
  ),
  makeColumn<EndpointSlice>("Ports", { description: "The ports of each endpoint." }, ({ ports }) =>
    shortListText((ports ?? []).map(({ port, name }) => String(port ?? name ?? "*")))
  ),
  makeColumn<EndpointSlice>(
    "Endpoints",
    { description: "The addresses of the endpoints." },
    ({ endpoints }) => shortListText(endpoints.flatMap(({ addresses }) => addresses))
  ),
  ageColumn
]

type PodTemplate = KubeObject & Core.PodTemplate

export const podTemplateColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<PodTemplate>(
    "Containers",
    { description: "Names of the containers in the template." },
    ({ template }) => listOrNone((template?.spec?.containers ?? []).map(({ name }) => name))
  ),
  makeColumn<PodTemplate>(
    "Images",
    { description: "Images of the containers in the template." },
    ({ template }) => listOrNone((template?.spec?.containers ?? []).map(({ image = "" }) => image))
  ),
  makeColumn<PodTemplate>("Pod Labels", { description: "The labels of the template." }, ({ template }) =>
    listOrNone(
      Object.entries(template?.metadata?.labels ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .sort()
    )
  )
]

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number }
}

export const scaleColumns: ReadonlyArray<TableColumn> = [
  { ...nameColumn, format: "" },
  makeColumn<Scale>(
    "Desired",
    { type: "integer", description: "Pods wanted." },
    ({ spec }) => spec?.replicas ?? 0
  ),
  makeColumn<Scale>(
    "Available",
    { type: "integer", description: "The number of Pods." },
    ({ status }) => status?.replicas ?? 0
  ),
  ageColumn
]
