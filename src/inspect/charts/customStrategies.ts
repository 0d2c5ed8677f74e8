import { builtInStrategies, withBuiltInStrategies } from "../../../machines/strategies/strategies.ts"
import { chartsOf } from "./charts.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { strategyProblems } from "../../../machines/strategies/strategyProblems.ts"
import type { Chart } from "./charts.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/** Thrown for a module without valid strategies; `message` tells why. */
export class StrategiesRefused extends Error {
  override readonly name = "StrategiesRefused"
}

export const strategiesIn = (module: unknown): ReadonlyArray<Strategy> => {
  const exported = isFields(module) ? Object.values(module).flat() : []
  const strategies = [...new Set(exported.filter(isStrategy))]
  if (strategies.length === 0) {
    throw new StrategiesRefused("it exports no strategy, such as defineStrategy makes")
  }
  const custom = customStrategies(strategies)
  const [problem] = strategyProblems(withBuiltInStrategies(custom))
  if (problem !== undefined) throw new StrategiesRefused(problem)
  return custom
}

export const customStrategies = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<Strategy> =>
  strategies.filter((it) => !builtInStrategies.includes(it))

/** All values that `spec.strategy.type` may have with these custom strategies. */
export const strategyTypesWith = (custom: ReadonlyArray<Strategy>): ReadonlyArray<string> =>
  withBuiltInStrategies(custom)
    .map(({ type }) => type)
    .sort()

export const chartsWith = (custom: ReadonlyArray<Strategy>): ReadonlyArray<Chart> =>
  chartsOf(withBuiltInStrategies(custom))

/** TypeScript checks the rest. */
const isStrategy = (value: unknown): value is Strategy =>
  isFields(value) &&
  typeof value["type"] === "string" &&
  typeof value["state"] === "string" &&
  typeof value["isCreating"] === "function" &&
  ["guards", "commands"].every((field) => isFields(value[field])) &&
  isFields(value["chart"]) &&
  isFields(value["chart"]["states"])
