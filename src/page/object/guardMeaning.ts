import { guardsOfCharts } from "../../../machines/guards/guardsOfCharts.ts"
import { strategyGuards } from "../../../machines/guards/deploymentGuards.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { guardWords } from "../../inspect/charts/guardWords.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

const guardsByChart = new Map(
  Object.entries(guardsOfCharts).map(([chart, { guards }]) => [
    chart,
    chart === "deployment" ? { ...guards, ...strategyGuards(builtInStrategies) } : guards
  ])
)

/** The guard's name if the drawing has no words for it. */
export const guardMeaning = (chart: string, name: string): string => {
  const guards = guardsByChart.get(chart)
  const term = parseTerm(name)
  return (guards === undefined || term === undefined ? undefined : guardWords(guards, term)) ?? name
}

/** Parses a guard such as `isKnownLost and not hasStaleReadyPods`. Undefined for nested operators. */
const parseTerm = (text: string): GuardTerm | undefined => {
  if (text.includes("(")) return undefined
  for (const operator of ["or", "and"] as const) {
    const texts = text.split(` ${operator} `)
    if (texts.length > 1) return { operator, operands: texts.flatMap((part) => parseTerm(part) ?? []) }
  }
  return text.startsWith("not ") ? { operator: "not", operands: [text.slice("not ".length)] } : text
}
