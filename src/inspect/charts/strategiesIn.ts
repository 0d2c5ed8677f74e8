import { builtInStrategies } from "../../../machines/deployment.ts"
import { chartsOf } from "./charts.ts"
import { isFields } from "../../domain/fields.ts"
import { strategyProblems } from "../../../machines/strategies/strategy.ts"
import type { Chart } from "./charts.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/** What a module gives of strategies is none, or cannot be; `message` says what is the matter with it. */
export class StrategiesRefused extends Error {
  override readonly name = "StrategiesRefused"
}

/** The strategies that a module exports, by whatever names; those that there are anyway are left out. */
export const strategiesIn = (module: unknown): ReadonlyArray<Strategy> => {
  const exported = isFields(module) ? Object.values(module).flat() : []
  const strategies = [...new Set(exported.filter(isStrategy))]
  if (strategies.length === 0) {
    throw new StrategiesRefused("it exports no strategy, such as defineStrategy makes")
  }
  const own = ownOf(strategies)
  const [problem] = strategyProblems([...own, ...builtInStrategies])
  if (problem !== undefined) throw new StrategiesRefused(problem)
  return own
}

/** Those that are not built in. */
export const ownOf = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<Strategy> =>
  strategies.filter((it) => !builtInStrategies.includes(it))

/** What `spec.strategy.type` may say where a cluster has these strategies as well. */
export const typesWith = (own: ReadonlyArray<Strategy>): ReadonlyArray<string> =>
  [...own, ...builtInStrategies].map(({ type }) => type).sort()

/** All charts there are where a cluster has these strategies as well. */
export const chartsWith = (own: ReadonlyArray<Strategy>): ReadonlyArray<Chart> =>
  chartsOf([...own, ...builtInStrategies])

/** Whoever writes TypeScript has the compiler say the rest. */
const isStrategy = (value: unknown): value is Strategy =>
  isFields(value) &&
  typeof value["type"] === "string" &&
  typeof value["state"] === "string" &&
  typeof value["isCreating"] === "function" &&
  ["guards", "commands"].every((field) => isFields(value[field])) &&
  isFields(value["chart"]) &&
  isFields(value["chart"]["states"])
