import { countScale } from "../../../drawing/countScale.ts"
import { faultBands, revisionFlags, markersOf } from "./markers.ts"
import { futureEndMillis, futureMoments, futurePlot } from "./futurePlot.ts"
import { layerPaths, linePath, highestCount, layerPoints } from "./podLayers.ts"
import { tickText } from "../timelineText.ts"
import { timeScale } from "../../../drawing/timeScale.ts"
import type { Forecast } from "../../../forecast/forecast.ts"
import type { FuturePlot } from "./futurePlot.ts"
import type { FaultBand, RevisionFlag, Marker } from "./markers.ts"
import type { PodLayer } from "./podLayers.ts"
import type { TimeScale } from "../../../drawing/timeScale.ts"
import type { NoteEntry } from "../../../recording/entry.ts"
import type { RecordedFault } from "../../history/faultLog.ts"
import type { TimelineSeries, WorkloadTrack } from "../series/timelineSeries.ts"

export interface TimelineLayout {
  readonly width: number
  readonly height: number
  readonly scale: TimeScale
  readonly ticks: ReadonlyArray<{
    readonly x: number
    readonly text: string
    readonly isLast: boolean
  }>
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly axisY: number
  readonly bands: ReadonlyArray<FaultBand>
  readonly hiddenFaultCount: number
  readonly noteMarkers: ReadonlyArray<Marker>
  readonly plots: ReadonlyArray<PlotLayout>
  /** On a narrow screen the names of lanes are above them, else beside them. */
  readonly isNarrow: boolean
}

export interface PlotLayout {
  readonly track: WorkloadTrack
  readonly top: number
  readonly height: number
  readonly layers: ReadonlyArray<{ readonly layer: PodLayer; readonly path: string }>
  readonly lines: ReadonlyArray<{ readonly line: PlotLine; readonly path: string }>
  /** The marks of the vertical axis, in Pods. */
  readonly counts: ReadonlyArray<{ readonly value: number; readonly y: number }>
  readonly flags: ReadonlyArray<RevisionFlag>
  readonly conditions: MarkerLane | undefined
  readonly events: MarkerLane
  readonly future: FuturePlot | undefined
}

export interface MarkerLane {
  readonly y: number
  readonly markers: ReadonlyArray<Marker>
}

const plotLines = ["ceiling", "floor", "desired", "available"] as const
export type PlotLine = (typeof plotLines)[number]

export interface TimelineLayoutOptions {
  readonly history: TimelineHistory
  /** The workload that is drawn large; undefined for a lane for each of `tracks`. */
  readonly track: WorkloadTrack | undefined
  readonly tracks: ReadonlyArray<WorkloadTrack>
  readonly width: number
  readonly endMillis: number
  /** The forecast for `track`, drawn after `endMillis`. */
  readonly forecast: Forecast | undefined
  /** The visible time; all by default. */
  readonly span: ZoomSpan | undefined
}

export interface TimelineHistory {
  readonly series: TimelineSeries
  readonly faults: ReadonlyArray<RecordedFault>
  readonly notes: ReadonlyArray<NoteEntry>
  readonly beginMillis: number
  readonly endMillis: number
}

export interface ZoomSpan {
  readonly fromMillis: number
  readonly toMillis: number
}

/** In pixels. */
export const isNarrowWidth = (width: number): boolean => width < 620
export const [noteHeight, bandHeight] = [24, 20]
const [flagHeight, axisHeight, markerHeight, margin] = [16, 24, 17, 14]
const largePlotHeight = 96
const [laneHeight, laneGap, laneNameHeight] = [30, 8, 17]
const [countsWidth, markerNamesWidth, namesWidth] = [30, 52, 168]
/** Rollouts take seconds, with minutes between them: quiet intervals are cut to `quietPart` of the axis. */
const [quietPart, quietPartZoomed, quietMillis] = [1 / 16, 1 / 6, 1500]
const [tickWidth, narrowTickWidth] = [84, 64]
/** Wide enough for a finger. */
const markerWidth = 13
const noteMarkerWidth = markerWidth + 6

export const endMillisWithForecast = ({
  endMillis,
  forecast
}: Pick<TimelineLayoutOptions, "endMillis" | "forecast">): number =>
  Math.max(endMillis, (forecast === undefined ? undefined : futureEndMillis(forecast)) ?? endMillis)

export const layoutTimeline = (options: TimelineLayoutOptions): TimelineLayout => {
  const { history, track, tracks, width, span } = options
  const isNarrow = isNarrowWidth(width)
  const left = isNarrow ? countsWidth : track === undefined ? namesWidth : markerNamesWidth
  const right = width - margin
  const scale = timeScale({
    beginMillis: span?.fromMillis ?? history.beginMillis,
    endMillis: span?.toMillis ?? endMillisWithForecast(options),
    moments: momentsOf(options),
    range: [left, right],
    textOf: tickText,
    tickWidth: isNarrow ? narrowTickWidth : tickWidth,
    quietPart: span === undefined ? quietPart : quietPartZoomed,
    quietMillis
  })
  const { bands, laneCount, hiddenCount } = faultBands(history.faults, scale, [left, right])
  const noteMarkers = markersOf(noteEvents(history.notes), scale, noteMarkerWidth)
  const top = (noteMarkers.length > 0 ? noteHeight : 0) + laneCount * bandHeight + 4
  const commonLayout = {
    width,
    scale,
    ticks: ticksOf(scale, right),
    left,
    right,
    top,
    bands,
    hiddenFaultCount: hiddenCount,
    noteMarkers,
    isNarrow
  } satisfies Partial<TimelineLayout>
  if (track !== undefined) {
    const plot = largePlot(track, scale, top + flagHeight, options)
    const axisY = plot.top + plot.height
    const height = axisY + axisHeight + 2 * markerHeight + 4
    return { ...commonLayout, plots: [plot], axisY, bottom: height - 4, height }
  }
  const laneStep = laneHeight + laneGap + (isNarrow ? laneNameHeight : 0)
  const firstTop = top + 4 + (isNarrow ? laneNameHeight : 0)
  const plots = tracks.map((it, index) => smallPlot(it, scale, firstTop + index * laneStep, options))
  const axisY = top + Math.max(1, tracks.length) * laneStep + 4
  return { ...commonLayout, plots, axisY, bottom: axisY, height: axisY + axisHeight }
}

const noteEvents = (notes: TimelineLayoutOptions["history"]["notes"]) =>
  notes.map((note) => {
    const { level, step, text } = note
    const noteText = step === undefined ? text : `step ${step}: ${text}`
    return {
      ...note,
      isBad: level === "failure",
      text: noteText,
      label: step === undefined ? "" : String(step)
    }
  })

/** Half the width of a label, and the distance that the last two need. */
const [halfLabelWidth, lastLabelsWidth] = [32, 118]

/** The last label is left out if it would overlap the one before. */
const ticksOf = ({ ticks, x }: TimeScale, right: number): TimelineLayout["ticks"] =>
  ticks.flatMap(({ millis, text }, index) => {
    const label = { x: x(millis), text, isLast: x(millis) > right - halfLabelWidth }
    const previous = ticks[index - 1]
    return label.isLast && previous !== undefined && label.x - x(previous.millis) < lastLabelsWidth
      ? []
      : label
  })

/** The axis may be cut short between these times. */
const momentsOf = ({ history, track, forecast }: TimelineLayoutOptions): ReadonlyArray<number> => {
  const { faults, notes, series } = history
  const moments = faults.flatMap(({ beganMillis, endedMillis = beganMillis }) => [beganMillis, endedMillis])
  for (const { atMillis } of notes) moments.push(atMillis)
  for (const { atMillis } of (track ?? series).moments) moments.push(atMillis)
  return forecast === undefined ? moments : [...moments, ...futureMoments(forecast)]
}

const largePlot = (
  track: WorkloadTrack,
  scale: TimeScale,
  top: number,
  options: TimelineLayoutOptions
): PlotLayout => {
  const axisY = top + largePlotHeight
  const markerY = axisY + axisHeight + markerHeight / 2
  return {
    ...plotOf({ track, scale, top, height: largePlotHeight, lines: plotLines }, options),
    conditions: {
      y: markerY,
      markers: markersOf(track.events, scale, markerWidth, ({ kind }) => kind === "condition")
    },
    events: {
      y: markerY + markerHeight,
      markers: markersOf(track.events, scale, markerWidth, ({ kind }) => kind === "event")
    }
  }
}

const smallPlot = (
  track: WorkloadTrack,
  scale: TimeScale,
  top: number,
  options: TimelineLayoutOptions
): PlotLayout => ({
  ...plotOf({ track, scale, top, height: laneHeight, lines: ["floor", "available"] }, options),
  conditions: undefined,
  events: { y: top + 6, markers: markersOf(track.events, scale, markerWidth, ({ isBad }) => isBad) }
})

const plotOf = (
  plot: {
    readonly track: WorkloadTrack
    readonly scale: TimeScale
    readonly top: number
    readonly height: number
    readonly lines: ReadonlyArray<PlotLine>
  },
  { endMillis, forecast }: Pick<TimelineLayoutOptions, "endMillis" | "forecast">
) => {
  const { track, scale, top, height, lines } = plot
  const points = layerPoints(track.rows, scale, endMillis)
  const highestValue = Math.max(
    highestCount(points),
    ...(forecast?.future.counts ?? []).map((it) => it.available)
  )
  const { y, ticks } = countScale(highestValue, top + height, top)
  return {
    track,
    top,
    height,
    layers: layerPaths(points, y),
    lines: lines.map((name) => ({ line: name, path: linePath(points, y, (row) => row[name]) })),
    counts: ticks.map((value) => ({ value, y: y(value) })),
    flags: revisionFlags(track.rows, scale),
    future: forecast === undefined ? undefined : futurePlot(forecast, endMillis, scale, y)
  }
}
