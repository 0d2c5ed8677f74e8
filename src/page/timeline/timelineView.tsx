import { byNamespaceAndName } from "../pageAddress.ts"
import { centeredSpan, zoomedSpan } from "./layout/zoom.ts"
import { PointerView, CursorView, AvailabilityLabels } from "./cursorView.tsx"
import { DrawingView } from "./plotView.tsx"
import { focusNearestMarker, moveBetweenMarkers, momentForKey } from "./timelineKeys.ts"
import { LegendView } from "./legendView.tsx"
import { latestMoment } from "../history/moment.ts"
import { orderLanes } from "./laneOrder.ts"
import { forecastCountsAt } from "./layout/futurePlot.ts"
import { nextMarkedMoment, countsReadout } from "./momentReadout.ts"
import { isNarrowWidth, layoutTimeline, endMillisWithForecast } from "./layout/timelineLayout.ts"
import { TooltipContext } from "./markersView.tsx"
import { TooltipView } from "./tooltipView.tsx"
import { ShownTime } from "../moment/shownTime.tsx"
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
  const [pointerX, setPointerX] = useState<number>()
  const [showsAll, setShowsAll] = useState(false)
  const [isLegendOpen, setLegendOpen] = useState(false)
  const drawing = useRef<SVGSVGElement>(null)
  const isReading = useIsReading()

  const track = selected === undefined ? undefined : history.series.trackOf(selected)
  const allTracks = useMemo(
    () => history.series.tracks().toSorted(byNamespaceAndName),
    [history, publishCount]
  )
  const lanes = useLanes(history, allTracks, { rankOf: props.rankOf, isNow: moment === undefined })
  const lanesMax = isNarrowWidth(width) ? lanesMaxNarrow : lanesMaxWide
  const tracks = useMemo(() => (showsAll ? lanes : lanes.slice(0, lanesMax)), [lanes, showsAll, lanesMax])
  const endMillis = useEndMillis(history, publishCount, props.nowMillis)
  const { forecast } = props
  const layout = useMemo(
    () => layoutTimeline({ history, track, tracks, width, endMillis, forecast, span }),
    [history, publishCount, track?.uid, tracks, width, endMillis, forecast, span]
  )
  const drawingView = useMemo(
    () => <DrawingView layout={layout} showMoment={showMoment} />,
    [layout, showMoment]
  )

  const { scale, left, right } = layout
  const shownNumber = moment ?? history.endNumber
  const millis = moment === undefined ? endMillis : history.millisAt(moment)
  // The edge of the drawing is a little later than the clock.
  const readoutMillis = moment === undefined ? (props.nowMillis ?? endMillis) : millis
  const currentReadout = countsReadout(readoutMillis, shownNumber, track, allTracks)
  const cursorText = [currentReadout.time, currentReadout.counts].join(", ")

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
  const goTo = (next: number | undefined): void => {
    if (next === undefined || next >= history.endNumber) return showMoment(latestMoment)
    showMoment(next)
    const nextMillis = history.millisAt(next)
    if (span !== undefined && (nextMillis < span.fromMillis || nextMillis > span.toMillis))
      setSpan(centeredSpan(span, nextMillis))
  }
  const xOf = (clientX: number): number => {
    const box = drawing.current?.getBoundingClientRect()
    return box === undefined ? 0 : ((clientX - box.left) / box.width) * width
  }
  const scrubTo = (clientX: number): void => {
    const x = xOf(clientX)
    if (x >= right - 1 && span === undefined) return goTo(undefined)
    // Positions are rounded: half a pixel more includes the change that is pointed at.
    goTo(history.momentAt(scale.millisAt(x + 0.5)))
  }
  const zoom = (factor: number, aroundMillis = millis): void => {
    setTooltip(undefined)
    setSpan(
      zoomedSpan({
        scale,
        factor,
        aroundMillis,
        whole: [history.beginMillis, endMillisWithForecast({ endMillis, forecast })]
      })
    )
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = momentForKey(event, {
      begin: () => history.beginNumber,
      next: (direction) => history.nextMoment(shownNumber, direction),
      nextMarked: (direction) =>
        nextMarkedMoment(history, track === undefined ? allTracks : [track], shownNumber, direction)
    })
    if (target !== undefined) goTo(target.moment)
    else if (event.key === "+" || event.key === "=") zoom(1 / 2)
    else if (event.key === "-") zoom(2)
    else if (event.key === "0") setSpan(undefined)
    else if (event.key === "ArrowDown") focusNearestMarker(drawing.current)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isEmpty = track === undefined && allTracks.length === 0

  return (
    <section class="timeline" aria-label="Timeline" data-testid="timeline" data-of={track?.name ?? ""}>
      <header>
        <h2>{track === undefined ? "Timeline" : track.name}</h2>
        <p class="readout" data-testid="readout">
          <ShownTime /> {!isEmpty && <b>{currentReadout.counts}</b>}
          {currentReadout.revisions.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
        <div class="zoom" role="group" aria-label="Zoom">
          <button
            type="button"
            aria-label="Zoom out (-)"
            disabled={span === undefined}
            onClick={() => zoom(2)}
          >
            −
          </button>
          <button type="button" aria-label="Zoom in (+)" onClick={() => zoom(1 / 2)}>
            +
          </button>
          {span !== undefined && (
            <button type="button" onClick={() => setSpan(undefined)}>
              all of it
            </button>
          )}
          <button type="button" aria-expanded={isLegendOpen} onClick={() => setLegendOpen(!isLegendOpen)}>
            Legend
          </button>
        </div>
      </header>
      <div class="drawing" ref={ref}>
        {isEmpty ? (
          <p class="quiet">{isReading ? "…" : "There is no workload yet to draw a timeline of."}</p>
        ) : (
          <svg
            ref={drawing}
            viewBox={`0 0 ${width} ${layout.height}`}
            width="100%"
            onMouseDown={(event) => {
              if (!handlesPointerItself(event.target)) event.preventDefault()
            }}
            onPointerDown={(event) => {
              if (event.button !== 0 || handlesPointerItself(event.target)) return
              event.currentTarget.setPointerCapture(event.pointerId)
              scrubTo(event.clientX)
              event.currentTarget.querySelector<SVGElement>("[role=slider]")?.focus({ preventScroll: true })
            }}
            onPointerMove={(event) => {
              const isDragged = event.currentTarget.hasPointerCapture(event.pointerId)
              if (isDragged) scrubTo(event.clientX)
              const x = xOf(event.clientX)
              const isPointerShown = event.pointerType === "mouse" && !isDragged && x >= left && x <= right
              setPointerX(isPointerShown ? x : undefined)
            }}
            onPointerLeave={() => setPointerX(undefined)}
            onWheel={(event) => {
              if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return
              event.preventDefault()
              const factor = event.deltaY + event.deltaX > 0 ? wheelFactor : 1 / wheelFactor
              zoom(factor, scale.millisAt(xOf(event.clientX)))
            }}
            onKeyDown={(event) => moveBetweenMarkers(event, drawing.current)}
          >
            <title>{titleOf(track)}</title>
            <TooltipContext.Provider value={setTooltip}>{drawingView}</TooltipContext.Provider>
            {pointerX !== undefined && tooltip === undefined && (
              <PointerView layout={layout} x={pointerX} text={pointerText(scale.millisAt(pointerX))} />
            )}
            {track === undefined && <AvailabilityLabels layout={layout} moment={shownNumber} />}
            <CursorView
              layout={layout}
              x={scale.x(millis)}
              momentRange={[history.beginNumber, history.endNumber]}
              moment={shownNumber}
              valueText={cursorText}
              isNow={moment === undefined}
              onKeyDown={onKeyDown}
            />
          </svg>
        )}
        {tooltip !== undefined && <TooltipView content={tooltip} width={width} />}
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

const wheelFactor = 1.25

const titleOf = (track: WorkloadTrack | undefined): string =>
  track === undefined
    ? "Pods of every workload over time"
    : `Pods of ${track.kind} ${track.namespace}/${track.name} over time`

const handlesPointerItself = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, [data-marker]") !== null

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
