import { ageColumn, column, listOrNone, nameColumn } from "./column.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import type { KubeObject } from "../../domain/objects.ts"
import type { Column } from "./column.ts"

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

export const quotaColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Quota>("Request", { tells: "What is used of what may be asked for." }, usedOf(false)),
  column<Quota>("Limit", { tells: "What is used of what may be had at the most." }, usedOf(true)),
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

export const autoscalerColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Autoscaler>(
    "Reference",
    { tells: "Whose size it keeps." },
    ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`
  ),
  column<Autoscaler>("Targets", { tells: "What it goes by." }, targetsOf),
  column<Autoscaler>("MinPods", { tells: "The least Pods." }, ({ spec }) =>
    String(spec?.minReplicas ?? "<unset>")
  ),
  column<Autoscaler>("MaxPods", { tells: "The most Pods." }, ({ spec }) => spec?.maxReplicas ?? 0),
  column<Autoscaler>("Replicas", { tells: "Pods there are." }, ({ status }) => status?.currentReplicas ?? 0),
  ageColumn
]

type PriorityClass = KubeObject & Scheduling.PriorityClass

export const priorityClassColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<PriorityClass>(
    "Value",
    { type: "integer", tells: "How much its Pods matter." },
    ({ value }) => value
  ),
  {
    ...column("Global-Default", { type: "boolean", tells: "Whether Pods have it that name none." }, () => ""),
    cell: (object) => (object as PriorityClass).globalDefault ?? false
  },
  ageColumn,
  column<PriorityClass>(
    "PreemptionPolicy",
    { tells: "Whether its Pods push others away." },
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

export const endpointSliceColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<EndpointSlice>(
    "AddressType",
    { tells: "What its addresses are." },
    ({ addressType }) => addressType
  ),
  column<EndpointSlice>("Ports", { tells: "The ports of each endpoint." }, ({ ports }) =>
    shortList((ports ?? []).map(({ port, name }) => String(port ?? name ?? "*")))
  ),
  column<EndpointSlice>("Endpoints", { tells: "Where the Pods are." }, ({ endpoints }) =>
    shortList(endpoints.flatMap(({ addresses }) => addresses))
  ),
  ageColumn
]

type PodTemplate = KubeObject & Core.PodTemplate

export const podTemplateColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<PodTemplate>("Containers", { tells: "Names of the containers in the template." }, ({ template }) =>
    listOrNone((template?.spec?.containers ?? []).map(({ name }) => name))
  ),
  column<PodTemplate>("Images", { tells: "Images of the containers in the template." }, ({ template }) =>
    listOrNone((template?.spec?.containers ?? []).map(({ image = "" }) => image))
  ),
  column<PodTemplate>("Pod Labels", { tells: "What the template's Pods are labelled." }, ({ template }) =>
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

export const scaleColumns: ReadonlyArray<Column> = [
  { ...nameColumn, format: "" },
  column<Scale>("Desired", { type: "integer", tells: "Pods wanted." }, ({ spec }) => spec?.replicas ?? 0),
  column<Scale>(
    "Available",
    { type: "integer", tells: "Pods there are." },
    ({ status }) => status?.replicas ?? 0
  ),
  ageColumn
]
