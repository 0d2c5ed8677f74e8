import { conditionOf } from "../meta/conditions.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Node, Pod } from "../meta/objects.ts"

/**
 * Source: component-helpers/scheduling/corev1/helpers.go,
 * pkg/controller/nodelifecycle/node_lifecycle_controller.go,
 * pkg/controller/tainteviction/taint_eviction.go.
 */
export type Taint = Readonly<Core.Taint>
export type Toleration = Readonly<Core.Toleration>

const notReadyTaint = "node.kubernetes.io/not-ready"
const unreachableTaint = "node.kubernetes.io/unreachable"
const unschedulableTaint = "node.kubernetes.io/unschedulable"
export const outOfServiceTaint = "node.kubernetes.io/out-of-service"

export const cordonTaint: Taint = { key: unschedulableTaint, effect: "NoSchedule" }

/** The conditions that taint a node while they are True. */
const taintingConditions: ReadonlyArray<readonly [condition: string, key: string]> = [
  ["MemoryPressure", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure", "node.kubernetes.io/disk-pressure"],
  ["NetworkUnavailable", "node.kubernetes.io/network-unavailable"],
  ["PIDPressure", "node.kubernetes.io/pid-pressure"]
]

/** An empty key or effect matches all. */
export const tolerates = (
  { key = "", operator = "Equal", value = "", effect = "" }: Toleration,
  taint: Taint
): boolean =>
  (effect === "" || effect === taint.effect) &&
  (key === "" || key === taint.key) &&
  (operator === "Exists" || value === (taint.value ?? ""))

/** A node without a Ready condition is not ready. */
export const conditionTaints = ({ spec, status }: Node): ReadonlyArray<Taint> => {
  const ready = conditionOf(status.conditions, "Ready")?.status
  const key = ready === "Unknown" ? unreachableTaint : notReadyTaint
  const otherTaints = taintingConditions.flatMap(([type, taintKey]) =>
    conditionOf(status.conditions, type)?.status === "True" ? [{ key: taintKey, effect: "NoSchedule" }] : []
  )
  return [
    ...(ready === "True" ? [] : [{ key, effect: "NoSchedule" }]),
    ...otherTaints,
    ...(spec.unschedulable === true ? [cordonTaint] : []),
    ...(ready === "False" || ready === "Unknown" ? [{ key, effect: "NoExecute" }] : [])
  ]
}

const conditionTaintKeys: ReadonlySet<string> = new Set([
  notReadyTaint,
  unreachableTaint,
  unschedulableTaint,
  ...taintingConditions.map(([, key]) => key)
])

/** Whether the node controller adds and removes the taint by the conditions of the node. */
export const isConditionTaint = ({ key, effect }: Taint): boolean =>
  conditionTaintKeys.has(key) && (effect === "NoSchedule" || effect === "NoExecute")

const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect

/** Returns the same node if nothing changes. */
export const withConditionTaints = (node: Node, now: string): Node => {
  const present = node.spec.taints ?? []
  const wanted = conditionTaints(node)
  const keptTaints = present.filter(
    (taint) => !isConditionTaint(taint) || wanted.some((it) => isSameTaint(it, taint))
  )
  const newTaints = wanted.filter((taint) => !present.some((it) => isSameTaint(it, taint)))
  if (newTaints.length === 0 && keptTaints.length === present.length) return node
  const taints = [...keptTaints, ...newTaints.map((taint) => ({ ...taint, timeAdded: now }))]
  const { taints: _taints, ...spec } = node.spec
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } }
}

export const evictingTaints = ({ spec }: Node): ReadonlyArray<Taint> =>
  spec.taints === undefined ? noTaints : spec.taints.filter(({ effect }) => effect === "NoExecute")

const noTaints: ReadonlyArray<Taint> = []

/**
 * The eviction is at once if a taint is not tolerated, else at the end of the shortest toleration.
 * Undefined if all taints are tolerated without limit.
 */
export const taintEvictionMillis = (
  pod: Pod,
  taints: ReadonlyArray<Taint>,
  taintedMillis: number
): number | undefined => {
  const seconds = toleratedSeconds(pod, taints)
  return seconds === Infinity ? undefined : Math.max(taintedMillis, boundAtMillis(pod)) + seconds * 1000
}

/** How long a Pod stays on a node with these taints: 0 if it does not tolerate one, Infinity without a limit. */
export const toleratedSeconds = ({ spec }: Pick<Pod, "spec">, taints: ReadonlyArray<Taint>): number => {
  let seconds = Infinity
  for (const taint of taints) {
    const toleration = spec.tolerations?.find((it) => tolerates(it, taint))
    if (toleration === undefined) return 0
    seconds = Math.min(seconds, toleration.tolerationSeconds ?? Infinity)
  }
  return Math.max(0, seconds)
}

const boundAtMillis = ({ metadata, status }: Pod): number => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  const time = scheduled?.status === "True" ? scheduled.lastTransitionTime : undefined
  return timestampMillis(time ?? metadata.creationTimestamp)
}
