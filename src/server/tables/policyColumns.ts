import { ageColumn, makeColumn, listOrNone, nameColumn } from "./tableColumn.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (the handlers of each kind). */

type Quota = KubeObject & Pick<Core.ResourceQuota, "status">

const usedOf =
  (wantsLimits: boolean) =>
  ({ status: { hard = {}, used = {} } = {} }: Quota): string =>
    Object.keys(hard)
      .filter((resource) => resource.startsWith("limits") === wantsLimits)
      .sort()
      .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource]}`)
      .join(", ")

export const quotaColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Quota>("Request", { description: "What is used of what may be asked for." }, usedOf(false)),
  makeColumn<Quota>("Limit", { description: "What is used of what may be had at the most." }, usedOf(true)),
  ageColumn
]

type Autoscaler = KubeObject & Pick<Autoscaling.HorizontalPodAutoscaler, "spec" | "status">

const shownMetrics = 2

const unmeasured = "<unknown>"

const targetsOf = ({ spec, status }: Autoscaler): string => {
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
  const hiddenCount = metrics.length - shownMetrics
  const shown = listOrNone(metrics.slice(0, shownMetrics))
  return hiddenCount > 0
    ? `${shown.replaceAll(",", ", ")} + ${hiddenCount} more...`
    : shown.replaceAll(",", ", ")
}

export const autoscalerColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Autoscaler>(
    "Reference",
    { description: "Whose size it keeps." },
    ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`
  ),
  makeColumn<Autoscaler>("Targets", { description: "What it goes by." }, targetsOf),
  makeColumn<Autoscaler>("MinPods", { description: "The least Pods." }, ({ spec }) =>
    String(spec?.minReplicas ?? "<unset>")
  ),
  makeColumn<Autoscaler>("MaxPods", { description: "The most Pods." }, ({ spec }) => spec?.maxReplicas ?? 0),
  makeColumn<Autoscaler>(
    "Replicas",
    { description: "Pods there are." },
    ({ status }) => status?.currentReplicas ?? 0
  ),
  ageColumn
]

type PriorityClass = KubeObject & Scheduling.PriorityClass

export const priorityClassColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<PriorityClass>(
    "Value",
    { type: "integer", description: "How much its Pods matter." },
    ({ value }) => value
  ),
  {
    ...makeColumn(
      "Global-Default",
      { type: "boolean", description: "Whether Pods have it that name none." },
      () => ""
    ),
    cell: (object) => (object as PriorityClass).globalDefault ?? false
  },
  ageColumn,
  makeColumn<PriorityClass>(
    "PreemptionPolicy",
    { description: "Whether its Pods push others away." },
    ({ preemptionPolicy }) => preemptionPolicy ?? "PreemptLowerPriority"
  )
]

type EndpointSlice = KubeObject & Discovery.EndpointSlice

const shownMax = 3

const shortList = (all: ReadonlyArray<string>): string => {
  const shown = all.slice(0, shownMax).join(",")
  if (all.length > shownMax) return `${shown} + ${all.length - shownMax} more...`
  return shown === "" ? "<unset>" : shown
}

export const endpointSliceColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<EndpointSlice>(
    "AddressType",
    { description: "What its addresses are." },
    ({ addressType }) => addressType
  ),
  makeColumn<EndpointSlice>("Ports", { description: "The ports of each endpoint." }, ({ ports }) =>
    shortList((ports ?? []).map(({ port, name }) => String(port ?? name ?? "*")))
  ),
  makeColumn<EndpointSlice>("Endpoints", { description: "Where the Pods are." }, ({ endpoints }) =>
    shortList(endpoints.flatMap(({ addresses }) => addresses))
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
  makeColumn<PodTemplate>(
    "Pod Labels",
    { description: "What the template's Pods are labelled." },
    ({ template }) =>
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
    { type: "integer", description: "Pods there are." },
    ({ status }) => status?.replicas ?? 0
  ),
  ageColumn
]
