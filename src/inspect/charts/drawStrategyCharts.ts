import { CannotDraw, chartOf } from "./charts.ts"
import { chartsWith, withoutBuiltInStrategies } from "./customStrategies.ts"
import type { CustomStrategies } from "./customStrategies.ts"

/** The drawings by chart name; empty without custom charts or elkjs. */
export const drawStrategyCharts = async (
  all: CustomStrategies
): Promise<Readonly<Record<string, string>>> => {
  const custom = withoutBuiltInStrategies(all)
  const { strategies, steering } = custom
  const names = new Set([
    ...(strategies.length === 0 ? [] : ["deployment"]),
    ...(steering.length === 0 ? [] : ["steering"]),
    ...[...strategies, ...steering].map(({ state }) => state)
  ])
  if (names.size === 0) return {}
  const chartsToDraw = chartsWith(custom).filter(({ name }) => names.has(name))
  try {
    const drawings = await Promise.all(
      chartsToDraw.map(async (chart) => [chart.name, await chartOf(chart, "svg")] as const)
    )
    return Object.fromEntries(drawings)
  } catch (error) {
    if (error instanceof CannotDraw) return {}
    throw error
  }
}
