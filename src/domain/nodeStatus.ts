import { conditionOf } from "./conditions.ts"
import { timestampOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { KubeObject, Node } from "./objects.ts"

type NodeCondition = Readonly<Core.NodeCondition>

/**
 * What a healthy kubelet says of its node.
 *
 * Source: pkg/kubelet/nodestatus/setters.go.
 */
const healthy: ReadonlyArray<Pick<NodeCondition, "type" | "status" | "reason" | "message">> = [
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

/** The conditions of a node whose kubelet is well; those it does not speak of stay. */
export const healthyConditions = (node: Node, nowMillis: number): ReadonlyArray<NodeCondition> => {
  const now = timestampOf(nowMillis)
  const present = node.status.conditions ?? []
  const others = present.filter(({ type }) => healthy.every((it) => it.type !== type))
  return [
    ...others,
    ...healthy.map((claim) => ({
      ...claim,
      lastHeartbeatTime: now,
      lastTransitionTime: transitionTime(conditionOf(present, claim.type), claim.status, now)
    }))
  ]
}

const neverSaid = {
  reason: "NodeStatusNeverUpdated",
  message: "Kubelet never posted node status."
} as const
const saidNoMore = {
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status."
} as const

/**
 * The conditions of a node of whose kubelet nothing is heard: nobody knows any of what it used to say.
 *
 * Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth).
 */
export const unknownConditions = (node: Node, nowMillis: number): ReadonlyArray<NodeCondition> => {
  const now = timestampOf(nowMillis)
  const present = node.status.conditions ?? []
  const spoken = new Set(healthy.map(({ type }) => type))
  const known = present.map((condition) =>
    !spoken.has(condition.type) || condition.status === "Unknown"
      ? condition
      : { ...condition, status: "Unknown", ...saidNoMore, lastTransitionTime: now }
  )
  const missing = healthy.filter(({ type }) => conditionOf(present, type) === undefined)
  return [
    ...known,
    ...missing.map(({ type }) => ({
      type,
      status: "Unknown",
      ...neverSaid,
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: now
    }))
  ]
}

const transitionTime = (present: NodeCondition | undefined, status: string, now: string): string =>
  present?.status === status ? (present.lastTransitionTime ?? now) : now

/** Set to `stopped` it silences a node's simulated kubelet: no heartbeats, and nothing moves its Pods. */
export const kubeletAnnotation = "charthouse.dev/kubelet"

export const kubeletOf = ({ metadata }: KubeObject): "running" | "stopped" =>
  metadata.annotations?.[kubeletAnnotation] === "stopped" ? "stopped" : "running"

/** Whether there is a kubelet to hear of: a node that is gone has none. */
export const hasKubelet = (node: KubeObject | undefined): boolean =>
  node !== undefined && kubeletOf(node) === "running"
