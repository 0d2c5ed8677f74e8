import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { explainGuard } from "./guard.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type { Key } from "../../src/kubernetes/meta/objects.ts"

export interface NodeObservation {
  readonly kubelet: "running" | "stopped"
  readonly ready: "True" | "False" | "Unknown"
  /** When the node counts as lost without a heartbeat, in Unix milliseconds. */
  readonly lostMillis: number
  /** Whether Pods on the unready node still have the condition Ready. */
  readonly hasStaleReadyPods: boolean
  /** Whether the node's taints differ from those for its conditions. */
  readonly isMistainted: boolean
  /** Pods to evict now: they tolerate a taint no longer, or never did. */
  readonly overduePods: ReadonlyArray<Key>
  /** Pods to evict later, each when its tolerationSeconds are over. */
  readonly toleratingPods: ReadonlyArray<Key>
  /** When the next toleration expires, in Unix milliseconds. */
  readonly nextOverdueMillis: number | undefined
  readonly nowMillis: number
}

export interface NodeEvent {
  readonly type: "observed"
  readonly seen: NodeObservation
}

const nodeGuard = (
  predicate: (seen: NodeObservation) => boolean,
  words: GuardWording,
  reason: (seen: NodeObservation) => string
) =>
  explainGuard(
    ({ event }: { readonly event: NodeEvent }) => predicate(event.seen),
    words,
    // The event of a timer has no observation.
    ({ event: { seen } }: { readonly event: Partial<NodeEvent> }) =>
      seen === undefined ? "nothing is observed just now" : reason(seen)
  )

export const nodeGuards = {
  isBeating: nodeGuard(
    ({ kubelet }) => kubelet === "running",
    "its kubelet runs",
    ({ kubelet }) => `its kubelet is ${kubelet}`
  ),
  isKnownLost: nodeGuard(
    ({ ready }) => ready === "Unknown",
    "it is lost already",
    ({ ready }) => `Ready is ${ready}`
  ),
  hasStaleReadyPods: nodeGuard(
    ({ hasStaleReadyPods }) => hasStaleReadyPods,
    "Pods on it count as ready",
    ({ hasStaleReadyPods }) =>
      hasStaleReadyPods
        ? "Pods on it count as ready, and it is not"
        : "no Pod on it counts as ready that should not"
  ),
  isMistainted: nodeGuard(
    ({ isMistainted }) => isMistainted,
    "taints and conditions differ",
    ({ isMistainted }) =>
      isMistainted
        ? "its taints do not say what its conditions say"
        : "its taints say what its conditions say"
  ),
  hasOverduePods: nodeGuard(
    ({ overduePods }) => overduePods.length > 0,
    "Pods have to go now",
    ({ overduePods }) => `${overduePods.length} Pods must leave now`
  ),
  hasToleratingPods: nodeGuard(
    ({ nextOverdueMillis }) => nextOverdueMillis !== undefined,
    "Pods have to go later",
    ({ toleratingPods, nextOverdueMillis, nowMillis }) =>
      nextOverdueMillis === undefined
        ? "no Pod has to leave later"
        : `${toleratingPods.length} Pods must leave later, the next in ${formatDuration(nextOverdueMillis - nowMillis)}`
  )
}

export const nodeStepNumbers: ObservedNumbers = (_context, event) => {
  const { seen } = event as { readonly seen?: NodeObservation }
  if (seen === undefined) return []
  return [
    ["Ready", seen.ready],
    ["to leave now", seen.overduePods.length],
    ["to leave later", seen.toleratingPods.length]
  ]
}
