import { byNamespaceAndName } from "../pageAddress.ts"
import { LegendView } from "./legendView.tsx"
import { orderLanes } from "./laneOrder.ts"
import { forecastCountsAt } from "./layout/futurePlot.ts"
import { countsReadout } from "./momentReadout.ts"
import { isNarrowWidth, layoutTimeline } from "./layout/timelineLayout.ts"
import { TimelineDrawing } from "./timelineDrawing.tsx"
import { TimelineHeader } from "./timelineHeader.tsx"
import { timelineNavigation } from "./timelineNavigation.ts"
import { timeText } from "./timelineText.ts"
import { useMemo, useRef, useState } from "preact/hooks"
import { useIsReading } from "../source/useCaughtUp.ts"
import { useThrottled } from "../useThrottled.ts"
import { useElementWidth } from "./useElementWidth.ts"
import type { ShowMoment, TooltipContent } from "./markersView.tsx"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { LaneOrder } from "./laneOrder.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ZoomSpan } from "./layout/timelineLayout.ts"
import type { WorkloadTrack } from "./series/timelineSeries.ts"
import type { MomentOrLatest } from "../history/moment.ts"

interface TimelineProps {
  readonly history: ClusterHistory
  readonly moment: MomentOrLatest
  readonly showMoment: ShowMoment
  /** The workload of this object is drawn large; without it each workload has a lane. */
  readonly selected: PageAddress | undefined
  /** Undefined for a recording. */
  readonly nowMillis: number | undefined
  readonly forecast: Forecast | undefined
  /** The rank of a workload by its uid: the worst have the lowest. */
  readonly rankOf: (uid: string) => number
}

/** The most lanes that are shown unless the user asks for all. */
const [lanesMaxWide, lanesMaxNarrow] = [6, 3]
const drawIntervalMillis = 100

export const TimelineView = (props: TimelineProps) => {
  const { history, moment, showMoment, selected } = props
  const publishCount = useThrottled(history.publishCount, drawIntervalMillis)
  const { ref, width } = useElementWidth()
  /** Undefined while the whole time is drawn. */
  const [span, setSpan] = useState<ZoomSpan>()
  const [tooltip, setTooltip] = useState<TooltipContent>()
  const [showsAll, setShowsAll] = useState(false)
  const [isLegendOpen, setLegendOpen] = useState(false)
  const isReading = useIsReading()
  const isNow = moment === undefined

  const track = selected === undefined ? undefined : history.series.trackOf(selected)
  const allTracks = useMemo(
    () => history.series.tracks().toSorted(byNamespaceAndName),
    [history, publishCount]
  )
  const lanes = useLanes(history, allTracks, { rankOf: props.rankOf, isNow })
  const lanesMax = isNarrowWidth(width) ? lanesMaxNarrow : lanesMaxWide
  const tracks = useMemo(() => (showsAll ? lanes : lanes.slice(0, lanesMax)), [lanes, showsAll, lanesMax])
  const endMillis = useEndMillis(history, publishCount, props.nowMillis)
  const { forecast } = props
  const layout = useMemo(
    () => layoutTimeline({ history, track, tracks, width, endMillis, forecast, span }),
    [history, publishCount, track?.uid, tracks, width, endMillis, forecast, span]
  )
  const shown = {
    moment: moment ?? history.endNumber,
    millis: moment === undefined ? endMillis : history.millisAt(moment)
  }
  // The edge of the drawing is a little later than the clock.
  const readoutMillis = isNow ? (props.nowMillis ?? endMillis) : shown.millis
  const shownReadout = countsReadout(readoutMillis, shown.moment, track, allTracks)
  const valueText = [shownReadout.time, shownReadout.counts].join(", ")
  const momentRange = [history.beginNumber, history.endNumber] as const
  const navigation = timelineNavigation({
    history,
    layout,
    tracks: track === undefined ? allTracks : [track],
    shown,
    showMoment,
    endMillis,
    forecast,
    span,
    setSpan: (nextSpan) => {
      // Its marker moves.
      setTooltip(undefined)
      setSpan(nextSpan)
    }
  })
  const pointerText = (atMillis: number): string => {
    const forecastCounts =
      atMillis > endMillis && forecast !== undefined ? forecastCountsAt(forecast, atMillis) : undefined
    if (forecastCounts !== undefined) {
      const { available, desired } = forecastCounts
      return `${timeText(atMillis).slice(0, 8)} ${available} of ${desired} available, if nothing else is done`
    }
    const { time, counts } = countsReadout(atMillis, history.momentAt(atMillis), track, allTracks)
    return `${time.slice(0, 8)} ${counts}`
  }
  const isEmpty = track === undefined && allTracks.length === 0

  return (
    <section class="timeline" aria-label="Timeline" data-testid="timeline" data-of={track?.name ?? ""}>
      <TimelineHeader
        title={track === undefined ? "Timeline" : track.name}
        readout={isEmpty ? undefined : shownReadout}
        navigation={navigation}
        isLegendOpen={isLegendOpen}
        toggleLegend={() => setLegendOpen(!isLegendOpen)}
      />
      <div class="drawing" ref={ref}>
        {isEmpty ? (
          <p class="quiet">{isReading ? "…" : "There is no workload yet to draw a timeline of."}</p>
        ) : (
          <TimelineDrawing
            layout={layout}
            width={width}
            track={track}
            cursor={{ ...shown, momentRange, isNow, valueText }}
            pointerText={pointerText}
            navigation={navigation}
            showMoment={showMoment}
            tooltip={tooltip}
            setTooltip={setTooltip}
          />
        )}
      </div>
      {layout.hiddenFaultCount > 0 && (
        <p class="quiet">{layout.hiddenFaultCount} more faults have no room here.</p>
      )}
      {track === undefined && allTracks.length > lanesMax && (
        <button type="button" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? `the worst ${lanesMax} alone` : `all ${allTracks.length} workloads`}
        </button>
      )}
      {!isEmpty && <LegendView layout={layout} isOpen={isLegendOpen} />}
    </section>
  )
}

/** Lanes stay in place while the recording is played or a past moment is shown. */
const useLanes = (
  history: ClusterHistory,
  tracks: ReadonlyArray<WorkloadTrack>,
  { rankOf, isNow }: { readonly rankOf: TimelineProps["rankOf"]; readonly isNow: boolean }
): ReadonlyArray<WorkloadTrack> => {
  const last = useRef<{ readonly history: ClusterHistory; readonly order: LaneOrder }>(undefined)
  return useMemo(() => {
    const before = last.current?.history === history ? last.current.order : undefined
    const order = before !== undefined && !isNow ? before : orderLanes(before, tracks, rankOf)
    last.current = { history, order }
    return order.lanes
  }, [history, tracks, rankOf, isNow])
}

/** The right edge follows the clock in small steps, except at a past moment. */
const useEndMillis = (history: ClusterHistory, publishCount: number, nowMillis: number | undefined) => {
  const lastTime = useRef<{ readonly history: ClusterHistory; readonly millis: number }>(undefined)
  if (nowMillis !== undefined) lastTime.current = { history, millis: nowMillis }
  const latestMillis = lastTime.current?.history === history ? lastTime.current.millis : undefined
  return useMemo(() => {
    const { beginMillis, endMillis } = history
    const elapsedMillis = Math.max(0, (latestMillis ?? endMillis) - endMillis)
    const unit = Math.max(edgeUnitMillis, (endMillis + elapsedMillis - beginMillis) / edgeParts)
    return endMillis + Math.ceil(elapsedMillis / unit) * unit
  }, [history, publishCount, latestMillis])
}

/** The edge moves by at least so many milliseconds, and by a thousandth of the drawn time. */
const [edgeUnitMillis, edgeParts] = [100, 1000]
