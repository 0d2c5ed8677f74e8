import { conditionOf } from "./conditions.ts"
import { isReady } from "./pods.ts"
import { isTerminating } from "./ownerReferences.ts"
import { millisOf, timestampOf } from "./timestamps.ts"
import { resolveIntOrPercent } from "./intOrPercent.ts"
import type { Condition } from "kubernetes-types/meta/v1.js"
import type * as Policy from "kubernetes-types/policy/v1.js"
import type { KubeObject, Pod } from "./objects.ts"

/**
 * How many of a budget's Pods may be disrupted now, and what its status says of that.
 *
 * Source: pkg/controller/disruption/disruption.go, pkg/apis/policy/v1/helpers (UpdateDisruptionAllowedCondition).
 */
export interface DisruptionBudget extends KubeObject {
  readonly spec: Readonly<Policy.PodDisruptionBudgetSpec>
  readonly status: DisruptionStatus
}

export type DisruptionStatus = Readonly<
  Omit<Policy.PodDisruptionBudgetStatus, "conditions" | "disruptedPods">
> & {
  readonly conditions?: ReadonlyArray<Condition>
  /** When each Pod was let go that has not begun to go yet, by name. */
  readonly disruptedPods?: Readonly<Record<string, string>>
}

/** What a budget's status counts before anybody has counted. */
export const uncounted: DisruptionStatus = Object.freeze({
  currentHealthy: 0,
  desiredHealthy: 0,
  disruptionsAllowed: 0,
  expectedPods: 0
})

/** A Pod that was let go is counted as gone for this long; after that it seems to stay. */
const goneWithinMillis = 120_000

/** Whether the number of Pods that there should be is needed, and not only how many there are. */
export const needsScale = ({ spec }: DisruptionBudget): boolean =>
  spec.maxUnavailable !== undefined || typeof spec.minAvailable === "string"

interface DisruptionReport {
  readonly status: DisruptionStatus
  /** Pods that were let go and are still there. */
  readonly stuck: ReadonlyArray<Pod>
  /** When to look again because a Pod that was let go should be gone by then. */
  readonly lookAgainMillis: number | undefined
}

/** The status that a budget should have. `expectedScale` is what the owners of its Pods want in sum. */
export const disruptionReport = (options: {
  readonly budget: DisruptionBudget
  readonly pods: ReadonlyArray<Pod>
  readonly expectedScale: number
  readonly nowMillis: number
}): DisruptionReport => {
  const { budget, pods, nowMillis } = options
  const { expectedPods, desiredHealthy } = expectationOf(options)
  const { disruptedPods, stuck, lookAgainMillis } = leavingOf(budget, pods, nowMillis)
  let currentHealthy = 0
  for (const pod of pods) {
    if (isReady(pod) && !isTerminating(pod) && disruptedPods[pod.metadata.name] === undefined) {
      currentHealthy += 1
    }
  }
  const room = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0
  const { generation } = budget.metadata
  const counted: DisruptionStatus = {
    ...budget.status,
    disruptedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: room,
    expectedPods,
    ...(generation === undefined ? {} : { observedGeneration: generation })
  }
  return { status: withAllowance(withoutNobody(counted), nowMillis), stuck, lookAgainMillis }
}

const withoutNobody = (status: DisruptionStatus): DisruptionStatus => {
  const { disruptedPods = {}, ...others } = status
  return Object.keys(disruptedPods).length === 0 ? others : status
}

const expectationOf = (options: {
  readonly budget: DisruptionBudget
  readonly pods: ReadonlyArray<Pod>
  readonly expectedScale: number
}): { readonly expectedPods: number; readonly desiredHealthy: number } => {
  const { budget, pods, expectedScale: total } = options
  const { maxUnavailable, minAvailable } = budget.spec
  if (maxUnavailable !== undefined) {
    const unavailable = resolveIntOrPercent({ value: maxUnavailable, total, round: "up" })
    return { expectedPods: total, desiredHealthy: Math.max(0, total - unavailable) }
  }
  if (typeof minAvailable === "string") {
    const desiredHealthy = resolveIntOrPercent({ value: minAvailable, total, round: "up" })
    return { expectedPods: total, desiredHealthy }
  }
  return { expectedPods: pods.length, desiredHealthy: minAvailable ?? 0 }
}

/** Pods that were let go and have not begun to go: those that still may, and those that should have. */
const leavingOf = (budget: DisruptionBudget, pods: ReadonlyArray<Pod>, nowMillis: number) => {
  const { disruptedPods: letGo = {} } = budget.status
  const disruptedPods: Record<string, string> = {}
  const stuck: Array<Pod> = []
  let lookAgainMillis: number | undefined
  if (Object.keys(letGo).length === 0) return { disruptedPods, stuck, lookAgainMillis }
  for (const pod of pods) {
    const { name } = pod.metadata
    const since = Object.hasOwn(letGo, name) ? letGo[name] : undefined
    if (since === undefined || isTerminating(pod)) continue
    const goneMillis = millisOf(since) + goneWithinMillis
    if (goneMillis < nowMillis) {
      stuck.push(pod)
      continue
    }
    disruptedPods[name] = since
    lookAgainMillis = Math.min(lookAgainMillis ?? Infinity, goneMillis + 1)
  }
  return { disruptedPods, stuck, lookAgainMillis }
}

const conditionType = "DisruptionAllowed"

/** The status with the condition that goes with its count. */
const withAllowance = (status: DisruptionStatus, nowMillis: number): DisruptionStatus =>
  withClaim(
    status,
    status.disruptionsAllowed > 0
      ? { status: "True", reason: "SufficientPods", message: "" }
      : { status: "False", reason: "InsufficientPods", message: "" },
    nowMillis
  )

/** What is said where it cannot be told how many Pods there should be: nobody may be disrupted. */
export const failedReport = (budget: DisruptionBudget, why: string, nowMillis: number): DisruptionStatus =>
  withClaim(
    { ...budget.status, disruptionsAllowed: 0 },
    { status: "False", reason: "SyncFailed", message: why },
    nowMillis
  )

interface Claim {
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
}

const withClaim = (status: DisruptionStatus, claim: Claim, nowMillis: number): DisruptionStatus => {
  const { conditions = [], observedGeneration } = status
  const present = conditionOf(conditions, conditionType)
  const lastTransitionTime =
    present?.status === claim.status ? present.lastTransitionTime : timestampOf(nowMillis)
  const condition: Condition = {
    type: conditionType,
    ...claim,
    lastTransitionTime,
    ...(observedGeneration === undefined ? {} : { observedGeneration })
  }
  const next =
    present === undefined
      ? [...conditions, condition]
      : conditions.map((it) => (it.type === conditionType ? condition : it))
  return { ...status, conditions: next }
}

/** A budget keeps track of no more Pods that were let go and have not begun to go. */
const disruptedPodsMax = 2000

/** What a budget says to the eviction of one of its Pods. */
type Verdict =
  | { readonly type: "allowed"; readonly status: DisruptionStatus }
  /** It is not known yet. */
  | { readonly type: "unknown"; readonly why: string }
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "forbidden"; readonly why: string }

/**
 * Asks a budget for one disruption more; what is allowed counts as taken in the status that comes with it.
 *
 * Source: pkg/registry/core/pod/storage/eviction.go (checkAndDecrement).
 */
export const askForDisruption = (budget: DisruptionBudget, podName: string, nowMillis: number): Verdict => {
  const { status, metadata } = budget
  const { name, generation = 0 } = metadata
  const subject = `The disruption budget ${name}`
  if ((status.observedGeneration ?? 0) < generation) {
    return { type: "unknown", why: `${subject} is still being processed by the server.` }
  }
  if (status.disruptionsAllowed < 0) return { type: "forbidden", why: "pdb disruptions allowed is negative" }
  const disrupted = status.disruptedPods ?? {}
  if (Object.keys(disrupted).length > disruptedPodsMax) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
    return { type: "forbidden", why }
  }
  if (status.disruptionsAllowed === 0) return { type: "refused", why: `${subject} ${obstacleOf(status)}` }
  const taken: DisruptionStatus = {
    ...status,
    disruptionsAllowed: status.disruptionsAllowed - 1,
    disruptedPods: { ...disrupted, [podName]: timestampOf(nowMillis) }
  }
  return {
    type: "allowed",
    status: taken.disruptionsAllowed === 0 ? withAllowance(taken, nowMillis) : taken
  }
}

const obstacleOf = ({ conditions, currentHealthy, desiredHealthy }: DisruptionStatus): string => {
  const condition = conditionOf(conditions, conditionType)
  const isNot = "does not allow evicting pods currently"
  const told = condition?.status === "False" && condition.message !== "" ? condition : undefined
  if (told?.reason === "SyncFailed") return `${isNot} because it failed sync: ${told.message}`
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  return told === undefined ? isNot : `${isNot} (${told.reason}): ${told.message}`
}

/**
 * Whether an unready Pod may go without asking: always where the budget says so, else while the ready ones suffice.
 *
 * Source: pkg/registry/core/pod/storage/eviction.go, KEP-3017.
 */
export const spares = ({ spec, status }: DisruptionBudget): boolean =>
  spec.unhealthyPodEvictionPolicy === "AlwaysAllow" ||
  (status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0)
