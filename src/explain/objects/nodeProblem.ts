import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { evictingTaints, taintEvictionMillis } from "../../kubernetes/core/taints.ts"
import { durationText } from "./retriesText.ts"
import { kubeletStateAnnotation, kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"

/**
 * The predicate of a sentence about the node. Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go
 * (tryUpdateNodeHealth).
 */
export const nodeProblem = (node: Node): string | undefined => {
  const ready = conditionOf(node.status.conditions, "Ready")
  const atText = timeText(ready?.lastTransitionTime)
  if (ready?.status === "Unknown") {
    const { reason = "NodeStatusUnknown" } = ready
    return reason === "NodeStatusNeverUpdated"
      ? `has never been heard of (${reason})`
      : `has not been heard of: it was given up${atText} (${reason})`
  }
  if (kubeletState(node) === "stopped") {
    return `is silent, and not given up yet: its kubelet is stopped (${kubeletStateAnnotation})`
  }
  if (ready?.status !== "False") return undefined
  const why = ready.message === undefined ? "" : `: ${ready.message.replace(/\.$/u, "")}`
  return `is not ready${why} (${ready.reason ?? "NotReady"})`
}

/** ` at 00:07:13`, without the day. */
const timeText = (time: string | undefined): string => {
  const [, clockText] = /T(\d\d:\d\d:\d\d)/u.exec(time ?? "") ?? []
  return clockText === undefined ? "" : ` at ${clockText}`
}

/**
 * Unix milliseconds; undefined without an evicting taint, Infinity if the Pod tolerates it for ever. Source:
 * pkg/controller/tainteviction/taint_eviction.go.
 */
export const evictionMillis = (pod: Pod, node: Node): number | undefined => {
  const taints = evictingTaints(node)
  if (taints.length === 0) return undefined
  const addedTimes = taints.map(({ timeAdded }) => timestampMillis(timeAdded ?? "")).filter(Number.isFinite)
  // A taint without a time counts as older than the Pod.
  const sinceMillis = addedTimes.length === 0 ? -Infinity : Math.min(...addedTimes)
  return taintEvictionMillis(pod, taints, sinceMillis) ?? Infinity
}

/** `, with 4m12s left until eviction`, or empty. */
export const timeUntilEvictionText = (pod: Pod, node: Node, nowMillis: number): string => {
  const atMillis = evictionMillis(pod, node)
  if (atMillis === undefined) return ""
  if (atMillis === Infinity) return ", and nothing evicts it from there"
  const remainingMillis = atMillis - nowMillis
  return remainingMillis > 0
    ? `, with ${durationText(remainingMillis)} left until eviction`
    : ", and is about to be evicted"
}
