import type * as Core from "kubernetes-types/core/v1.js"
import { formatQuantity } from "../../meta/amounts/quantity.ts"
import {
  containerResourceAmounts,
  isHugePages,
  isPodLevelResource,
  type AmountsByResource,
  type PodSpecWithResources
} from "../../pods/podResources.ts"
import { defaultContainer, defaultVolume, canonicalAmounts, canonicalResources } from "./containerDefaults.ts"
import { defaultSchedulerName } from "../../pods/podState.ts"
import { accountNameOf } from "../../pods/podReferences.ts"
import { systemPriorityClasses } from "../../pods/priorityClasses.ts"
import {
  changeEach,
  changeField,
  fillDefaults,
  memoizeChange,
  withField
} from "../../validation/structuralSharing.ts"

/**
 * Unlike Kubernetes, no service account token is mounted. Source: pkg/apis/core/v1/defaults.go
 * (SetDefaults_PodSpec); plugin/pkg/admission.
 */
const defaultTemplateSpec = memoizeChange((spec: Core.PodSpec): Core.PodSpec => {
  let filled = fillDefaults(withBothAccountNames(withoutEmptyNode(spec)), {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: defaultSchedulerName
  })
  filled = changeField(filled, "containers", (containers) => changeEach(containers, defaultContainer))
  filled = changeField(filled, "initContainers", (containers) => changeEach(containers, defaultContainer))
  filled = changeField(filled, "ephemeralContainers", (containers) =>
    changeEach(containers, (container) => defaultContainer(container))
  )
  filled = changeField(filled, "volumes", (volumes) => changeEach(volumes, defaultVolume))
  const withAmounts: PodSpecWithResources = changeField(filled, "overhead", canonicalAmounts)
  return changeField(withAmounts, "resources", canonicalResources)
})

const withoutEmptyNode = (spec: Core.PodSpec): Core.PodSpec => {
  if (spec.nodeName !== "") return spec
  const { nodeName: _none, ...rest } = spec
  return rest
}

/** `serviceAccount` is the older name of the field. Source: pkg/apis/core/v1/conversion.go (PodSpec). */
export const withBothAccountNames = (spec: Core.PodSpec): Core.PodSpec => {
  const name = accountNameOf(spec)
  return name === "" ? spec : withField(withField(spec, "serviceAccountName", name), "serviceAccount", name)
}

export const defaultTemplate = memoizeChange((template: Core.PodTemplateSpec): Core.PodTemplateSpec =>
  changeField(fillDefaults(template, { spec: { containers: [] } }), "spec", defaultTemplateSpec)
)

export const defaultPodSpec = memoizeChange((spec: Core.PodSpec): Core.PodSpec => {
  const filled = fillDefaults(withPriority(defaultTemplateSpec(spec)), {
    containers: [],
    enableServiceLinks: true,
    serviceAccountName: "default",
    preemptionPolicy: "PreemptLowerPriority"
  })
  const withAccount = withField(filled, "serviceAccount", filled.serviceAccountName ?? "")
  return withPodResources(
    withRequestsAndHostPorts(
      withField(withAccount, "tolerations", defaultTolerations(withAccount.tolerations))
    )
  )
})

/**
 * Fills in the priority of a system class, or 0. A stored PriorityClass gives any other priority.
 */
const withPriority = (spec: Core.PodSpec): Core.PodSpec => {
  const { priorityClassName = "" } = spec
  const priority = priorityClassName === "" ? 0 : systemPriorityClasses.get(priorityClassName)
  return priority === undefined ? spec : fillDefaults(spec, { priority })
}

/** Requests default to limits; with `hostNetwork`, host ports default to container ports. */
const withRequestsAndHostPorts = (spec: Core.PodSpec): Core.PodSpec => {
  const change = (container: Core.Container): Core.Container =>
    spec.hostNetwork === true ? withHostPorts(withRequests(container)) : withRequests(container)
  const withContainers = changeField(spec, "containers", (containers) => changeEach(containers, change))
  return changeField(withContainers, "initContainers", (containers) => changeEach(containers, change))
}

const withRequests = (container: Core.Container): Core.Container =>
  changeField(container, "resources", (resources) => {
    const { limits = {} } = resources
    if (Object.keys(limits).length === 0) return resources
    return withField(resources, "requests", fillDefaults(resources.requests ?? {}, limits))
  })

/** Source: pkg/apis/core/v1/defaults.go (defaultHugePagePodLimits, defaultPodRequests). */
const withPodResources = (spec: PodSpecWithResources): Core.PodSpec =>
  changeField(spec, "resources", (resources) => {
    const { requests = {}, limits = {} } = resources
    if (Object.keys(requests).length + Object.keys(limits).length === 0) return resources
    const hugePages = quantityTexts(
      containerResourceAmounts(spec, "limits"),
      (name) => isHugePages(name) && requests[name] === undefined
    )
    const filledLimits = fillDefaults(limits, hugePages)
    if (Object.keys(filledLimits).length === 0) return resources
    const containerRequests = quantityTexts(
      containerResourceAmounts(spec, "requests"),
      (name) => isPodLevelResource(name) && !isHugePages(name)
    )
    const requestsFromLimits = Object.fromEntries(
      Object.entries(filledLimits).filter(([name]) => isPodLevelResource(name))
    )
    const filledRequests = fillDefaults(fillDefaults(requests, containerRequests), requestsFromLimits)
    const withLimits = withField(resources, "limits", filledLimits)
    return Object.keys(filledRequests).length === 0
      ? withLimits
      : withField(withLimits, "requests", filledRequests)
  })

const quantityTexts = (
  amounts: AmountsByResource,
  isIncluded: (name: string) => boolean
): { [name: string]: string } =>
  Object.fromEntries(
    [...amounts].flatMap(([name, quantity]) => (isIncluded(name) ? [[name, formatQuantity(quantity)]] : []))
  )

const withHostPorts = (container: Core.Container): Core.Container =>
  changeField(container, "ports", (ports) =>
    changeEach(ports, (port) =>
      (port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port
    )
  )

/** How long a Pod stays on a node that is not ready or unreachable. */
const tolerationSeconds = 300

const lostNodeTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const

const defaultTolerations = (tolerations: Array<Core.Toleration> = []): Array<Core.Toleration> => {
  const added = lostNodeTaints
    .filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }))
  return added.length === 0 ? tolerations : [...tolerations, ...added]
}

const tolerates = ({ key = "", effect = "" }: Core.Toleration, taint: string): boolean =>
  (key === taint || key === "") && (effect === "NoExecute" || effect === "")
