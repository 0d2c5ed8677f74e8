import { outputPalette } from "../terminal/terminal.ts"
import { parseWorkloadName } from "../../kubernetes/apps/workloadNames.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { ShownFuture } from "./remoteForecast.ts"
import type { RemoteRolloutRef } from "./remoteRollout.ts"

/** The outcomes with other seeds show how far chance may change the forecast. */
const otherSeedsCount = 4

/** Forecasts with copies of a Charthouse cluster; any other cluster gets a plan. `name` may be `sts/db`. */
export const lookAhead = async (remote: RemoteCluster, options: RemoteRolloutRef): Promise<ShownFuture> => {
  const { forecastLines, readForecast } = await import("./remoteForecast.ts")
  const palette = outputPalette()
  const forecast = await readForecast(remote, options.name, { otherSeedsCount, playsCures: true })
  if (forecast !== undefined) return { json: forecast, lines: forecastLines(forecast, palette) }
  const { name = "", resource } = parseWorkloadName(options.name) ?? {}
  if (resource !== resources.deployments)
    throw new Error("only Deployments can be planned, and this cluster cannot be copied")
  const { plannedFuture } = await import("./plannedFuture.ts")
  return plannedFuture(remote, { ...options, name }, palette)
}
