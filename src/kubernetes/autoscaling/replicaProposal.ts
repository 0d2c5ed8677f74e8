import { isPodReady } from "../pods/podState.ts"
import { groupPods } from "./measuredPods.ts"
import type { Pod } from "../meta/objects.ts"
import type { PodGroups, RequestedAmounts } from "./measuredPods.ts"
import type { PodReading, ScaleTarget } from "./autoscalerObservation.ts"

export interface ReplicaProposal {
  readonly replicas: number
  /** The average per Pod, in thousandths; the total if the target is a total. */
  readonly average: number
  /** In percent of the request. */
  readonly utilization?: number
}

export interface NoProposal {
  readonly problem: string
}

/** How far the ratio of usage to target may be from 1 without scaling. */
export interface Tolerances {
  readonly up: number
  readonly down: number
}

interface PodMetric {
  readonly pods: ReadonlyArray<Pod>
  readonly reading: PodReading
  readonly currentReplicas: number
  readonly tolerances: Tolerances
  readonly isCpu: boolean
  readonly nowMillis: number
}

const noPods = "no pods returned by selector while calculating replica count"
const noValues = "did not receive metrics for targeted pods (pods might be unready)"
const noMatch = "no metrics returned matched known pods"

interface Usage {
  readonly ratio: number
  readonly measured: Omit<ReplicaProposal, "replicas">
}

/**
 * `target` is in percent of the request. Source: pkg/controller/podautoscaler/replica_calculator.go
 * (GetResourceReplicas).
 */
export const proposeByUtilization = (
  metric: PodMetric,
  { requested, target }: { readonly requested: RequestedAmounts; readonly target: number }
): ReplicaProposal | NoProposal => {
  const requests = "problem" in requested ? noRequests : requested.requests
  return proposeByPods(metric, {
    usageOf: (values) => {
      if ("problem" in requested) return requested
      let used = 0
      let requestedSum = 0
      for (const [name, value] of values) {
        const request = requests.get(name)
        if (request === undefined) continue
        used += value
        requestedSum += request
      }
      if (requestedSum === 0) return { problem: noMatch }
      const utilization = Math.trunc((used * 100) / requestedSum)
      const average = Math.trunc(used / values.size)
      return { ratio: utilization / target, measured: { utilization, average } }
    },
    // Below the target a Pod is assumed to use its request, or the target if above 100 %.
    missingValue: (name, ratio) =>
      ratio === 1
        ? undefined
        : ratio > 1
          ? 0
          : Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100)
  })
}

const noRequests: ReadonlyMap<string, number> = new Map()

/**
 * `target` is in thousandths. Source: pkg/controller/podautoscaler/replica_calculator.go
 * (calcPlainMetricReplicas).
 */
export const proposeByAverage = (metric: PodMetric, target: number): ReplicaProposal | NoProposal =>
  proposeByPods(metric, {
    usageOf: (values) => {
      const average = Math.trunc(sumOf(values) / values.size)
      return { ratio: average / target, measured: { average } }
    },
    missingValue: (_name, ratio) => (ratio < 1 ? target : 0)
  })

type MissingValue = (name: string, ratio: number) => number | undefined

/** Assumed values of Pods without a value dampen scaling in either direction. */
const proposeByPods = (
  { pods, reading, currentReplicas: current, tolerances, isCpu, nowMillis }: PodMetric,
  {
    usageOf,
    missingValue
  }: {
    readonly usageOf: (values: ReadonlyMap<string, number>) => Usage | NoProposal
    /** Undefined if a Pod without a value does not count. */
    readonly missingValue: MissingValue
  }
): ReplicaProposal | NoProposal => {
  if (pods.length === 0) return { problem: noPods }
  const groups = groupPods(pods, reading, { isCpu, nowMillis })
  if (groups.counted.size === 0) return { problem: noValues }
  const usage = usageOf(groups.counted)
  if ("problem" in usage) return usage
  const { ratio, measured } = usage
  const unchanged = { replicas: current, ...measured }
  const scalesUpWithUnreadyPods = groups.unready.length > 0 && ratio > 1
  if (!scalesUpWithUnreadyPods && groups.missing.length === 0) {
    return isWithin(tolerances, ratio)
      ? unchanged
      : { replicas: Math.ceil(ratio * groups.readyCount), ...measured }
  }
  const valuesWithAssumed = withAssumedValues(groups, { ratio, missingValue })
  const assumed = usageOf(valuesWithAssumed)
  if ("problem" in assumed) return assumed
  if (isWithin(tolerances, assumed.ratio) || isDirectionReversed(ratio, assumed.ratio)) return unchanged
  const replicas = Math.ceil(assumed.ratio * valuesWithAssumed.size)
  const isReversed = assumed.ratio < 1 ? replicas > current : replicas < current
  return isReversed ? unchanged : { replicas, ...measured }
}

const withAssumedValues = (
  { counted, missing, unready }: PodGroups,
  { ratio, missingValue }: { readonly ratio: number; readonly missingValue: MissingValue }
): ReadonlyMap<string, number> => {
  const filled = new Map(counted)
  for (const name of missing) {
    const assumed = missingValue(name, ratio)
    if (assumed !== undefined) filled.set(name, assumed)
  }
  if (ratio > 1) for (const name of unready) filled.set(name, 0)
  return filled
}

const isDirectionReversed = (before: number, after: number): boolean =>
  (before < 1 && after > 1) || (before > 1 && after < 1)

const isWithin = ({ up, down }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up

interface TotalMetric {
  readonly pods: ReadonlyArray<Pod>
  readonly scale: ScaleTarget
  readonly total: number
  readonly tolerances: Tolerances
}

/** Source: pkg/controller/podautoscaler/replica_calculator.go (getUsageRatioReplicaCount). */
export const proposeByTotal = (
  { pods, scale, total, tolerances }: TotalMetric,
  target: number
): ReplicaProposal | NoProposal => {
  const ratio = total / target
  if (scale.replicas === 0) return { replicas: Math.ceil(ratio), average: total }
  if (isWithin(tolerances, ratio)) return { replicas: scale.replicas, average: total }
  if (pods.length === 0) return { problem: `unable to calculate ready pods: ${noPods}` }
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isPodReady(pod)).length
  return { replicas: cappedReplicas(ratio * ready), average: total }
}

/** Source: pkg/controller/podautoscaler/replica_calculator.go (GetExternalPerPodMetricReplicas). */
export const proposeByTotalPerPod = (
  { scale, total, tolerances }: TotalMetric,
  target: number
): ReplicaProposal => {
  const { statusReplicas } = scale
  const isNearTarget = isWithin(tolerances, total / (target * statusReplicas))
  return {
    replicas: isNearTarget ? statusReplicas : cappedReplicas(total / target),
    average: Math.ceil(total / Math.max(1, statusReplicas))
  }
}

const replicasMax = 2 ** 31 - 1

const cappedReplicas = (replicas: number): number => Math.min(replicasMax, Math.ceil(replicas))

const sumOf = (values: ReadonlyMap<string, number>): number => {
  let sum = 0
  for (const value of values.values()) sum += value
  return sum
}
