import { AvailabilityLabels, CursorView, PointerView } from "./cursorView.tsx"
import { DrawingView } from "./plotView.tsx"
import { focusNearestMarker, moveBetweenMarkers } from "./timelineKeys.ts"
import { TooltipContext } from "./markersView.tsx"
import { TooltipView } from "./tooltipView.tsx"
import { useRef, useState } from "preact/hooks"
import type { Moment } from "../history/moment.ts"
import type { ShowMoment, TooltipContent } from "./markersView.tsx"
import type { TimelineLayout } from "./layout/timelineLayout.ts"
import type { TimelineNavigation } from "./timelineNavigation.ts"
import type { WorkloadTrack } from "./series/timelineSeries.ts"

interface TimelineDrawingProps {
  readonly layout: TimelineLayout
  readonly width: number
  /** The workload that is drawn large; without it each workload has a lane. */
  readonly track: WorkloadTrack | undefined
  readonly cursor: {
    readonly momentRange: readonly [begin: Moment, end: Moment]
    readonly moment: Moment
    readonly millis: number
    readonly isNow: boolean
    readonly valueText: string
  }
  readonly pointerText: (atMillis: number) => string
  readonly navigation: TimelineNavigation
  readonly showMoment: ShowMoment
  readonly tooltip: TooltipContent | undefined
  readonly setTooltip: (content: TooltipContent | undefined) => void
}

const wheelFactor = 1.25

/** Dragging moves the cursor; the wheel zooms while a modifier key is held. */
export const TimelineDrawing = (props: TimelineDrawingProps) => {
  const { layout, width, track, cursor, pointerText, navigation, showMoment, tooltip, setTooltip } = props
  const { scale, left, right, height } = layout
  const [pointerX, setPointerX] = useState<number>()
  const drawing = useRef<SVGSVGElement>(null)

  const xOf = (clientX: number): number => {
    const box = drawing.current?.getBoundingClientRect()
    return box === undefined ? 0 : ((clientX - box.left) / box.width) * width
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") focusNearestMarker(drawing.current)
    else if (!navigation.handleKey(event)) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <svg
        ref={drawing}
        viewBox={`0 0 ${width} ${height}`}
        width="100%"
        onMouseDown={(event) => {
          if (!handlesPointerItself(event.target)) event.preventDefault()
        }}
        onPointerDown={(event) => {
          if (event.button !== 0 || handlesPointerItself(event.target)) return
          event.currentTarget.setPointerCapture(event.pointerId)
          navigation.goToX(xOf(event.clientX))
          event.currentTarget.querySelector<SVGElement>("[role=slider]")?.focus({ preventScroll: true })
        }}
        onPointerMove={(event) => {
          const x = xOf(event.clientX)
          const isDragged = event.currentTarget.hasPointerCapture(event.pointerId)
          if (isDragged) navigation.goToX(x)
          const isPointerShown = event.pointerType === "mouse" && !isDragged && x >= left && x <= right
          setPointerX(isPointerShown ? x : undefined)
        }}
        onPointerLeave={() => setPointerX(undefined)}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return
          event.preventDefault()
          const factor = event.deltaY + event.deltaX > 0 ? wheelFactor : 1 / wheelFactor
          navigation.zoom(factor, scale.millisAt(xOf(event.clientX)))
        }}
        onKeyDown={(event) => moveBetweenMarkers(event, drawing.current)}
      >
        <title>{titleOf(track)}</title>
        <TooltipContext.Provider value={setTooltip}>
          <DrawingView layout={layout} showMoment={showMoment} />
        </TooltipContext.Provider>
        {pointerX !== undefined && tooltip === undefined && (
          <PointerView layout={layout} x={pointerX} text={pointerText(scale.millisAt(pointerX))} />
        )}
        {track === undefined && <AvailabilityLabels layout={layout} moment={cursor.moment} />}
        <CursorView {...cursor} layout={layout} x={scale.x(cursor.millis)} onKeyDown={onKeyDown} />
      </svg>
      {tooltip !== undefined && <TooltipView content={tooltip} width={width} />}
    </>
  )
}

const titleOf = (track: WorkloadTrack | undefined): string =>
  track === undefined
    ? "Pods of every workload over time"
    : `Pods of ${track.kind} ${track.namespace}/${track.name} over time`

const handlesPointerItself = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, [data-marker]") !== null
