import { stepAreaPath, stepLinePath } from "../../../drawing/stepPaths.ts"
import { lastIndexWhere } from "../../history/objectVersions.ts"
import { totalPods } from "../series/workloadTrack.ts"
import { roundToTenth } from "../../../drawing/roundToTenth.ts"
import type { CountScale } from "../../../drawing/countScale.ts"
import type { TrackRow } from "../series/workloadTrack.ts"
import type { TimeScale } from "../../../drawing/timeScale.ts"

/** The layers from below: unready Pods lie where old and new meet. */
export const podLayers = ["new", "new-unready", "old-unready", "old", "stopping"] as const
export type PodLayer = (typeof podLayers)[number]

export interface LayerPoint {
  readonly x: number
  readonly row: TrackRow
  /** The upper edge of each layer, in Pods. */
  readonly tops: ReadonlyArray<number>
  /** Whether the row is drawn only for its low availability. */
  readonly isDip: boolean
}

/** In pixels. Closer rows cannot be told apart. */
const columnWidth = 2.5

/** Per column, only the last row and the extremes can be seen. */
export const layerPoints = (
  rows: ReadonlyArray<TrackRow>,
  scale: TimeScale,
  lastMillis = scale.endMillis
): ReadonlyArray<LayerPoint> => {
  const points: Array<LayerPoint> = []
  const addPoint = (row: TrackRow, { isDip }: Pick<LayerPoint, "isDip">): void => {
    points.push({ x: roundToTenth(scale.x(row.atMillis)), row, tops: topsOf(row), isDip })
  }
  let index = Math.max(0, firstIndexAfter(rows, scale.beginMillis) - 1)
  while (index < rows.length) {
    const first = rows[index]
    if (first === undefined || first.atMillis > scale.endMillis) break
    // A column contains its first row at least.
    const edgeMillis = Math.max(scale.millisAt(scale.x(first.atMillis) + columnWidth), first.atMillis + 0.001)
    let [fewestRow, mostRow, lastRow, mostPods] = [first, first, first, podsOf(first)]
    for (index += 1; index < rows.length; index += 1) {
      const row = rows[index]
      if (row === undefined || row.atMillis >= edgeMillis) break
      if (row.available < fewestRow.available) fewestRow = row
      const pods = podsOf(row)
      if (pods > mostPods) [mostRow, mostPods] = [row, pods]
      lastRow = row
    }
    const columnRows =
      fewestRow.number <= mostRow.number ? [fewestRow, mostRow, lastRow] : [mostRow, fewestRow, lastRow]
    for (const row of new Set(columnRows)) addPoint(row, { isDip: row !== mostRow && row !== lastRow })
  }
  const end = points.at(-1)
  return end === undefined ? [] : [...points, { ...end, x: scale.x(Math.min(lastMillis, scale.endMillis)) }]
}

export const firstIndexAfter = (list: ReadonlyArray<{ readonly atMillis: number }>, millis: number): number =>
  lastIndexWhere(list.length, (index) => (list[index]?.atMillis ?? Infinity) <= millis) + 1

const podsOf = ({ byRevision }: TrackRow): number => {
  let sum = 0
  for (const pods of byRevision) sum += totalPods(pods)
  return sum
}

const topsOf = ({ byRevision, newRevisionUid }: TrackRow): ReadonlyArray<number> => {
  const amounts = podLayers.map(() => 0)
  const addToLayer = (layer: PodLayer, amount: number): void => {
    const index = podLayers.indexOf(layer)
    amounts[index] = (amounts[index] ?? 0) + amount
  }
  for (const { uid, ready, notReady, terminating } of byRevision) {
    addToLayer(uid === newRevisionUid ? "new" : "old", ready)
    addToLayer(uid === newRevisionUid ? "new-unready" : "old-unready", notReady)
    addToLayer("stopping", terminating)
  }
  let top = 0
  return amounts.map((amount) => (top += amount))
}

export const highestCount = (points: ReadonlyArray<LayerPoint>): number => {
  let highest = 1
  for (const { tops, row } of points)
    highest = Math.max(highest, tops.at(-1) ?? 0, row.desired, row.available, row.ceiling ?? 0)
  return highest
}

type Y = CountScale["y"]

export const layerPaths = (
  points: ReadonlyArray<LayerPoint>,
  y: Y
): ReadonlyArray<{ readonly layer: PodLayer; readonly path: string }> => {
  const peaks = points.filter(({ isDip }) => !isDip)
  return podLayers.flatMap((layer, index) => {
    const lower = ({ tops }: LayerPoint): number => tops[index - 1] ?? 0
    const upper = ({ tops }: LayerPoint): number => tops[index] ?? 0
    if (peaks.every((point) => lower(point) === upper(point))) return []
    const changedPoints = changedOnly(peaks, (a, b) => lower(a) === lower(b) && upper(a) === upper(b))
    const outline = changedPoints.map((point) => ({
      x: point.x,
      lower: y(lower(point)),
      upper: y(upper(point))
    }))
    return [{ layer, path: stepAreaPath(outline) }]
  })
}

export const linePath = (
  points: ReadonlyArray<LayerPoint>,
  y: Y,
  valueOf: (row: TrackRow) => number | undefined
): string => {
  const changedPoints = changedOnly(points, (a, b) => valueOf(a.row) === valueOf(b.row))
  return stepLinePath(
    changedPoints.map(({ x, row }) => {
      const value = valueOf(row)
      return value === undefined ? undefined : { x, y: y(value) }
    })
  )
}

const changedOnly = (
  points: ReadonlyArray<LayerPoint>,
  isSame: (a: LayerPoint, b: LayerPoint) => boolean
): Array<LayerPoint> => {
  const changedPoints: Array<LayerPoint> = []
  for (const [index, point] of points.entries()) {
    const before = changedPoints.at(-1)
    if (before === undefined || index === points.length - 1 || !isSame(before, point))
      changedPoints.push(point)
  }
  return changedPoints
}
