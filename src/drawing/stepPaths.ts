import { roundToTenth } from "./roundToTenth.ts"

/** A value that holds from `x` on until the next point. */
export interface StepPoint {
  readonly x: number
  readonly y: number
}

/** The edges of an area, from `x` on until the next point. */
export interface StripPoint {
  readonly x: number
  readonly lower: number
  readonly upper: number
}

const pointText = (x: number, y: number): string => `${roundToTenth(x)},${roundToTenth(y)}`

/** An SVG path; undefined points interrupt the line. */
export const stepLinePath = (points: ReadonlyArray<StepPoint | undefined>): string => {
  let path = ""
  let before: StepPoint | undefined
  for (const point of points) {
    if (point !== undefined)
      path +=
        before === undefined
          ? `M${pointText(point.x, point.y)}`
          : `L${pointText(point.x, before.y)}L${pointText(point.x, point.y)}`
    before = point
  }
  return path
}

/** An SVG path; empty without points. */
export const stepAreaPath = (points: ReadonlyArray<StripPoint>): string => {
  const last = points.at(-1)
  if (last === undefined) return ""
  let path = stepLinePath(points.map(({ x, upper }) => ({ x, y: upper })))
  path += `L${pointText(last.x, last.lower)}`
  for (const [index, { x, lower }] of [...points.entries()].toReversed()) {
    const next = points[index + 1]
    if (next !== undefined) path += `L${pointText(next.x, lower)}L${pointText(x, lower)}`
  }
  return `${path}Z`
}
