import { conditionOf, replaceConditions, transitionTime } from "../meta/conditions.ts"
import { isPodReady } from "../pods/podState.ts"
import { isTerminating } from "../meta/deletion.ts"
import { timestampMillis, timestampOf } from "../meta/amounts/timestamps.ts"
import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import type { Condition } from "kubernetes-types/meta/v1.js"
import type * as Policy from "kubernetes-types/policy/v1.js"
import type { KubeObject, Pod } from "../meta/objects.ts"

/** Source: disruption.go, pkg/apis/policy/v1/helpers (UpdateDisruptionAllowedCondition). */
export interface DisruptionBudget extends KubeObject {
  readonly spec: Readonly<Policy.PodDisruptionBudgetSpec>
  readonly status: DisruptionStatus
}

export type DisruptionStatus = Readonly<
  Omit<Policy.PodDisruptionBudgetStatus, "conditions" | "disruptedPods">
> & {
  readonly conditions?: ReadonlyArray<Condition>
  /** Eviction times by Pod name, until the Pod is terminating. */
  readonly disruptedPods?: Readonly<Record<string, string>>
}

export const uncountedDisruptionStatus: DisruptionStatus = Object.freeze({
  currentHealthy: 0,
  desiredHealthy: 0,
  disruptionsAllowed: 0,
  expectedPods: 0
})

/** Upstream's: an evicted Pod that is not terminating after this time counts as healthy again. */
const terminatingWithinMillis = 120_000

export const needsExpectedScale = ({ spec }: DisruptionBudget): boolean =>
  spec.maxUnavailable !== undefined || typeof spec.minAvailable === "string"

interface DisruptionReport {
  readonly status: DisruptionStatus
  /** Evicted Pods that are not terminating after `terminatingWithinMillis`. */
  readonly stuckPods: ReadonlyArray<Pod>
  /** When the next evicted Pod should be terminating, in Unix milliseconds. */
  readonly lookAgainMillis: number | undefined
}

/** `expectedScale`: the sum of the replicas that the owners of the Pods want. */
export const disruptionBudgetReport = (options: {
  readonly budget: DisruptionBudget
  readonly pods: ReadonlyArray<Pod>
  readonly expectedScale: number
  readonly nowMillis: number
}): DisruptionReport => {
  const { budget, pods, nowMillis } = options
  const { expectedPods, desiredHealthy } = expectedAndDesiredPods(options)
  const { disruptedPods, stuckPods, lookAgainMillis } = pendingEvictions(budget, pods, nowMillis)
  let currentHealthy = 0
  for (const pod of pods) {
    if (isPodReady(pod) && !isTerminating(pod) && disruptedPods[pod.metadata.name] === undefined) {
      currentHealthy += 1
    }
  }
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0
  const { generation } = budget.metadata
  const countedStatus: DisruptionStatus = {
    ...budget.status,
    disruptedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    ...(generation === undefined ? {} : { observedGeneration: generation })
  }
  return {
    status: withAllowance(omitEmptyDisruptedPods(countedStatus), nowMillis),
    stuckPods,
    lookAgainMillis
  }
}

const omitEmptyDisruptedPods = (status: DisruptionStatus): DisruptionStatus => {
  const { disruptedPods = {}, ...otherFields } = status
  return Object.keys(disruptedPods).length === 0 ? otherFields : status
}

const expectedAndDesiredPods = (options: {
  readonly budget: DisruptionBudget
  readonly pods: ReadonlyArray<Pod>
  readonly expectedScale: number
}): { readonly expectedPods: number; readonly desiredHealthy: number } => {
  const { budget, pods, expectedScale } = options
  const { maxUnavailable, minAvailable } = budget.spec
  if (maxUnavailable !== undefined) {
    const unavailable = resolveIntOrPercent({ value: maxUnavailable, total: expectedScale, round: "up" })
    return { expectedPods: expectedScale, desiredHealthy: Math.max(0, expectedScale - unavailable) }
  }
  if (typeof minAvailable === "string") {
    const desiredHealthy = resolveIntOrPercent({ value: minAvailable, total: expectedScale, round: "up" })
    return { expectedPods: expectedScale, desiredHealthy }
  }
  return { expectedPods: pods.length, desiredHealthy: minAvailable ?? 0 }
}

const pendingEvictions = (budget: DisruptionBudget, pods: ReadonlyArray<Pod>, nowMillis: number) => {
  const { disruptedPods: evictedPods = {} } = budget.status
  const disruptedPods: Record<string, string> = {}
  const stuckPods: Array<Pod> = []
  let lookAgainMillis: number | undefined
  if (Object.keys(evictedPods).length === 0) return { disruptedPods, stuckPods, lookAgainMillis }
  for (const pod of pods) {
    const { name } = pod.metadata
    const evictedAt = Object.hasOwn(evictedPods, name) ? evictedPods[name] : undefined
    if (evictedAt === undefined || isTerminating(pod)) continue
    const dueMillis = timestampMillis(evictedAt) + terminatingWithinMillis
    if (dueMillis < nowMillis) {
      stuckPods.push(pod)
      continue
    }
    disruptedPods[name] = evictedAt
    lookAgainMillis = Math.min(lookAgainMillis ?? Infinity, dueMillis + 1)
  }
  return { disruptedPods, stuckPods, lookAgainMillis }
}

const conditionType = "DisruptionAllowed"

const withAllowance = (status: DisruptionStatus, nowMillis: number): DisruptionStatus =>
  withDisruptionAllowed(
    status,
    status.disruptionsAllowed > 0
      ? { status: "True", reason: "SufficientPods", message: "" }
      : { status: "False", reason: "InsufficientPods", message: "" },
    nowMillis
  )

/** Allows no disruption, since the expected Pods are unknown. */
export const failedDisruptionStatus = (
  budget: DisruptionBudget,
  message: string,
  nowMillis: number
): DisruptionStatus =>
  withDisruptionAllowed(
    { ...budget.status, disruptionsAllowed: 0 },
    { status: "False", reason: "SyncFailed", message },
    nowMillis
  )

interface WantedCondition {
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
}

const withDisruptionAllowed = (
  status: DisruptionStatus,
  wantedCondition: WantedCondition,
  nowMillis: number
): DisruptionStatus => {
  const { conditions = [], observedGeneration } = status
  const present = conditionOf(conditions, conditionType)
  const condition: Condition = {
    type: conditionType,
    ...wantedCondition,
    lastTransitionTime: transitionTime(present, wantedCondition.status, nowMillis),
    ...(observedGeneration === undefined ? {} : { observedGeneration })
  }
  return { ...status, conditions: replaceConditions(conditions, [condition]) }
}

/** Upstream's limit of evictions that the controller has not confirmed. */
const disruptedPodsMax = 2000

/** `unknown`: the controller has not observed the budget. `forbidden`: its status is invalid or full. */
export type DisruptionDecision =
  | { readonly type: "allowed"; readonly status: DisruptionStatus }
  | { readonly type: "unknown"; readonly why: string }
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "forbidden"; readonly why: string }

/** The returned status already counts the disruption. Source: storage/eviction.go (checkAndDecrement). */
export const requestDisruption = (
  budget: DisruptionBudget,
  podName: string,
  nowMillis: number
): DisruptionDecision => {
  const { status, metadata } = budget
  const { name, generation = 0 } = metadata
  const budgetText = `The disruption budget ${name}`
  if ((status.observedGeneration ?? 0) < generation) {
    return { type: "unknown", why: `${budgetText} is still being processed by the server.` }
  }
  if (status.disruptionsAllowed < 0) return { type: "forbidden", why: "pdb disruptions allowed is negative" }
  const { disruptedPods = {} } = status
  if (Object.keys(disruptedPods).length > disruptedPodsMax) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
    return { type: "forbidden", why }
  }
  if (status.disruptionsAllowed === 0) return { type: "refused", why: `${budgetText} ${obstacleOf(status)}` }
  const statusAfter: DisruptionStatus = {
    ...status,
    disruptionsAllowed: status.disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [podName]: timestampOf(nowMillis) }
  }
  return {
    type: "allowed",
    status: statusAfter.disruptionsAllowed === 0 ? withAllowance(statusAfter, nowMillis) : statusAfter
  }
}

const obstacleOf = ({ conditions, currentHealthy, desiredHealthy }: DisruptionStatus): string => {
  const condition = conditionOf(conditions, conditionType)
  const prefix = "does not allow evicting pods currently"
  const failure = condition?.status === "False" && condition.message !== "" ? condition : undefined
  if (failure?.reason === "SyncFailed") return `${prefix} because it failed sync: ${failure.message}`
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  return failure === undefined ? prefix : `${prefix} (${failure.reason}): ${failure.message}`
}

/** Source: storage/eviction.go, KEP-3017. */
export const allowsUnhealthyEviction = ({ spec, status }: DisruptionBudget): boolean =>
  spec.unhealthyPodEvictionPolicy === "AlwaysAllow" ||
  (status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0)
