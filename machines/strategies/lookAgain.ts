import { formatDuration, parseDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { rateLimitMillis } from "../../src/kubernetes/apps/progress.ts"
import { explainGuard } from "../guard.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { ExplainedGuard } from "../guard.ts"
import type { Strategy, StrategyDelay, StrategyState } from "./strategy.ts"

type AnyState = StrategyState<string, string, string>

/** A strategy's own delay that a state names; undefined for a state with a fixed duration, or without `lookAgain`. */
export const namedDelay = ({ delays }: Strategy, { lookAgain }: AnyState): string | undefined =>
  typeof lookAgain?.after === "string" && Object.hasOwn(delays ?? {}, lookAgain.after)
    ? lookAgain.after
    : undefined

/** The fixed duration of a state's `lookAgain` in milliseconds; undefined if there is none, or no valid one. */
export const fixedDelayMillis = ({ lookAgain }: AnyState): number | undefined => {
  const millis = typeof lookAgain?.after === "string" ? parseDuration(lookAgain.after) : lookAgain?.after
  return millis !== undefined && Number.isFinite(millis) ? millis : undefined
}

/**
 * How long to wait before another look; undefined if no moment is known. A moment that has passed goes through the work
 * queue's rate limiter, as in Kubernetes: ten looks a second.
 *
 * Source: pkg/controller/deployment/progress.go (requeueStuckDeployment).
 */
export const lookAgainMillis = (
  delay: StrategyDelay,
  observation: DeploymentObservation
): number | undefined => {
  const millis = delay(observation)
  return millis === undefined || !Number.isFinite(millis) ? undefined : limitRate(millis)
}

export const limitRate = (millis: number): number => (millis > 0 ? Math.ceil(millis) : rateLimitMillis)

/** Whether a delay leads to another look at this observation. */
export const isLookAhead = (delay: StrategyDelay): ExplainedGuard<DeploymentObservation> =>
  explainGuard(
    (observation: DeploymentObservation) => lookAgainMillis(delay, observation) !== undefined,
    "a look is ahead",
    (observation) => {
      const millis = lookAgainMillis(delay, observation)
      return millis === undefined
        ? "no moment to look again is known"
        : `to look again in ${formatDuration(millis)}`
    }
  )

/** The state that a strategy's chart reaches at an observation. */
const stateAt = ({ chart, guards }: Strategy, observation: DeploymentObservation): AnyState | undefined => {
  let state = chart.states[chart.initial]
  // A chart that goes round in circles is one that no actor runs.
  for (const _ of Object.keys(chart.states)) {
    const taken = state?.always?.find(
      ({ guard }) => guard === undefined || guards[guard]?.(observation) === true
    )
    if (taken === undefined) return state
    state = chart.states[taken.target]
  }
  return state
}

/** When a strategy looks again at these objects although nothing changes, as a sentence; undefined if it does not. */
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
    : `${strategy.type} looks again every ${formatDuration(limitRate(fixedMillis))}, and at a change.`
}
