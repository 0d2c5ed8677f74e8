import { conditionOf, noProbeTime, transitionTime } from "../meta/conditions.ts"
import { isSemanticallyEqual } from "../meta/semanticEquality.ts"
import { loadOfPod } from "../scheduling/nodeLoad.ts"
import { podRequestsOf, parseMilliValue } from "./podRequests.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus, Node, Pod, PodCondition, PodSpec, PodStatus } from "../meta/objects.ts"
import type { NodePodLoad } from "../scheduling/nodeLoad.ts"
import type { ContainerFacts } from "./containers/containers.ts"

/**
 * Unlike Kubernetes, container statuses have `resources` and `allocatedResources` only from the first resize
 * on. Source: allocation_manager.go, kubelet_pods.go (convertToAPIContainerStatuses).
 */
export type ResizeDecision =
  | { readonly type: "allowed" }
  | { readonly type: "pending"; readonly reason: "Infeasible" | "Deferred"; readonly message: string }

export const wasResized = ({ status }: Pod): boolean =>
  status.containerStatuses?.some(({ resources }) => resources !== undefined) === true

/** Adds the resources that the kubelet would have written to the status before the first resize. */
export const withActuatedResources = (pod: Pod): Pod => {
  const { spec, status } = pod
  if (status.containerStatuses === undefined) return pod
  const containerStatuses = status.containerStatuses.map((present) => {
    const container = spec.containers.find(({ name }) => name === present.name)
    if (container === undefined || present.resources !== undefined) return present
    return { ...present, ...allocationOf(container), resources: container.resources ?? {} }
  })
  return { ...pod, status: { ...status, containerStatuses } }
}

const allocationOf = ({ resources }: Core.Container): Pick<ContainerStatus, "allocatedResources"> =>
  resources?.requests === undefined ? {} : { allocatedResources: resources.requests }

/** `load` includes the new requests of this Pod. */
export const decideResize = (pod: Pod, node: Node | undefined, load: NodePodLoad): ResizeDecision => {
  if (areRequestsAllocated(pod)) return { type: "allowed" }
  const requests = podRequestsOf(pod.spec)
  const podLoad = loadOfPod(pod)
  const { allocatable = {} } = node?.status ?? {}
  const memory = {
    name: "memory",
    requested: requests.memoryMillibytes / 1000n,
    used: (load.memoryMillibytes - podLoad.memoryMillibytes) / 1000n,
    capacity: parseMilliValue(allocatable["memory"]) / 1000n
  }
  const cpu = {
    name: "cpu",
    requested: requests.cpuMillicores,
    used: load.cpuMillicores - podLoad.cpuMillicores,
    capacity: parseMilliValue(allocatable["cpu"])
  }
  // As in Kubernetes, memory is reported first if the node is too small, cpu first if the node is full.
  const tooLarge = [memory, cpu].find(({ requested, capacity }) => requested > capacity)
  if (tooLarge !== undefined) {
    const { name, requested, capacity } = tooLarge
    const message = `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`
    return { type: "pending", reason: "Infeasible", message }
  }
  const exhausted = [cpu, memory].find(({ requested, used, capacity }) => requested > capacity - used)
  if (exhausted === undefined) return { type: "allowed" }
  const { name, requested, used, capacity } = exhausted
  const amountsText = `requested: ${requested}, used: ${used}, capacity: ${capacity}`
  return {
    type: "pending",
    reason: "Deferred",
    message: `Node didn't have enough resource: ${name}, ${amountsText}`
  }
}

const areRequestsAllocated = ({ spec, status }: Pod): boolean =>
  spec.containers.every(({ name, resources }) => {
    const reported = status.containerStatuses?.find((container) => container.name === name)
    return (
      reported === undefined ||
      isSemanticallyEqual(reported.allocatedResources ?? {}, resources?.requests ?? {})
    )
  })

/** Running containers whose `resizePolicy` requires a restart. */
export const containersToRestart = (pod: Pod, decision: ResizeDecision): ReadonlyArray<ContainerStatus> =>
  decision.type === "pending"
    ? []
    : (pod.status.containerStatuses ?? []).filter(
        (present) =>
          present.state?.running !== undefined &&
          needsRestart(
            pod.spec.containers.find(({ name }) => name === present.name),
            present
          )
      )

const needsRestart = (container: Core.Container | undefined, { resources }: ContainerStatus): boolean =>
  (container?.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (["requests", "limits"] as const).some(
        (field) =>
          !isSemanticallyEqual(
            container?.resources?.[field]?.[resourceName],
            resources?.[field]?.[resourceName]
          )
      )
  )

interface ResizeReport {
  readonly pod: Pod
  readonly decision: ResizeDecision
  readonly appContainers: ReadonlyArray<ContainerFacts>
  readonly nowMillis: number
}

export const withResizeStatus = (report: PodStatus, resize: ResizeReport): PodStatus => {
  const { pod, decision, nowMillis } = resize
  const containerStatuses = (report.containerStatuses ?? []).map((status) =>
    withReportedResources(status, resize)
  )
  const isResizeDone = containerStatuses.every(({ name, resources }) =>
    isSemanticallyEqual(resources ?? {}, containerOf(pod.spec, name)?.resources ?? {})
  )
  const condition = (
    type: string,
    { reason, message }: { reason?: string; message?: string }
  ): PodCondition => ({
    type,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    status: "True",
    lastProbeTime: noProbeTime,
    lastTransitionTime: transitionTime(conditionOf(pod.status.conditions, type), "True", nowMillis),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message })
  })
  const others = (report.conditions ?? []).filter(
    ({ type }) => type !== pendingType && type !== inProgressType
  )
  const resizeConditions =
    decision.type === "pending"
      ? [condition(pendingType, decision)]
      : isResizeDone
        ? []
        : [condition(inProgressType, {})]
  return { ...report, containerStatuses, conditions: [...resizeConditions, ...others] }
}

const pendingType = "PodResizePending"
const inProgressType = "PodResizeInProgress"

export const isResizeDeferred = ({ status }: Pod): boolean =>
  conditionOf(status.conditions, pendingType)?.reason === "Deferred"

const containerOf = ({ containers }: PodSpec, name: string): Core.Container | undefined =>
  containers.find((container) => container.name === name)

const withReportedResources = (
  status: ContainerStatus,
  { pod, decision, appContainers: apps }: ResizeReport
): ContainerStatus => {
  const present = pod.status.containerStatuses?.find(({ name }) => name === status.name)
  const container = containerOf(pod.spec, status.name)
  if (present === undefined || container === undefined) return status
  const storedResources = {
    ...(present.allocatedResources === undefined ? {} : { allocatedResources: present.allocatedResources }),
    resources: present.resources ?? {}
  }
  if (decision.type === "pending") return { ...status, ...storedResources }
  const facts = apps.find(({ name }) => name === status.name)
  const awaitsRestart =
    facts !== undefined && facts.restartCount === present.restartCount && needsRestart(container, present)
  const resources = awaitsRestart ? storedResources.resources : (container.resources ?? {})
  return { ...status, ...allocationOf(container), resources }
}
