import { conditionOf } from "./conditions.ts"
import { millisOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Node, Pod } from "./objects.ts"

/**
 * Taints: what keeps Pods off a node, and what drives them from it.
 *
 * Source: staging/src/k8s.io/component-helpers/scheduling/corev1/helpers.go,
 * pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go.
 */
export type Taint = Readonly<Core.Taint>
export type Toleration = Readonly<Core.Toleration>

const notReadyTaint = "node.kubernetes.io/not-ready"
const unreachableTaint = "node.kubernetes.io/unreachable"
const unschedulableTaint = "node.kubernetes.io/unschedulable"
export const outOfServiceTaint = "node.kubernetes.io/out-of-service"

/** What `spec.unschedulable` comes to: a Pod that tolerates it may be placed there all the same. */
export const cordonTaint: Taint = { key: unschedulableTaint, effect: "NoSchedule" }

/** Conditions other than Ready that keep new Pods away while they hold. */
const pressures: ReadonlyArray<readonly [condition: string, key: string]> = [
  ["MemoryPressure", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure", "node.kubernetes.io/disk-pressure"],
  ["NetworkUnavailable", "node.kubernetes.io/network-unavailable"],
  ["PIDPressure", "node.kubernetes.io/pid-pressure"]
]

/** A key or an effect that is not said, or said to be empty, stands for all. */
export const tolerates = (
  { key = "", operator = "Equal", value = "", effect = "" }: Toleration,
  taint: Taint
): boolean =>
  (effect === "" || effect === taint.effect) &&
  (key === "" || key === taint.key) &&
  (operator === "Exists" || value === (taint.value ?? ""))

/** The taints that a node's conditions and its cordon ask for. One that has never said how it is is not ready. */
export const taintsOfState = ({ spec, status }: Node): ReadonlyArray<Taint> => {
  const ready = conditionOf(status.conditions, "Ready")?.status
  const key = ready === "Unknown" ? unreachableTaint : notReadyTaint
  const keptAway = pressures.flatMap(([type, pressure]) =>
    conditionOf(status.conditions, type)?.status === "True" ? [{ key: pressure, effect: "NoSchedule" }] : []
  )
  return [
    ...(ready === "True" ? [] : [{ key, effect: "NoSchedule" }]),
    ...keptAway,
    ...(spec.unschedulable === true ? [cordonTaint] : []),
    ...(ready === "False" || ready === "Unknown" ? [{ key, effect: "NoExecute" }] : [])
  ]
}

const stateKeys: ReadonlySet<string> = new Set([
  notReadyTaint,
  unreachableTaint,
  unschedulableTaint,
  ...pressures.map(([, key]) => key)
])

const speaksOfState = ({ key, effect }: Taint): boolean =>
  stateKeys.has(key) && (effect === "NoSchedule" || effect === "NoExecute")

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect

/** The node with the taints that its state asks for, and without those it no longer does; the same node if it fits. */
export const withTaintsOfState = (node: Node, now: string): Node => {
  const present = node.spec.taints ?? []
  const wanted = taintsOfState(node)
  const kept = present.filter((taint) => !speaksOfState(taint) || wanted.some((it) => isSame(it, taint)))
  const added = wanted.filter((taint) => !present.some((it) => isSame(it, taint)))
  if (added.length === 0 && kept.length === present.length) return node
  const taints = [...kept, ...added.map((taint) => ({ ...taint, timeAdded: now }))]
  const { taints: _taints, ...spec } = node.spec
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } }
}

/** The taints that drive Pods away. */
export const drivingTaints = ({ spec }: Node): ReadonlyArray<Taint> =>
  spec.taints === undefined ? none : spec.taints.filter(({ effect }) => effect === "NoExecute")

const none: ReadonlyArray<Taint> = []

/**
 * When a Pod must leave a node that has been driving Pods away since a moment: at once if it does not tolerate every
 * taint, never if it tolerates them without end, else when the first of the tolerations it makes use of is over.
 */
export const leavesAtMillis = (
  pod: Pod,
  taints: ReadonlyArray<Taint>,
  sinceMillis: number
): number | undefined => {
  const beganMillis = Math.max(sinceMillis, boundAtMillis(pod))
  const used = taints.map((taint) => (pod.spec.tolerations ?? []).find((it) => tolerates(it, taint)))
  let seconds = Infinity
  for (const toleration of used) {
    if (toleration === undefined) return beganMillis
    seconds = Math.min(seconds, toleration.tolerationSeconds ?? Infinity)
  }
  return seconds === Infinity ? undefined : beganMillis + Math.max(0, seconds) * 1000
}

const boundAtMillis = ({ metadata, status }: Pod): number => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  const time = scheduled?.status === "True" ? scheduled.lastTransitionTime : undefined
  return millisOf(time ?? metadata.creationTimestamp)
}
