import { CannotDraw, chartOf } from "./charts.ts"
import { chartsWith, customStrategies } from "./customStrategies.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/** Drawings by chart name: the Deployment's, and each custom strategy's. Empty without custom strategies or elkjs. */
export const drawStrategyCharts = async (
  strategies: ReadonlyArray<Strategy>
): Promise<Readonly<Record<string, string>>> => {
  const custom = customStrategies(strategies)
  if (custom.length === 0) return {}
  const names = new Set(["deployment", ...custom.map(({ state }) => state)])
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
