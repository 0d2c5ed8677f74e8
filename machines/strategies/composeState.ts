import { rateLimitMillis } from "../../src/kubernetes/apps/progress.ts"
import { fixedDelayMillis, isLookAhead, limitRate, lookAgainMillis, namedDelay } from "./lookAgain.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { ExplainedGuard } from "../guard.ts"
import type { Strategy, StrategyDelay, StrategyState } from "./strategy.ts"

/**
 * A strategy's chart as a state of the rollout. The names of guards and actions begin with the strategy's state and a
 * dot, those of delays with the state and a slash: in XState's timer events a dot ends the name.
 */
export const composeState = (strategy: Strategy): object => ({
  ...(strategy.chart.description === undefined ? {} : { description: strategy.chart.description }),
  initial: strategy.chart.initial,
  onDone: "complete",
  states: Object.fromEntries(
    Object.entries(strategy.chart.states).map(([name, state]) => [name, composeInner(strategy, state)])
  )
})

const composeInner = (strategy: Strategy, state: StrategyState<string, string, string>): object => {
  const { always, entry, lookAgain: _lookAgain, ...rest } = state
  return {
    ...rest,
    // `reportStatus` is an action of the Deployment's chart, and the others are the strategy's own.
    ...(entry === undefined
      ? {}
      : { entry: entry.map((it) => (it === "reportStatus" ? it : `${strategy.state}.${it}`)) }),
    ...(always === undefined
      ? {}
      : {
          always: always.map(({ guard, target }) =>
            guard === undefined ? { target } : { guard: `${strategy.state}.${guard}`, target }
          )
        }),
    ...waiting(strategy, state)
  }
}

/** A state that looks again is moving: time alone ends it. One with a delay of its own is only while that is known. */
const waiting = (strategy: Strategy, state: StrategyState<string, string, string>): object => {
  const fixedMillis = fixedDelayMillis(state)
  const delay = namedDelay(strategy, state)
  if (delay !== undefined)
    return {
      initial: "awaitingChange",
      states: {
        awaitingChange: {
          description: "Only a change leads to another look.",
          always: { guard: delayName(strategy, delay), target: "awaitingMoment" }
        },
        awaitingMoment: {
          description: "Looks again at the moment that the strategy waits for.",
          ...timer(delayName(strategy, delay))
        }
      }
    }
  return fixedMillis === undefined ? {} : timer(String(limitRate(fixedMillis)))
}

const timer = (delay: string): object => ({ tags: "moving", after: { [delay]: { actions: "lookAgain" } } })

/** The qualified name of a delay, and of the guard that a moment is known. */
const delayName = (strategy: Strategy, delay: string): string => `${strategy.state}/${delay}`

/** The delays that a strategy's states name, under their qualified names. */
export const strategyDelays = (
  strategy: Strategy
): Readonly<Record<string, (observation: DeploymentObservation) => number>> =>
  mapDelays(strategy, (delay) => (observation) => lookAgainMillis(delay, observation) ?? rateLimitMillis)

/** The guards that tell whether such a moment is known, under the same names. */
export const lookAheadGuards = (
  strategy: Strategy
): Readonly<Record<string, ExplainedGuard<DeploymentObservation>>> => mapDelays(strategy, isLookAhead)

const mapDelays = <A>(strategy: Strategy, map: (delay: StrategyDelay) => A): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries(strategy.delays ?? {}).map(([name, delay]) => [delayName(strategy, name), map(delay)])
  )
