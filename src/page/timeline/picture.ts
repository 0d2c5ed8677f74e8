import { scaleLinear } from "d3-scale"
import { bandsOf, flagsOf, signsOf } from "./signs.ts"
import { layerPaths, linePath, mostOf, pointsOf } from "./stacks.ts"
import { tickText } from "./words.ts"
import { timeScale } from "../../drawing/timeScale.ts"
import type { Band, Flag, Sign } from "./signs.ts"
import type { Layer } from "./stacks.ts"
import type { TimeScale } from "../../drawing/timeScale.ts"
import type { NoteEntry } from "../../recording/entry.ts"
import type { SeenFault } from "../history/marking.ts"
import type { Series, Track } from "./series.ts"

/** What a timeline draws of a history: pure places and paths, whatever draws them. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly scale: TimeScale
  readonly ticks: ReadonlyArray<{
    readonly x: number
    readonly text: string
    readonly isLast: boolean
  }>
  /** Where time begins and ends, and from where to where its lines go. */
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  /** Where the axis stands. */
  readonly axisY: number
  readonly bands: ReadonlyArray<Band>
  readonly untoldFaults: number
  readonly noteSigns: ReadonlyArray<Sign>
  readonly plots: ReadonlyArray<Plot>
  /** Names of lanes stand beside them where there is room, else above. */
  readonly isNarrow: boolean
}

/** The Pods of one Deployment. */
export interface Plot {
  readonly track: Track
  readonly top: number
  readonly height: number
  readonly layers: ReadonlyArray<{ readonly layer: Layer; readonly path: string }>
  readonly lines: ReadonlyArray<{ readonly line: PlotLine; readonly path: string }>
  readonly counts: ReadonlyArray<{ readonly value: number; readonly y: number }>
  readonly flags: ReadonlyArray<Flag>
  readonly conditions: SignLane | undefined
  readonly events: SignLane
}

/** Marks that stand beside each other. */
export interface SignLane {
  readonly y: number
  readonly signs: ReadonlyArray<Sign>
}

const plotLines = ["ceiling", "floor", "desired", "available"] as const
export type PlotLine = (typeof plotLines)[number]

export interface PictureOptions {
  readonly history: DrawnHistory
  /** The one that is drawn large; undefined for a lane for each of `tracks`. */
  readonly track: Track | undefined
  readonly tracks: ReadonlyArray<Track>
  readonly width: number
  readonly endMillis: number
  /** What of the time is looked at; all of it where it is left out. */
  readonly span: Span | undefined
}

/** What of a history is drawn. */
export interface DrawnHistory {
  readonly series: Series
  readonly faults: ReadonlyArray<SeenFault>
  readonly notes: ReadonlyArray<NoteEntry>
  readonly beginMillis: number
  readonly endMillis: number
}

export interface Span {
  readonly fromMillis: number
  readonly toMillis: number
}

const narrowWidth = 620
export const [noteHeight, bandHeight] = [24, 20]
const [flagHeight, axisHeight, signHeight, margin] = [16, 24, 17, 14]
const plotHeight = 96
const [laneHeight, laneGap, laneNameHeight] = [30, 8, 17]
const [countsWidth, signNamesWidth, namesWidth] = [30, 52, 168]
/** Rollouts take seconds, and minutes lie between them. Who looks closely wants to see time as it was. */
const [quietPart, quietPartClose, quietMillis] = [1 / 16, 1 / 6, 1500]
const [tickWidth, narrowTickWidth] = [84, 64]
/** So wide that a finger meets it. */
const signWidth = 13

export const pictureOf = (options: PictureOptions): Picture => {
  const { history, track, tracks, width, span } = options
  const isNarrow = width < narrowWidth
  const left = isNarrow ? countsWidth : track === undefined ? namesWidth : signNamesWidth
  const right = width - margin
  const scale = timeScale({
    beginMillis: span?.fromMillis ?? history.beginMillis,
    endMillis: span?.toMillis ?? options.endMillis,
    moments: momentsOf(options),
    range: [left, right],
    textOf: tickText,
    tickWidth: isNarrow ? narrowTickWidth : tickWidth,
    quietPart: span === undefined ? quietPart : quietPartClose,
    quietMillis
  })
  const { bands, lanes, untold } = bandsOf(history.faults, scale, [left, right])
  const noteSigns = signsOf(notesTold(history.notes), scale, signWidth + 6)
  const top = (noteSigns.length > 0 ? noteHeight : 0) + lanes * bandHeight + 4
  const shared = {
    width,
    scale,
    ticks: ticksOf(scale, right),
    left,
    right,
    top,
    bands,
    untoldFaults: untold,
    noteSigns,
    isNarrow
  }
  if (track !== undefined) {
    const plot = largePlot(track, scale, top + flagHeight)
    const axisY = plot.top + plot.height
    const height = axisY + axisHeight + 2 * signHeight + 4
    return { ...shared, plots: [plot], axisY, bottom: height - 4, height }
  }
  const each = laneHeight + laneGap + (isNarrow ? laneNameHeight : 0)
  const first = top + 4 + (isNarrow ? laneNameHeight : 0)
  const plots = tracks.map((it, index) => smallPlot(it, scale, first + index * each))
  const axisY = top + Math.max(1, tracks.length) * each + 4
  return { ...shared, plots, axisY, bottom: axisY, height: axisY + axisHeight }
}

/** A step of a story is called as a report of it calls it. */
const notesTold = (notes: PictureOptions["history"]["notes"]) =>
  notes.map((note) => {
    const { level, step, text } = note
    const told = step === undefined ? text : `step ${step}: ${text}`
    return { ...note, isBad: level === "failure", text: told, label: step === undefined ? "" : String(step) }
  })

const [halfTick, wholeTick] = [32, 118]

/** The last one ends where the drawing does; it is left out where it would meet the one before. */
const ticksOf = ({ ticks, x }: TimeScale, right: number): Picture["ticks"] =>
  ticks.flatMap(({ millis, text }, index) => {
    const place = { x: x(millis), text, isLast: x(millis) > right - halfTick }
    const before = ticks[index - 1]
    return place.isLast && before !== undefined && place.x - x(before.millis) < wholeTick ? [] : place
  })

/** What happens to the one that is looked at, or to any, is not cut out of the line. */
const momentsOf = ({ history, track }: PictureOptions): ReadonlyArray<number> => {
  const { faults, notes, series } = history
  const marks = faults.flatMap(({ beganMillis, endedMillis = beganMillis }) => [beganMillis, endedMillis])
  for (const { atMillis } of notes) marks.push(atMillis)
  for (const { atMillis } of (track ?? series).moments) marks.push(atMillis)
  return marks
}

const largePlot = (track: Track, scale: TimeScale, top: number): Plot => {
  const axisY = top + plotHeight
  const signY = axisY + axisHeight + signHeight / 2
  return {
    ...plotOf(track, scale, top, plotHeight, plotLines),
    conditions: {
      y: signY,
      signs: signsOf(track.happenings, scale, signWidth, ({ sort }) => sort === "condition")
    },
    events: {
      y: signY + signHeight,
      signs: signsOf(track.happenings, scale, signWidth, ({ sort }) => sort === "event")
    }
  }
}

/** Of many it is enough to know where something is wrong. */
const smallPlot = (track: Track, scale: TimeScale, top: number): Plot => ({
  ...plotOf(track, scale, top, laneHeight, ["floor", "available"]),
  conditions: undefined,
  events: { y: top + 6, signs: signsOf(track.happenings, scale, signWidth, ({ isBad }) => isBad) }
})

const plotOf = (
  track: Track,
  scale: TimeScale,
  top: number,
  height: number,
  lines: ReadonlyArray<PlotLine>
) => {
  const points = pointsOf(track.rows, scale)
  const most = mostOf(points)
  const y = scaleLinear()
    .domain([0, most])
    .range([top + height, top])
    .nice(4)
  const counts = y.ticks(Math.min(4, most)).filter((value) => Number.isInteger(value))
  return {
    track,
    top,
    height,
    layers: layerPaths(points, y),
    lines: lines.map((name) => ({ line: name, path: linePath(points, y, (row) => row[name]) })),
    counts: counts.map((value) => ({ value, y: y(value) })),
    flags: flagsOf(track.rows, scale)
  }
}
