import { fixedDelayMillis, namedDelay } from "./lookAgain.ts"
import type { SteeringStrategy } from "../steering/steeringStrategy.ts"
import type { Strategy, StrategyState } from "./strategy.ts"

/** The states of the Deployment's own chart: no strategy may have their names. */
const reservedStates: ReadonlySet<string> = new Set([
  "idle",
  "routing",
  "claiming",
  "renumbering",
  "terminating",
  "paused",
  "rollingBack",
  "scaling",
  "complete"
])

/** The states of the steering chart: no user's chart may have their names. */
const reservedSteeringStates: ReadonlySet<string> = new Set([
  "unseen",
  "routing",
  "terminating",
  "invalid",
  "deletingHookJobs",
  "unsteered",
  "complete"
])

export const strategyProblems = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<string> =>
  strategies.flatMap((strategy, index) => {
    const name = `the strategy ${JSON.stringify(strategy.type)}`
    const earlierStrategies = strategies.slice(0, index)
    return [
      ...(earlierStrategies.some((it) => it.type === strategy.type) ? [`${name} is there twice`] : []),
      ...chartProblems(name, strategy, [...reservedStates, ...earlierStrategies.map(({ state }) => state)])
    ]
  })

export const steeringProblems = (strategies: ReadonlyArray<SteeringStrategy>): ReadonlyArray<string> =>
  strategies.flatMap((strategy, index) => {
    const earlierStates = strategies.slice(0, index).map(({ state }) => state)
    const name = `the steering chart ${JSON.stringify(strategy.state)}`
    return chartProblems(name, strategy, [...reservedSteeringStates, ...earlierStates])
  })

type ComposedStrategy = Pick<Strategy, "state" | "chart"> & {
  readonly delays?: Readonly<Record<string, unknown>>
}

const chartProblems = (
  name: string,
  strategy: ComposedStrategy,
  takenStates: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const { state, chart } = strategy
  const targets = Object.values(chart.states).flatMap(({ always = [] }) => always.map(({ target }) => target))
  const missingTargets = [chart.initial, ...targets].filter((target) => !Object.hasOwn(chart.states, target))
  return [
    ...(takenStates.includes(state)
      ? [`${name} calls its state ${JSON.stringify(state)}, which is taken`]
      : []),
    ...Object.entries(chart.states)
      .flatMap(([key, it]) => lookAgainProblem(strategy, key, it) ?? [])
      .map((problem) => `${name} ${problem}`),
    ...missingTargets.map(
      (target) => `${name} goes to ${JSON.stringify(target)}, which its chart does not have`
    ),
    ...(Object.values(chart.states).some((it) => it.type === "final")
      ? []
      : [`${name} has no state of type "final"`])
  ]
}

const lookAgainProblem = (
  strategy: ComposedStrategy,
  key: string,
  state: StrategyState<string, string, string>
): string | undefined => {
  if (state.lookAgain === undefined) return undefined
  if (state.type === "final") return `looks again in its final state ${JSON.stringify(key)}`
  if (namedDelay(strategy, state) !== undefined || fixedDelayMillis(state) !== undefined) return undefined
  return `looks again after ${JSON.stringify(state.lookAgain.after)}, which is neither a delay of its own nor a duration`
}
