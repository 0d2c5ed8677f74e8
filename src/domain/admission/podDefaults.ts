import type * as Core from "kubernetes-types/core/v1.js"
import { defaultContainer, defaultVolume, roundedAmounts } from "./containerDefaults.ts"
import { systemPriorities } from "../priorities.ts"
import { changeEach, changeField, fill, rememberedChange, withField } from "./sharing.ts"

/**
 * What Kubernetes fills into a Pod: first what a template gets too, then what only a Pod gets that is to run.
 *
 * Source: pkg/apis/core/v1/defaults.go (SetDefaults_PodSpec, SetDefaults_Pod); plugin/pkg/admission
 * (serviceaccount, priority, defaulttolerationseconds). Unlike Kubernetes, no volume with a token of the
 * service account is mounted: there is nothing it could open.
 */
const defaultTemplateSpec = rememberedChange((spec: Core.PodSpec): Core.PodSpec => {
  let filled = fill(withoutEmptyNode(spec), {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: "default-scheduler"
  })
  filled = changeField(filled, "containers", (containers) => changeEach(containers, defaultContainer))
  filled = changeField(filled, "initContainers", (containers) => changeEach(containers, defaultContainer))
  filled = changeField(filled, "volumes", (volumes) => changeEach(volumes, defaultVolume))
  return changeField(filled, "overhead", roundedAmounts)
})

/** To Kubernetes an empty name is none, and whoever has no node is given one. */
const withoutEmptyNode = (spec: Core.PodSpec): Core.PodSpec => {
  if (spec.nodeName !== "") return spec
  const { nodeName: _none, ...rest } = spec
  return rest
}

export const defaultTemplate = rememberedChange((template: Core.PodTemplateSpec): Core.PodTemplateSpec =>
  changeField(fill(template, { spec: { containers: [] } }), "spec", defaultTemplateSpec)
)

export const defaultPodSpec = rememberedChange((spec: Core.PodSpec): Core.PodSpec => {
  const filled = fill(withPriority(defaultTemplateSpec(spec)), {
    containers: [],
    enableServiceLinks: true,
    serviceAccountName: "default",
    preemptionPolicy: "PreemptLowerPriority"
  })
  const named = withField(filled, "serviceAccount", filled.serviceAccountName ?? "")
  return withRunnableContainers(withField(named, "tolerations", defaultTolerations(named.tolerations)))
})

/** Of another class than the system's the store knows what it is worth. */
const withPriority = (spec: Core.PodSpec): Core.PodSpec => {
  const { priorityClassName = "" } = spec
  const priority = priorityClassName === "" ? 0 : systemPriorities.get(priorityClassName)
  return priority === undefined ? spec : fill(spec, { priority })
}

const withRunnableContainers = (spec: Core.PodSpec): Core.PodSpec => {
  const change = (container: Core.Container): Core.Container =>
    spec.hostNetwork === true ? withHostPorts(withRequests(container)) : withRequests(container)
  const changed = changeField(spec, "containers", (containers) => changeEach(containers, change))
  return changeField(changed, "initContainers", (containers) => changeEach(containers, change))
}

/** Who sets a limit and no request asks for the limit. */
const withRequests = (container: Core.Container): Core.Container =>
  changeField(container, "resources", (resources) => {
    const { limits = {} } = resources
    if (Object.keys(limits).length === 0) return resources
    return withField(resources, "requests", fill(resources.requests ?? {}, limits))
  })

const withHostPorts = (container: Core.Container): Core.Container =>
  changeField(container, "ports", (ports) =>
    changeEach(ports, (port) =>
      (port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port
    )
  )

/** A Pod stays this long on a node that is lost before it is evicted. */
const tolerationSeconds = 300

const lossTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const

const defaultTolerations = (tolerations: Array<Core.Toleration> = []): Array<Core.Toleration> => {
  const added = lossTaints
    .filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }))
  return added.length === 0 ? tolerations : [...tolerations, ...added]
}

const tolerates = ({ key = "", effect = "" }: Core.Toleration, taint: string): boolean =>
  (key === taint || key === "") && (effect === "NoExecute" || effect === "")
