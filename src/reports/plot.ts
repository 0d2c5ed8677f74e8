import { countScale } from "../drawing/countScale.ts"
import { markup } from "./markup.ts"
import { stepAreaPath, stepLinePath } from "../drawing/stepPaths.ts"
import { thinStrips } from "../drawing/thinStrips.ts"
import { roundToTenth } from "../drawing/roundToTenth.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { Strip } from "../drawing/thinStrips.ts"
import type { TimeScale } from "../drawing/timeScale.ts"

export interface PodPlot {
  readonly scale: TimeScale
  /** The distance from the top of the drawing, in its units. */
  readonly top: number
  readonly height: number
  readonly points: ReadonlyArray<Point>
  readonly areas: ReadonlyArray<Series>
  readonly lines: ReadonlyArray<Series>
  readonly levels: ReadonlyArray<{
    readonly className: string
    readonly title: string
    readonly value: number
  }>
}

type Point = Readonly<Record<string, number>> & { readonly atMillis: number }

interface Series {
  readonly className: string
  readonly valueOf: (point: Point) => number
}

/** In units of the drawing's view box. */
export const drawingWidth = 960
export const timeAxisRange = [40, drawingWidth - 16] as const

export const plotMarkup = (plot: PodPlot): HtmlMarkup => {
  const { scale, top, height, levels } = plot
  const areas = stackedAreas(plot)
  const lines = plot.lines.map((series) => lineSeries(plot, series))
  const highestValue = [...areas, ...lines]
    .flatMap(({ strips }) => strips.map(({ upper }) => upper))
    .concat(levels.map(({ value }) => value))
    .reduce((highest, value) => Math.max(highest, value), 1)
  const { y, ticks } = countScale(highestValue, top + height, top)
  const areaPath = (strips: ReadonlyArray<Strip>): string =>
    stepAreaPath(
      strips.map(({ atMillis, lower, upper }) => ({ x: scale.x(atMillis), lower: y(lower), upper: y(upper) }))
    )
  const linePath = (strips: ReadonlyArray<Strip>): string =>
    stepLinePath(strips.map(({ atMillis, upper }) => ({ x: scale.x(atMillis), y: y(upper) })))
  return markup`<g class="axis">${ticks.map((value) => countMarkup(value, roundToTenth(y(value))))}${ticksMarkup(
    scale,
    top + height
  )}</g>
${areas.map(({ className, strips }) => markup`<path class="${className}" d="${areaPath(strips)}"/>`)}
${lines.map(({ className, strips }) => markup`<path class="${className}" d="${linePath(strips)}"/>`)}
${levels.map(
  ({ className, title, value }) =>
    markup`<line class="${className}" x1="${left}" x2="${right}" y1="${roundToTenth(y(value))}" y2="${roundToTenth(y(value))}">
<title>${title}: ${value}</title></line>`
)}
${cutsMarkup(scale, top, height)}`
}

const [left, right] = timeAxisRange

const countMarkup = (value: number, y: number): HtmlMarkup =>
  markup`<line x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>
<text x="${left - 6}" y="${y + 4}" text-anchor="end">${value}</text>`

/** A label near the right end ends at its tick. */
export const ticksMarkup = (scale: TimeScale, bottom: number): ReadonlyArray<HtmlMarkup> =>
  scale.ticks.map(({ millis, text }) => {
    const x = roundToTenth(scale.x(millis))
    const anchor = x > right - 24 ? "end" : "middle"
    return markup`<line x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 5}"/>
<text x="${x}" y="${bottom + 18}" text-anchor="${anchor}">${text}</text>`
  })

const cutsMarkup = (scale: TimeScale, top: number, height: number): ReadonlyArray<HtmlMarkup> =>
  scale.cuts.map(({ fromMillis, toMillis }) => {
    const middle = roundToTenth((scale.x(fromMillis) + scale.x(toMillis)) / 2)
    const path = `M${middle - 3},${top}v${height}M${middle + 3},${top}v${height}`
    return markup`<path class="cut" d="${path}"/>`
  })

/** Strips that are too narrow to be seen are omitted. */
interface DrawnSeries {
  readonly className: string
  readonly strips: ReadonlyArray<Strip>
}

const stackedAreas = ({ scale, points, areas }: PodPlot): ReadonlyArray<DrawnSeries> => {
  const lowerEdges = points.map(() => 0)
  return areas.map(({ className, valueOf }) => {
    const strips = points.map((point, index) => {
      const lower = lowerEdges[index] ?? 0
      const upper = lower + valueOf(point)
      lowerEdges[index] = upper
      return { atMillis: point.atMillis, lower, upper }
    })
    return { className, strips: thinStrips(strips, scale) }
  })
}

const lineSeries = ({ scale, points }: PodPlot, { className, valueOf }: Series): DrawnSeries => ({
  className,
  strips: thinStrips(
    points.map((point) => ({ atMillis: point.atMillis, lower: 0, upper: valueOf(point) })),
    scale
  )
})
