import { stepAreaPath, stepLinePath } from "../../../drawing/stepPaths.ts"
import { milestoneText } from "../../../forecast/forecastText.ts"
import { roundToTenth } from "../../../drawing/roundToTenth.ts"
import type { Forecast, FutureCounts } from "../../../forecast/forecast.ts"
import type { CountScale } from "../../../drawing/countScale.ts"
import type { TimeScale } from "../../../drawing/timeScale.ts"

export interface FuturePlot {
  readonly x: number
  readonly width: number
  /** SVG paths: a line for the cluster's own future, an area for other seeds. */
  readonly available: string
  readonly band: string
  readonly milestones: ReadonlyArray<{ readonly x: number; readonly text: string }>
}

/** After the last change the axis goes on for this part of the time from now to that change. */
const marginPart = 0.08
const marginMinMillis = 500

/** Undefined without a change to come. */
export const futureEndMillis = ({ future, band, nowMillis }: Forecast): number | undefined => {
  // Futures with other seeds may take longer.
  const changes = [...future.milestones, ...future.counts, ...(band?.available ?? [])]
  const lastMillis = Math.max(...changes.map(({ millis }) => millis))
  if (lastMillis <= nowMillis) return undefined
  return lastMillis + Math.max(marginMinMillis, (lastMillis - nowMillis) * marginPart)
}

/** The axis may be cut short between these times. */
export const futureMoments = ({ future, nowMillis }: Forecast): ReadonlyArray<number> => [
  nowMillis,
  ...future.counts.map(({ millis }) => millis),
  ...future.milestones.map(({ millis }) => millis)
]

export const forecastCountsAt = ({ future }: Forecast, millis: number): FutureCounts | undefined =>
  future.counts.findLast((counts) => counts.millis <= millis)

export const futurePlot = (
  { future, band }: Forecast,
  nowMillis: number,
  scale: TimeScale,
  y: CountScale["y"]
): FuturePlot | undefined => {
  const end = scale.x(scale.endMillis)
  const x = scale.x(nowMillis)
  if (scale.endMillis <= nowMillis || x >= end) return undefined
  const stepsOf = <A extends { readonly millis: number }>(rows: ReadonlyArray<A>) => {
    const currentIndex = rows.findLastIndex(({ millis }) => millis <= nowMillis)
    const points = rows
      .slice(Math.max(0, currentIndex))
      .map((row) => ({ x: Math.max(x, scale.x(row.millis)), row }))
    const last = points.at(-1)
    return last === undefined ? [] : [...points, { ...last, x: end }]
  }
  return {
    x: roundToTenth(x),
    width: roundToTenth(end - x),
    available: stepLinePath(stepsOf(future.counts).map((step) => ({ x: step.x, y: y(step.row.available) }))),
    band: stepAreaPath(
      stepsOf(band?.available ?? []).map(({ x: atX, row }) => ({
        x: atX,
        lower: y(row.min),
        upper: y(row.max)
      }))
    ),
    milestones: future.milestones
      .filter(({ millis }) => millis > nowMillis)
      .map((milestone) => ({ x: roundToTenth(scale.x(milestone.millis)), text: milestoneText(milestone) }))
  }
}
