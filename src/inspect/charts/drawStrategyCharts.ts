import { CannotDraw, chartOf } from "./charts.ts"
import { chartsWith, customStrategies } from "./customStrategies.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/**
 * Drawings, by chart name, of the charts that custom strategies change: the Deployment's and each strategy's own.
 * Empty without custom strategies or without elkjs.
 */
export const drawStrategyCharts = async (
  strategies: ReadonlyArray<Strategy>
): Promise<Readonly<Record<string, string>>> => {
  const custom = customStrategies(strategies)
  if (custom.length === 0) return {}
  const names = new Set(["deployment", ...custom.map(({ state }) => state)])
  const changed = chartsWith(custom).filter(({ name }) => names.has(name))
  try {
    const drawings = await Promise.all(
      changed.map(async (chart) => [chart.name, await chartOf(chart, "svg")] as const)
    )
    return Object.fromEntries(drawings)
  } catch (error) {
    if (error instanceof CannotDraw) return {}
    throw error
  }
}
