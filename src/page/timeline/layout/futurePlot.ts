import { area, curveStepAfter, line } from "d3-shape"
import { milestoneText } from "../../../forecast/forecastText.ts"
import { roundToTenth } from "../../../drawing/roundToTenth.ts"
import type { Forecast, FutureCounts } from "../../../forecast/forecast.ts"
import type { ScaleLinear } from "d3-scale"
import type { TimeScale } from "../../../drawing/timeScale.ts"

/** What is drawn to the right of now. */
export interface FuturePlot {
  /** The horizontal range. */
  readonly x: number
  readonly width: number
  /** Available Pods: the cluster's own future, and the range of other seeds. */
  readonly available: string
  readonly band: string
  readonly milestones: ReadonlyArray<{ readonly x: number; readonly text: string }>
}

/** A future is drawn a little beyond its last change. */
const marginPart = 0.08
const marginMinMillis = 500

/** How far the time axis reaches for a forecast; undefined if it knows of no change. */
export const futureEndMillis = ({ future, nowMillis }: Forecast): number | undefined => {
  const lastMillis = Math.max(...[...future.milestones, ...future.counts].map(({ millis }) => millis))
  if (lastMillis <= nowMillis) return undefined
  return lastMillis + Math.max(marginMinMillis, (lastMillis - nowMillis) * marginPart)
}

/** The times of changes to come, between which the axis may be cut short. */
export const futureMoments = ({ future, nowMillis }: Forecast): ReadonlyArray<number> => [
  nowMillis,
  ...future.counts.map(({ millis }) => millis),
  ...future.milestones.map(({ millis }) => millis)
]

/** The counts of a future at an instant. */
export const countsAt = ({ future }: Forecast, millis: number): FutureCounts | undefined =>
  future.counts.findLast((counts) => counts.millis <= millis)

export const futurePlot = (
  { future, band }: Forecast,
  nowMillis: number,
  scale: TimeScale,
  y: ScaleLinear<number, number>
): FuturePlot | undefined => {
  const end = scale.x(scale.endMillis)
  const x = scale.x(nowMillis)
  if (scale.endMillis <= nowMillis || x >= end) return undefined
  const stepsOf = <A extends { readonly millis: number }>(rows: ReadonlyArray<A>) => {
    const first = rows.findLastIndex(({ millis }) => millis <= nowMillis)
    const points = rows.slice(Math.max(0, first)).map((row) => ({ x: Math.max(x, scale.x(row.millis)), row }))
    const last = points.at(-1)
    return last === undefined ? [] : [...points, { ...last, x: end }]
  }
  const available = line<{ readonly x: number; readonly row: FutureCounts }>(
    (point) => point.x,
    ({ row }) => y(row.available)
  )
  const range = area<{ readonly x: number; readonly row: { readonly min: number; readonly max: number } }>(
    (point) => point.x,
    ({ row }) => y(row.min),
    ({ row }) => y(row.max)
  )
  return {
    x: roundToTenth(x),
    width: roundToTenth(end - x),
    available: available.curve(curveStepAfter).digits(1)(stepsOf(future.counts)) ?? "",
    band: range.curve(curveStepAfter).digits(1)(stepsOf(band?.available ?? [])) ?? "",
    milestones: future.milestones
      .filter(({ millis }) => millis > nowMillis)
      .map((milestone) => ({ x: roundToTenth(scale.x(milestone.millis)), text: milestoneText(milestone) }))
  }
}
