import { area, curveStepAfter, line } from "d3-shape"
import { lastIndex } from "../history/lives.ts"
import { podsIn } from "./track.ts"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import type { ScaleLinear } from "d3-scale"
import type { Row } from "./track.ts"
import type { TimeScale } from "../../drawing/timeScale.ts"

/** Amounts of Pods that stand on each other, from below: what is not ready yet lies where old and new meet. */
export const layers = ["new", "new-unready", "old-unready", "old", "stopping"] as const
export type Layer = (typeof layers)[number]

/** A row that is drawn, and where; `tops` has the upper edge of each layer. */
export interface Point {
  readonly x: number
  readonly row: Row
  readonly tops: ReadonlyArray<number>
  /** It is there for its few that are available, and not for its Pods. */
  readonly isDip: boolean
}

/** The rows of one unit of the drawing are told apart by nobody. */
const columnWidth = 2.5

/**
 * As many rows as can be seen: of those that fall on one place the last, the one with the fewest available and the one
 * with the most Pods. What is looked at costs a comparison, what is drawn a place.
 */
export const pointsOf = (rows: ReadonlyArray<Row>, scale: TimeScale): ReadonlyArray<Point> => {
  const points: Array<Point> = []
  const add = (row: Row, isDip: boolean): void => {
    points.push({ x: roundToTenth(scale.x(row.atMillis)), row, tops: topsOf(row), isDip })
  }
  let index = Math.max(0, firstAfter(rows, scale.beginMillis) - 1)
  while (index < rows.length) {
    const first = rows[index]
    if (first === undefined || first.atMillis > scale.endMillis) break
    const edgeMillis = Math.max(scale.millisAt(scale.x(first.atMillis) + columnWidth), first.atMillis + 0.001)
    let [fewest, most, last, mostPods] = [first, first, first, podsOf(first)]
    for (index += 1; index < rows.length; index += 1) {
      const row = rows[index]
      if (row === undefined || row.atMillis >= edgeMillis) break
      if (row.available < fewest.available) fewest = row
      const pods = podsOf(row)
      if (pods > mostPods) [most, mostPods] = [row, pods]
      last = row
    }
    const kept = fewest.number <= most.number ? [fewest, most, last] : [most, fewest, last]
    for (const row of new Set(kept)) add(row, row !== most && row !== last)
  }
  const end = points.at(-1)
  return end === undefined ? [] : [...points, { ...end, x: scale.x(scale.endMillis) }]
}

/** The index of the first that is later than a moment. */
export const firstAfter = (list: ReadonlyArray<{ readonly atMillis: number }>, millis: number): number =>
  lastIndex(list.length, (index) => (list[index]?.atMillis ?? Infinity) <= millis) + 1

const podsOf = ({ byRevision }: Row): number => {
  let sum = 0
  for (const pods of byRevision) sum += podsIn(pods)
  return sum
}

const topsOf = ({ byRevision, next }: Row): ReadonlyArray<number> => {
  const amounts = layers.map(() => 0)
  const add = (layer: Layer, amount: number): void => {
    const index = layers.indexOf(layer)
    amounts[index] = (amounts[index] ?? 0) + amount
  }
  for (const { uid, ready, notReady, terminating } of byRevision) {
    add(uid === next ? "new" : "old", ready)
    add(uid === next ? "new-unready" : "old-unready", notReady)
    add("stopping", terminating)
  }
  let top = 0
  return amounts.map((amount) => (top += amount))
}

/** The most that is reached by anything of a drawing. */
export const mostOf = (points: ReadonlyArray<Point>): number => {
  let most = 1
  for (const { tops, row } of points)
    most = Math.max(most, tops.at(-1) ?? 0, row.desired, row.available, row.ceiling ?? 0)
  return most
}

type Y = ScaleLinear<number, number>

/** The outline of each layer that has anything in it. */
export const layerPaths = (
  points: ReadonlyArray<Point>,
  y: Y
): ReadonlyArray<{ readonly layer: Layer; readonly path: string }> => {
  const peaks = points.filter(({ isDip }) => !isDip)
  return layers.flatMap((layer, index) => {
    const lower = ({ tops }: Point): number => tops[index - 1] ?? 0
    const upper = ({ tops }: Point): number => tops[index] ?? 0
    if (peaks.every((point) => lower(point) === upper(point))) return []
    const outline = area<Point>(
      ({ x }) => x,
      (point) => y(lower(point)),
      (point) => y(upper(point))
    )
    const changed = changes(peaks, (a, b) => lower(a) === lower(b) && upper(a) === upper(b))
    return [{ layer, path: outline.curve(curveStepAfter).digits(1)(changed) ?? "" }]
  })
}

/** A line over time; it is interrupted where there is no value. */
export const linePath = (
  points: ReadonlyArray<Point>,
  y: Y,
  valueOf: (row: Row) => number | undefined
): string => {
  const drawn = line<Point>(
    ({ x }) => x,
    ({ row }) => y(valueOf(row) ?? 0)
  )
    .defined(({ row }) => valueOf(row) !== undefined)
    .curve(curveStepAfter)
    .digits(1)
  const changed = changes(points, (a, b) => valueOf(a.row) === valueOf(b.row))
  return drawn(changed) ?? ""
}

/** Those at which something is another than before, and the last. */
const changes = (points: ReadonlyArray<Point>, isSame: (a: Point, b: Point) => boolean): Array<Point> => {
  const kept: Array<Point> = []
  for (const [index, point] of points.entries()) {
    const before = kept.at(-1)
    if (before === undefined || index === points.length - 1 || !isSame(before, point)) kept.push(point)
  }
  return kept
}
