import { layOutBars } from "../../../drawing/bars.ts"
import { firstIndexAfter } from "./podLayers.ts"
import { timeText } from "../timelineText.ts"
import type { Bar } from "../../../drawing/bars.ts"
import type { RecordedFault } from "../../history/faultLog.ts"
import type { TrackRow } from "../series/workloadTrack.ts"
import type { TimeScale } from "../../../drawing/timeScale.ts"

interface MarkedItem {
  readonly number: number
  readonly atMillis: number
  readonly isBad: boolean
  readonly text: string
  readonly label?: string
}

/** A marker stands for all items that would overlap. */
export interface Marker {
  readonly x: number
  /** The first bad item's number, else the first's: a click shows it. */
  readonly number: number
  readonly count: number
  readonly isBad: boolean
  readonly label: string
  readonly lines: ReadonlyArray<string>
}

const tooltipLinesMax = 6

/** `items` are in order; the width is in pixels. */
export const markersOf = <A extends MarkedItem>(
  items: ReadonlyArray<A>,
  scale: TimeScale,
  width: number,
  isWanted: (item: A) => boolean = () => true
): ReadonlyArray<Marker> => {
  const markers: Array<Marker> = []
  let index = firstIndexAfter(items, scale.beginMillis - 1)
  while (index < items.length) {
    const first = items[index]
    if (first === undefined || first.atMillis > scale.endMillis) break
    if (!isWanted(first)) {
      index += 1
      continue
    }
    const x = scale.x(first.atMillis)
    const isLast = x + width >= scale.x(scale.endMillis)
    const edgeMillis = isLast ? Infinity : scale.millisAt(x + width)
    const [badItems, goodItems]: [Array<MarkedItem>, Array<MarkedItem>] = [[], []]
    let [count, number] = [0, first.number]
    for (; index < items.length; index += 1) {
      const it = items[index]
      if (it === undefined || it.atMillis > scale.endMillis) break
      if (it.atMillis >= edgeMillis && it.atMillis > first.atMillis) break
      if (!isWanted(it)) continue
      count += 1
      if (it.isBad && badItems.length === 0) number = it.number
      const list = it.isBad ? badItems : goodItems
      if (list.length < tooltipLinesMax) list.push(it)
    }
    const shownItems = [...badItems, ...goodItems]
      .slice(0, tooltipLinesMax)
      .sort((a, b) => a.number - b.number)
    const lines = shownItems.map(({ atMillis, text }) => `${timeText(atMillis)} ${text}`)
    if (count > shownItems.length) lines.push(`and ${count - shownItems.length} more`)
    markers.push({ x, number, count, isBad: badItems.length > 0, label: first.label ?? "", lines })
  }
  return markers
}

export interface RevisionFlag {
  readonly x: number
  readonly revision: string
}

/** How many rows after a template change are searched for its revision: a rollback first keeps the old number. */
const lookAheadMax = 60

export const revisionFlags = (
  rows: ReadonlyArray<TrackRow>,
  scale: TimeScale
): ReadonlyArray<RevisionFlag> => {
  const flags: Array<RevisionFlag> = []
  let newRevisionUid: string | undefined
  for (const [index, row] of rows.entries()) {
    if (row.atMillis > scale.endMillis) break
    if (row.newRevisionUid === newRevisionUid || row.newRevisionUid === undefined) continue
    newRevisionUid = row.newRevisionUid
    // Of the changes before the visible part only the last is drawn.
    if (row.atMillis <= scale.beginMillis) flags.length = 0
    flags.push({ x: scale.x(row.atMillis), revision: revisionAfter(rows, index, newRevisionUid) })
  }
  return flags
}

const revisionAfter = (rows: ReadonlyArray<TrackRow>, index: number, uid: string): string => {
  let revision = ""
  for (let rowIndex = index; rowIndex < index + lookAheadMax; rowIndex += 1) {
    const row = rows[rowIndex]
    if (row?.newRevisionUid !== uid) break
    revision = row.byRevision.find((it) => it.uid === uid)?.revision ?? revision
  }
  return revision
}

export interface FaultBand extends Omit<Bar<RecordedFault>, "span"> {
  readonly id: string
  readonly title: string
}

/** Widths and gaps are in pixels. */
const barLimits = { lanesMax: 4, lettersMax: 48, letterWidth: 6.2, gap: 8 }

/** `hiddenCount`: faults without room. */
export const faultBands = (
  faults: ReadonlyArray<RecordedFault>,
  scale: TimeScale,
  range: readonly [from: number, to: number]
): { readonly bands: ReadonlyArray<FaultBand>; readonly laneCount: number; readonly hiddenCount: number } => {
  const visibleFaults = faults.filter(
    ({ beganMillis, endedMillis = Infinity }) =>
      beganMillis <= scale.endMillis && endedMillis >= scale.beginMillis
  )
  const { bars, ...counts } = layOutBars(visibleFaults, { scale, xRange: range, ...barLimits })
  return {
    bands: bars.map(({ span, ...bar }) => ({ ...bar, id: span.id, title: faultTitle(span) })),
    ...counts
  }
}

const faultTitle = ({ text, beganMillis, endedMillis }: RecordedFault): string => {
  const untilText = endedMillis === undefined ? "on" : `to ${timeText(endedMillis)}`
  return `${text}, from ${timeText(beganMillis)} ${untilText}`
}
