import { builtInSteering, withBuiltInSteering } from "../../../machines/steering/steeringStrategies.ts"
import { builtInStrategies, withBuiltInStrategies } from "../../../machines/strategies/strategies.ts"
import { chartsOf } from "./charts.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { steeringProblems, strategyProblems } from "../../../machines/strategies/strategyProblems.ts"
import type { Chart } from "./charts.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/** The strategies and steering charts of a user, without the built-in ones. */
export interface CustomStrategies {
  readonly strategies: ReadonlyArray<Strategy>
  readonly steering: ReadonlyArray<SteeringStrategy>
}

export const strategiesIn = (module: unknown): CustomStrategies => {
  const exported = [...new Set(isFields(module) ? Object.values(module).flat() : [])]
  const [strategies, steering] = [exported.filter(isStrategy), exported.filter(isSteering)]
  if (strategies.length + steering.length === 0)
    throw new Error("it exports no strategy, such as defineStrategy or defineSteering makes")
  const custom = withoutBuiltInStrategies({ strategies, steering })
  const [problem] = [
    ...strategyProblems(withBuiltInStrategies(custom.strategies)),
    ...steeringProblems(withBuiltInSteering(custom.steering))
  ]
  if (problem !== undefined) throw new Error(problem)
  return custom
}

export const withoutBuiltInStrategies = ({ strategies, steering }: CustomStrategies): CustomStrategies => ({
  strategies: strategies.filter((it) => !builtInStrategies.includes(it)),
  steering: steering.filter((it) => !builtInSteering.includes(it))
})

/** Values of `spec.strategy.type`. */
export const strategyTypesWith = (custom: ReadonlyArray<Strategy>): ReadonlyArray<string> =>
  withBuiltInStrategies(custom)
    .map(({ type }) => type)
    .sort()

export const chartsWith = ({ strategies, steering }: CustomStrategies): ReadonlyArray<Chart> =>
  chartsOf(withBuiltInStrategies(strategies), withBuiltInSteering(steering))

/** TypeScript checks the rest in the user's file. */
const isStrategy = (value: unknown): value is Strategy =>
  hasChart(value) && typeof value["type"] === "string" && typeof value["isCreating"] === "function"

/** What has a `type` is selected by `spec.strategy.type`, and steers nothing. */
const isSteering = (value: unknown): value is SteeringStrategy => hasChart(value) && !("type" in value)

const hasChart = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isFields(value) &&
  typeof value["state"] === "string" &&
  ["guards", "commands"].every((field) => isFields(value[field])) &&
  isFields(value["chart"]) &&
  isFields(value["chart"]["states"])
