import { fixedDelayMillis, namedDelay } from "./lookAgain.ts"
import type { Strategy, StrategyState } from "./strategy.ts"

/** The states of the Deployment's own chart, beside which a strategy's state stands. */
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

export const strategyProblems = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<string> =>
  strategies.flatMap((strategy, index) => {
    const { type, state, chart } = strategy
    const name = `the strategy ${JSON.stringify(type)}`
    const before = strategies.slice(0, index)
    const targets = Object.values(chart.states).flatMap(({ always = [] }) =>
      always.map(({ target }) => target)
    )
    const missing = [chart.initial, ...targets].filter((target) => chart.states[target] === undefined)
    return [
      ...(before.some((it) => it.type === type) ? [`${name} is there twice`] : []),
      ...(reservedStates.has(state) || before.some((it) => it.state === state)
        ? [`${name} calls its state ${JSON.stringify(state)}, which is taken`]
        : []),
      ...Object.entries(chart.states)
        .flatMap(([key, it]) => lookAgainProblem(strategy, key, it) ?? [])
        .map((problem) => `${name} ${problem}`),
      ...missing.map((target) => `${name} goes to ${JSON.stringify(target)}, which its chart does not have`),
      ...(Object.values(chart.states).some((it) => it.type === "final")
        ? []
        : [`${name} has no state of type "final"`])
    ]
  })

const lookAgainProblem = (
  strategy: Strategy,
  key: string,
  state: StrategyState<string, string, string>
): string | undefined => {
  if (state.lookAgain === undefined) return undefined
  if (state.type === "final") return `looks again in its final state ${JSON.stringify(key)}`
  if (namedDelay(strategy, state) !== undefined || fixedDelayMillis(state) !== undefined) return undefined
  return `looks again after ${JSON.stringify(state.lookAgain.after)}, which is neither a delay of its own nor a duration`
}
