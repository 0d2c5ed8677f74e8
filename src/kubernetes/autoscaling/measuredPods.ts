import { parseMilliValue } from "../pods/podRequests.ts"
import { conditionOf } from "../meta/conditions.ts"
import { isSidecar } from "../pods/containers/containerRoles.ts"
import { isTerminating } from "../meta/deletion.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { Pod } from "../meta/objects.ts"
import type { PodSpecWithResources } from "../pods/podResources.ts"
import type { PodReading, PodValue } from "./autoscalerObservation.ts"

export interface PodGroups {
  /** The values that count, in thousandths, by Pod name. */
  readonly counted: ReadonlyMap<string, number>
  readonly readyCount: number
  readonly unready: ReadonlyArray<string>
  /** Started Pods without a value. */
  readonly missing: ReadonlyArray<string>
}

/** `--horizontal-pod-autoscaler-cpu-initialization-period`. */
const cpuInitializationMillis = 5 * 60_000
/** `--horizontal-pod-autoscaler-initial-readiness-delay`. */
const initialReadinessMillis = 30_000

/** Source: pkg/controller/podautoscaler/replica_calculator.go (groupPods). */
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
 * After the initialization period only a Pod that was never ready is unready: its condition has not
 * changed since the start.
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
 * The requests in thousandths, by Pod name. Source:
 * pkg/controller/podautoscaler/replica_calculator.go (calculateRequests).
 */
export const requestsOfPods = (
  pods: ReadonlyArray<Pod>,
  resource: string,
  container?: string
): RequestedAmounts => {
  const requests = new Map<string, number>()
  for (const pod of pods) {
    const amountOrProblem = requestOf(pod, resource, container)
    if (typeof amountOrProblem === "string") return { problem: amountOrProblem }
    requests.set(pod.metadata.name, amountOrProblem)
  }
  return { requests }
}

const requestOf = ({ metadata, spec }: Pod, resource: string, container?: string): number | string => {
  const requested = requestedAmountOf(spec, resource, container)
  if (typeof requested === "number") return requested
  const { missing, containers } = requested
  const inPod = `in Pod ${metadata.name}`
  switch (missing) {
    case "podRequest":
      return `missing pod-level request for ${resource} ${inPod}`
    case "containerRequests":
      return `missing request for ${resource} in container ${containers[0]} of Pod ${metadata.name}`
    case "container":
      return `container ${containers[0]} not found ${inPod}`
  }
}

export interface MissingRequest {
  readonly missing: "podRequest" | "containerRequests" | "container"
  readonly containers: ReadonlyArray<string>
}

/** The requested amount in thousandths, or why there is none. */
export const requestedAmountOf = (
  spec: PodSpecWithResources,
  resource: string,
  container?: string
): number | MissingRequest => {
  const podRequests = container === undefined ? spec.resources?.requests : undefined
  if (podRequests !== undefined && Object.keys(podRequests).length > 0) {
    const text = podRequests[resource]
    return text === undefined ? { missing: "podRequest", containers: [] } : thousandthsOf(text)
  }
  const running = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)]
  const measured = container === undefined ? running : running.filter(({ name }) => name === container)
  if (container !== undefined && measured.length === 0)
    return { missing: "container", containers: [container] }
  let sum = 0
  const containersWithoutRequest: Array<string> = []
  for (const { name, resources } of measured) {
    const text = resources?.requests?.[resource]
    if (text === undefined) containersWithoutRequest.push(name)
    else sum += thousandthsOf(text)
  }
  return containersWithoutRequest.length === 0
    ? sum
    : { missing: "containerRequests", containers: containersWithoutRequest }
}

/** Returns 0 for a missing quantity. */
export const thousandthsOf = (text?: string): number => Number(parseMilliValue(text))
