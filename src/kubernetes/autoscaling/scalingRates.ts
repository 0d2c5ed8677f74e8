import type { Autoscaler, ScalingRules } from "./autoscalerTypes.ts"

/** The history is lost when the controller manager restarts. */
export interface ScalingHistory {
  readonly recommendations: ReadonlyArray<{ readonly replicas: number; readonly atMillis: number }>
  readonly added: ReadonlyArray<ScaleEvent>
  readonly removed: ReadonlyArray<ScaleEvent>
}

interface ScaleEvent {
  readonly count: number
  /** In Unix milliseconds. */
  readonly atMillis: number
}

export const noScalingHistory: ScalingHistory = { recommendations: [], added: [], removed: [] }

export interface LimitedSize {
  readonly replicas: number
  readonly reason: string
  readonly message: string
}

/** `--horizontal-pod-autoscaler-downscale-stabilization`. */
const defaultDownWindowSeconds = 300

const windowMillisOf = (rules: ScalingRules | undefined, defaultSeconds: number): number =>
  (rules?.stabilizationWindowSeconds ?? defaultSeconds) * 1000

interface ScalingRequest {
  readonly spec: Autoscaler["spec"]
  readonly history: ScalingHistory
  readonly current: number
  readonly proposed: number
  readonly nowMillis: number
}

export const scaleDownStabilized: Omit<LimitedSize, "replicas"> = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation"
}

const scaleUpStabilized: Omit<LimitedSize, "replicas"> = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation"
}

const readyForNewScale: Omit<LimitedSize, "replicas"> = {
  reason: "ReadyForNewScale",
  message: "recommended size matches current size"
}

export const stabilizationMillis = ({
  spec,
  current,
  proposed
}: Omit<ScalingRequest, "history" | "nowMillis">): number => {
  const { scaleUp, scaleDown } = spec.behavior ?? {}
  if (spec.behavior === undefined) return defaultDownWindowSeconds * 1000
  return proposed >= current
    ? windowMillisOf(scaleUp, 0)
    : windowMillisOf(scaleDown, defaultDownWindowSeconds)
}

/**
 * Without `spec.behavior`, the highest recommendation of the window. With it, the current size, raised to the lowest
 * recommendation of the scale-up window or lowered to the highest of the scale-down window. Source:
 * pkg/controller/podautoscaler/horizontal.go (stabilizeRecommendationWithBehaviors).
 */
export const stabilizedSize = (request: ScalingRequest): LimitedSize => {
  const { spec, history, current, proposed, nowMillis } = request
  const { recommendations } = history
  if (spec.behavior === undefined) {
    const cutoffMillis = nowMillis - defaultDownWindowSeconds * 1000
    const recent = recommendations.filter(({ atMillis }) => atMillis >= cutoffMillis)
    const replicas = Math.max(proposed, ...recent.map((it) => it.replicas))
    return { replicas, ...(replicas === proposed ? readyForNewScale : scaleDownStabilized) }
  }
  const recommendedWithin = (windowMillis: number): ReadonlyArray<number> =>
    recommendations
      .filter(({ atMillis }) => atMillis > nowMillis - windowMillis)
      .map(({ replicas }) => replicas)
  const { scaleUp, scaleDown } = spec.behavior
  const least = Math.min(proposed, ...recommendedWithin(windowMillisOf(scaleUp, 0)))
  const most = Math.max(proposed, ...recommendedWithin(windowMillisOf(scaleDown, defaultDownWindowSeconds)))
  const replicas = Math.min(Math.max(current, least), most)
  return {
    replicas,
    ...(replicas === proposed
      ? readyForNewScale
      : proposed >= current
        ? scaleUpStabilized
        : scaleDownStabilized)
  }
}

/** Drops recommendations that are older than every window. */
export const withRecommendation = ({
  spec,
  history,
  proposed,
  nowMillis
}: ScalingRequest): ScalingHistory => {
  const { scaleUp, scaleDown } = spec.behavior ?? {}
  const longestMillis = Math.max(
    windowMillisOf(scaleUp, 0),
    windowMillisOf(scaleDown, defaultDownWindowSeconds)
  )
  const recentRecommendations = history.recommendations.filter(
    ({ atMillis }) => atMillis >= nowMillis - longestMillis
  )
  return {
    ...history,
    recommendations: [...recentRecommendations, { replicas: proposed, atMillis: nowMillis }]
  }
}

/** Only the policies of `spec.behavior` need these events. */
export const withScaleEvent = (
  { spec, history, nowMillis }: Pick<ScalingRequest, "spec" | "history" | "nowMillis">,
  { from, to }: { readonly from: number; readonly to: number }
): ScalingHistory => {
  if (spec.behavior === undefined) return history
  const event = { count: Math.abs(to - from), atMillis: nowMillis }
  const longest = longestPeriodSeconds(to > from ? spec.behavior.scaleUp : spec.behavior.scaleDown) * 1000
  const isRecent = ({ atMillis }: ScaleEvent): boolean => atMillis >= nowMillis - longest
  return to > from
    ? { ...history, added: [...history.added.filter(isRecent), event] }
    : { ...history, removed: [...history.removed.filter(isRecent), event] }
}

const longestPeriodSeconds = (rules: ScalingRules | undefined): number =>
  Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds))

const withinRange: Omit<LimitedSize, "replicas"> = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range"
}
const tooMany: Omit<LimitedSize, "replicas"> = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count"
}
const tooFew: Omit<LimitedSize, "replicas"> = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count"
}
const tooFastUp: Omit<LimitedSize, "replicas"> = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate"
}
const tooFastDown: Omit<LimitedSize, "replicas"> = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate"
}

/** Source: pkg/controller/podautoscaler/horizontal.go (convertDesiredReplicasWithBehaviorRate). */
export const sizeWithinLimits = (request: ScalingRequest): LimitedSize => {
  const { spec, current, proposed } = request
  const { minReplicas = 1, maxReplicas, behavior } = spec
  if (behavior === undefined) {
    // Without `behavior`, one look at most doubles the size, but may always go to 4.
    const fastest = Math.max(2 * current, 4)
    if (proposed < minReplicas) return { replicas: minReplicas, ...tooFew }
    return limitedAbove(proposed, { fastest, maxReplicas })
  }
  if (proposed > current) {
    const fastest = Math.max(current, scaleUpLimit(request, behavior.scaleUp))
    return limitedAbove(proposed, { fastest, maxReplicas })
  }
  const fastest = Math.min(current, scaleDownLimit(request, behavior.scaleDown))
  const least = Math.max(minReplicas, fastest)
  if (proposed < least) return { replicas: least, ...(minReplicas < fastest ? tooFastDown : tooFew) }
  return { replicas: proposed, ...withinRange }
}

/** `fastest`: the largest size that the scaling rate allows. */
const limitedAbove = (
  proposed: number,
  { fastest, maxReplicas }: { readonly fastest: number; readonly maxReplicas: number }
): LimitedSize => {
  const most = Math.min(fastest, maxReplicas)
  if (proposed <= most) return { replicas: proposed, ...withinRange }
  return { replicas: most, ...(maxReplicas > fastest ? tooFastUp : tooMany) }
}

/** Source: pkg/controller/podautoscaler/horizontal.go (calculateScaleUpLimitWithScalingRules). */
const scaleUpLimit = (request: ScalingRequest, rules: ScalingRules = {}): number => {
  if (rules.selectPolicy === "Disabled") return request.current
  const limits = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const replicasBefore = replicasBeforePeriod(request, periodSeconds)
    return type === "Pods" ? replicasBefore + value : Math.ceil(replicasBefore * (1 + value / 100))
  })
  return rules.selectPolicy === "Min" ? Math.min(...limits) : Math.max(...limits)
}

/** Source: pkg/controller/podautoscaler/horizontal.go (calculateScaleDownLimitWithBehaviors). */
const scaleDownLimit = (request: ScalingRequest, rules: ScalingRules = {}): number => {
  if (rules.selectPolicy === "Disabled") return request.current
  const limits = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const replicasBefore = replicasBeforePeriod(request, periodSeconds)
    return type === "Pods" ? replicasBefore - value : Math.trunc(replicasBefore * (1 - value / 100))
  })
  return rules.selectPolicy === "Min" ? Math.max(...limits) : Math.min(...limits)
}

const replicasBeforePeriod = (
  { history, current, nowMillis }: ScalingRequest,
  periodSeconds: number
): number => {
  const changed = (events: ReadonlyArray<ScaleEvent>): number =>
    events
      .filter(({ atMillis }) => atMillis > nowMillis - periodSeconds * 1000)
      .reduce((sum, { count }) => sum + count, 0)
  return current - changed(history.added) + changed(history.removed)
}
