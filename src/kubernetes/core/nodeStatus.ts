import { conditionOf, transitionTime } from "../meta/conditions.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { KubeObject, Node } from "../meta/objects.ts"

type NodeCondition = Readonly<Core.NodeCondition>

/** Source: pkg/kubelet/nodestatus/setters.go. */
const healthyKubeletConditions: ReadonlyArray<Pick<NodeCondition, "type" | "status" | "reason" | "message">> =
  [
    {
      type: "MemoryPressure",
      status: "False",
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available"
    },
    {
      type: "DiskPressure",
      status: "False",
      reason: "KubeletHasNoDiskPressure",
      message: "kubelet has no disk pressure"
    },
    {
      type: "PIDPressure",
      status: "False",
      reason: "KubeletHasSufficientPID",
      message: "kubelet has sufficient PID available"
    },
    { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
  ]

export const healthyNodeConditions = (node: Node, nowMillis: number): ReadonlyArray<NodeCondition> => {
  const now = timestampOf(nowMillis)
  const present = node.status.conditions ?? []
  const otherConditions = present.filter(({ type }) =>
    healthyKubeletConditions.every((it) => it.type !== type)
  )
  return [
    ...otherConditions,
    ...healthyKubeletConditions.map((condition) => ({
      ...condition,
      lastHeartbeatTime: now,
      lastTransitionTime: transitionTime(conditionOf(present, condition.type), condition.status, nowMillis)
    }))
  ]
}

export const isNodeReady = ({ status }: Node): boolean =>
  // A node that a client created may have no status.
  conditionOf((status as Node["status"] | undefined)?.conditions, "Ready")?.status === "True"

const neverReported = {
  reason: "NodeStatusNeverUpdated",
  message: "Kubelet never posted node status."
} as const
const stoppedReporting = {
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status."
} as const

/**
 * All conditions of the kubelet become Unknown. Source:
 * pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth).
 */
export const unknownNodeConditions = (node: Node, nowMillis: number): ReadonlyArray<NodeCondition> => {
  const now = timestampOf(nowMillis)
  const present = node.status.conditions ?? []
  const kubeletTypes = new Set(healthyKubeletConditions.map(({ type }) => type))
  const updated = present.map((condition) =>
    !kubeletTypes.has(condition.type) || condition.status === "Unknown"
      ? condition
      : { ...condition, status: "Unknown", ...stoppedReporting, lastTransitionTime: now }
  )
  const missing = healthyKubeletConditions.filter(({ type }) => conditionOf(present, type) === undefined)
  return [
    ...updated,
    ...missing.map(({ type }) => ({
      type,
      status: "Unknown",
      ...neverReported,
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: now
    }))
  ]
}

/** With the value `stopped` the kubelet sends no heartbeats and its Pods do not progress. */
export const kubeletStateAnnotation = "charthouse.dev/kubelet"

export const kubeletState = ({ metadata }: KubeObject): "running" | "stopped" =>
  metadata.annotations?.[kubeletStateAnnotation] === "stopped" ? "stopped" : "running"

export const isKubeletRunning = (node: KubeObject | undefined): boolean =>
  node !== undefined && kubeletState(node) === "running"
