import { conditionOf } from "../conditions.ts"
import { drivingTaints, leavesAtMillis } from "../taints.ts"
import { inWords } from "./waits.ts"
import { kubeletAnnotation, kubeletOf } from "../nodeStatus.ts"
import { millisOf } from "../timestamps.ts"
import type { Node, Pod } from "../objects.ts"

/**
 * Why a node does nothing for its Pods: undefined where its kubelet is well. What is said follows the node's name.
 *
 * Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth).
 */
export const silenceOf = (node: Node): string | undefined => {
  const ready = conditionOf(node.status.conditions, "Ready")
  const since = timeText(ready?.lastTransitionTime)
  if (ready?.status === "Unknown") {
    const { reason = "NodeStatusUnknown" } = ready
    return reason === "NodeStatusNeverUpdated"
      ? `has never been heard of (${reason})`
      : `has not been heard of: it was given up${since} (${reason})`
  }
  if (kubeletOf(node) === "stopped") {
    return `is silent, and not given up yet: its kubelet is stopped (${kubeletAnnotation})`
  }
  if (ready?.status !== "False") return undefined
  const why = ready.message === undefined ? "" : `: ${ready.message.replace(/\.$/u, "")}`
  return `is not ready${why} (${ready.reason ?? "NotReady"})`
}

/** ` at 00:07:13`: the days are the same, or it does not matter. */
const timeText = (time: string | undefined): string => {
  const [, clock] = /T(\d\d:\d\d:\d\d)/u.exec(time ?? "") ?? []
  return clock === undefined ? "" : ` at ${clock}`
}

/**
 * When a Pod is driven from its node, in Unix milliseconds: Infinity where it tolerates what is the matter for ever,
 * undefined where nothing drives it.
 *
 * Source: pkg/controller/tainteviction/taint_eviction.go.
 */
export const evictedAtMillis = (pod: Pod, node: Node): number | undefined => {
  const taints = drivingTaints(node)
  if (taints.length === 0) return undefined
  const since = Math.min(...taints.map(({ timeAdded }) => millisOf(timeAdded ?? "")).filter(Number.isFinite))
  return leavesAtMillis(pod, taints, Number.isFinite(since) ? since : 0) ?? Infinity
}

/** `, with 4m12s left until its eviction`, after what is said of a Pod; nothing where nothing drives it. */
export const evictionText = (pod: Pod, node: Node, nowMillis: number): string => {
  const atMillis = evictedAtMillis(pod, node)
  if (atMillis === undefined) return ""
  if (atMillis === Infinity) return ", and nothing evicts it from there"
  const left = atMillis - nowMillis
  return left > 0 ? `, with ${inWords(left)} left until eviction` : ", and is about to be evicted"
}
