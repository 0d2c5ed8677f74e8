import { CannotDraw, chartOf } from "./charts.ts"
import { chartsWith, ownOf } from "./strategiesIn.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/**
 * The charts that a cluster's own strategies change, drawn, by the chart's name: the Deployment's with all of them in
 * it, and each by itself. None where there are no strategies of its own, or nothing to draw with.
 */
export const drawnCharts = async (
  strategies: ReadonlyArray<Strategy>
): Promise<Readonly<Record<string, string>>> => {
  const own = ownOf(strategies)
  if (own.length === 0) return {}
  const names = new Set(["deployment", ...own.map(({ state }) => state)])
  const changed = chartsWith(own).filter(({ name }) => names.has(name))
  try {
    const drawn = await Promise.all(
      changed.map(async (chart) => [chart.name, await chartOf(chart, "svg")] as const)
    )
    return Object.fromEntries(drawn)
  } catch (error) {
    if (error instanceof CannotDraw) return {}
    throw error
  }
}
