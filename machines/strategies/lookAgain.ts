import { formatDuration, parseDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { rateLimitMillis } from "../../src/kubernetes/apps/progress.ts"
import { explainGuard } from "../guards/guard.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { ExplainedGuard } from "../guards/guard.ts"
import type { Strategy, StrategyDelay, StrategyState } from "./strategy.ts"

type AnyState = StrategyState<string, string, string>

export const namedDelay = (
  { delays }: { readonly delays?: Readonly<Record<string, unknown>> },
  { lookAgain }: AnyState
): string | undefined =>
  typeof lookAgain?.after === "string" && Object.hasOwn(delays ?? {}, lookAgain.after)
    ? lookAgain.after
    : undefined

export const fixedDelayMillis = ({ lookAgain }: AnyState): number | undefined => {
  const millis = typeof lookAgain?.after === "string" ? parseDuration(lookAgain.after) : lookAgain?.after
  return millis !== undefined && Number.isFinite(millis) ? millis : undefined
}

/**
 * Undefined if no moment is known. A moment that has passed goes through the work queue's rate limiter.
 * Source: pkg/controller/deployment/progress.go (requeueStuckDeployment).
 */
export const lookAgainMillis = <Observation>(
  delay: StrategyDelay<Observation>,
  observation: Observation
): number | undefined => {
  const millis = delay(observation)
  return millis === undefined || !Number.isFinite(millis) ? undefined : rateLimitedMillis(millis)
}

export const rateLimitedMillis = (millis: number): number =>
  millis > 0 ? Math.ceil(millis) : rateLimitMillis

export const lookAgainGuard = <Observation>(delay: StrategyDelay<Observation>): ExplainedGuard<Observation> =>
  explainGuard(
    (observation: Observation) => lookAgainMillis(delay, observation) !== undefined,
    "a look is ahead",
    (observation) => {
      const millis = lookAgainMillis(delay, observation)
      return millis === undefined
        ? "no moment to look again is known"
        : `to look again in ${formatDuration(millis)}`
    }
  )

const stateAt = ({ chart, guards }: Strategy, observation: DeploymentObservation): AnyState | undefined => {
  let state = chart.states[chart.initial]
  // Bounded: guards that form a circle would never end.
  for (const _ of Object.keys(chart.states)) {
    const transition = state?.always?.find(
      ({ guard }) => guard === undefined || guards[guard]?.(observation) === true
    )
    if (transition === undefined) return state
    state = chart.states[transition.target]
  }
  return state
}

/** Undefined if the strategy looks again only at a change. */
export const lookAgainSentence = (
  strategy: Strategy,
  observation: DeploymentObservation
): string | undefined => {
  const state = stateAt(strategy, observation)
  if (state === undefined) return undefined
  const delay = strategy.delays?.[namedDelay(strategy, state) ?? ""]
  const millis = delay === undefined ? undefined : lookAgainMillis(delay, observation)
  if (millis !== undefined)
    return `${strategy.type} looks again in ${formatDuration(Math.ceil(millis / 1000) * 1000)}, or at a change.`
  const fixedMillis = fixedDelayMillis(state)
  return fixedMillis === undefined
    ? undefined
    : `${strategy.type} looks again every ${formatDuration(rateLimitedMillis(fixedMillis))}, and at a change.`
}
