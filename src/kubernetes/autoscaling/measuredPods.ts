import { parseMilliValue } from "../pods/podRequests.ts"
import { conditionOf } from "../meta/conditions.ts"
import { isSidecar } from "../pods/containers/containers.ts"
import { isTerminating } from "../meta/deletion.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { Pod } from "../meta/objects.ts"
import type { PodSpecWithResources } from "../pods/podResources.ts"
import type { PodReading, PodValue } from "./autoscalerObservation.ts"

/** The Pods of a metric, by what an autoscaler makes of them. */
export interface PodGroups {
  /** The values that count, in thousandths, by the name of the Pod. */
  readonly counted: ReadonlyMap<string, number>
  readonly readyCount: number
  /** The names of Pods that are not ready, and of ready Pods without a value. */
  readonly unready: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

/** `--horizontal-pod-autoscaler-cpu-initialization-period`. */
const cpuInitializationMillis = 5 * 60_000
/** `--horizontal-pod-autoscaler-initial-readiness-delay`. */
const initialReadinessMillis = 30_000

/**
 * Pods that are deleted or have failed do not count. Pods that are Pending are unready, and for CPU those whose value
 * comes from before they were ready.
 * Source: pkg/controller/podautoscaler/replica_calculator.go (groupPods).
 */
export const groupPods = (
  pods: ReadonlyArray<Pod>,
  { values }: PodReading,
  { isCpu, nowMillis }: { readonly isCpu: boolean; readonly nowMillis: number }
): PodGroups => {
  const counted = new Map<string, number>()
  const unready: Array<string> = []
  const missing: Array<string> = []
  for (const pod of pods) {
    const { name } = pod.metadata
    if (isTerminating(pod) || pod.status.phase === "Failed") continue
    const value = values[name]
    if (pod.status.phase === "Pending") unready.push(name)
    else if (value === undefined) missing.push(name)
    else if (isCpu && isUnready(pod, value, nowMillis)) unready.push(name)
    else counted.set(name, value.value)
  }
  return { counted, readyCount: counted.size, unready, missing }
}

/**
 * In the initialization period after its start a Pod is unready while its Ready condition is False, and while its value
 * covers time from before the condition's last change. Afterwards only a Pod that has never been ready is unready:
 * its condition has not changed since shortly after the start.
 */
const isUnready = ({ status }: Pod, value: PodValue, nowMillis: number): boolean => {
  const ready = conditionOf(status.conditions, "Ready")
  if (ready === undefined || status.startTime === undefined) return true
  const startMillis = timestampMillis(status.startTime)
  const changedMillis = timestampMillis(ready.lastTransitionTime ?? status.startTime)
  const isFalse = ready.status === "False"
  return startMillis + cpuInitializationMillis > nowMillis
    ? isFalse || value.atMillis < changedMillis + value.windowMillis
    : isFalse && startMillis + initialReadinessMillis > changedMillis
}

export type RequestedAmounts =
  | { readonly requests: ReadonlyMap<string, number> }
  | { readonly problem: string }

/**
 * What each Pod requests of a resource, in thousandths, by its name; with `container`, what that container requests.
 * Source: pkg/controller/podautoscaler/replica_calculator.go (calculateRequests).
 */
export const requestsOfPods = (
  pods: ReadonlyArray<Pod>,
  resource: string,
  container?: string
): RequestedAmounts => {
  const requests = new Map<string, number>()
  for (const pod of pods) {
    const amount = requestOf(pod, resource, container)
    if (typeof amount === "string") return { problem: amount }
    requests.set(pod.metadata.name, amount)
  }
  return { requests }
}

/** The requested amount in thousandths, or why there is none. */
const requestOf = ({ metadata, ...pod }: Pod, resource: string, container?: string): number | string => {
  const spec: PodSpecWithResources = pod.spec
  const ofPod = container === undefined ? spec.resources?.requests : undefined
  if (ofPod !== undefined && Object.keys(ofPod).length > 0) {
    const text = ofPod[resource]
    return text === undefined
      ? `missing pod-level request for ${resource} in Pod ${metadata.name}`
      : thousandthsOf(text)
  }
  const running = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)]
  let sum = 0
  for (const { name, resources } of running) {
    if (container !== undefined && container !== name) continue
    const text = resources?.requests?.[resource]
    if (text === undefined)
      return `missing request for ${resource} in container ${name} of Pod ${metadata.name}`
    sum += thousandthsOf(text)
    if (container === name) return sum
  }
  return container === undefined ? sum : `container ${container} not found in Pod ${metadata.name}`
}

/** A quantity in thousandths; 0 if it is missing. */
export const thousandthsOf = (text?: string): number => Number(parseMilliValue(text))
