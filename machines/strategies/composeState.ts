import { rateLimitMillis } from "../../src/kubernetes/apps/progress.ts"
import {
  fixedDelayMillis,
  lookAgainGuard,
  rateLimitedMillis,
  lookAgainMillis,
  namedDelay
} from "./lookAgain.ts"
import type { ExplainedGuard } from "../guards/guard.ts"
import type { StrategyChart, StrategyDelay, StrategyState } from "./strategy.ts"

interface ChartPart<Observation = never> {
  readonly state: string
  readonly delays?: Readonly<Record<string, StrategyDelay<Observation>>>
  readonly chart: StrategyChart<string, string, string>
}

/** Names guards and actions `STATE.NAME`, delays `STATE/NAME`: XState's timer events would cut a name at a dot. */
export const composeState = (strategy: ChartPart): object => ({
  ...(strategy.chart.description === undefined ? {} : { description: strategy.chart.description }),
  initial: strategy.chart.initial,
  onDone: "complete",
  states: Object.fromEntries(
    Object.entries(strategy.chart.states).map(([name, state]) => [name, composeInnerState(strategy, state)])
  )
})

const composeInnerState = (strategy: ChartPart, state: StrategyState<string, string, string>): object => {
  const { always, entry, lookAgain: _lookAgain, ...rest } = state
  return {
    ...rest,
    // `reportStatus` is an action of the Deployment's chart; other actions belong to the strategy.
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
    ...composeLookAgain(strategy, state)
  }
}

/**
 * Time alone ends a state that looks again, so it has the tag `moving`. With a named delay, the state has the tag only
 * while that delay is defined.
 */
const composeLookAgain = (strategy: ChartPart, state: StrategyState<string, string, string>): object => {
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
          ...lookAgainAfter(delayName(strategy, delay))
        }
      }
    }
  return fixedMillis === undefined ? {} : lookAgainAfter(String(rateLimitedMillis(fixedMillis)))
}

const lookAgainAfter = (delay: string): object => ({
  tags: "moving",
  after: { [delay]: { actions: "lookAgain" } }
})

const delayName = (strategy: Pick<ChartPart, "state">, delay: string): string => `${strategy.state}/${delay}`

export const strategyDelays = <Observation>(
  strategy: ChartPart<Observation>
): Readonly<Record<string, (observation: Observation) => number>> =>
  mapDelays(strategy, (delay) => (observation) => lookAgainMillis(delay, observation) ?? rateLimitMillis)

export const lookAgainGuards = <Observation>(
  strategy: ChartPart<Observation>
): Readonly<Record<string, ExplainedGuard<Observation>>> =>
  mapDelays<Observation, ExplainedGuard<Observation>>(strategy, lookAgainGuard)

const mapDelays = <Observation, A>(
  strategy: ChartPart<Observation>,
  map: (delay: StrategyDelay<Observation>) => A
): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries(strategy.delays ?? {}).map(([name, delay]) => [delayName(strategy, name), map(delay)])
  )
