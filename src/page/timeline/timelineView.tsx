import { byNamespaceAndName } from "../place.ts"
import { clampSpan, zoomed } from "./zoom.ts"
import { AimView, CursorView, FiguresView } from "./cursorView.tsx"
import { DrawingView } from "./plotView.tsx"
import { enterSigns, hearSigns, movedBy } from "./keys.ts"
import { LegendView } from "./legendView.tsx"
import { nextThing, readout } from "./moments.ts"
import { pictureOf } from "./picture.ts"
import { Telling } from "./signsView.tsx"
import { TipView } from "./tipView.tsx"
import { useMemo, useRef, useState } from "preact/hooks"
import { useSeldom } from "../useSeldom.ts"
import { useWidth } from "./useWidth.ts"
import type { Choose, Told } from "./signsView.tsx"
import type { History } from "../history/history.ts"
import type { Place } from "../place.ts"
import type { Span } from "./picture.ts"
import type { Track } from "./series.ts"

interface TimelineProps {
  readonly history: History
  /** Undefined for the end, wherever that is by now. */
  readonly moment: number | undefined
  readonly choose: Choose
  /** What is looked at: the Deployment that has it is shown large, or all of them where it has none. */
  readonly place: Place | undefined
  /** How late it is in a living cluster; undefined in a recording. */
  readonly nowMillis: number | undefined
}

const lanesMax = 6
const drawEveryMillis = 100

/** Pods by revision over time, with all that was said and done: who drags its cursor has the page show that moment. */
export const TimelineView = (props: TimelineProps) => {
  const { history, moment, choose, place } = props
  const grown = useSeldom(history.grown, drawEveryMillis)
  const { ref, width } = useWidth()
  const [span, setSpan] = useState<Span>()
  const [told, tell] = useState<Told>()
  const [aim, aimAt] = useState<number>()
  const [isAll, showAll] = useState(false)
  const [isExplained, explain] = useState(false)
  const drawing = useRef<SVGSVGElement>(null)

  const track = place === undefined ? undefined : history.series.trackOf(place)
  const all = useMemo(() => history.series.tracks().toSorted(byNamespaceAndName), [history, grown])
  const tracks = useMemo(() => (isAll ? all : all.slice(0, lanesMax)), [all, isAll])
  const endMillis = useEnd(history, grown, props.nowMillis)
  const picture = useMemo(
    () => pictureOf({ history, track, tracks, width, endMillis, span }),
    [history, grown, track?.uid, tracks, width, endMillis, span]
  )
  const drawn = useMemo(() => <DrawingView picture={picture} choose={choose} />, [picture, choose])

  const { scale, left, right } = picture
  const number = moment ?? history.endNumber
  const millis = moment === undefined ? endMillis : history.millisAt(moment)
  const shown = readout(millis, number, track, all)
  const words = [shown.time, shown.counts].join(", ")

  const aimWords = (atMillis: number): string => {
    const { time, counts } = readout(atMillis, history.numberAt(atMillis), track, all)
    return `${time.slice(0, 8)} ${counts}`
  }
  const go = (next: number | undefined): void => {
    if (next === undefined || next >= history.endNumber) return choose(undefined)
    choose(next)
    const at = history.millisAt(next)
    if (span !== undefined && (at < span.fromMillis || at > span.toMillis)) setSpan(clampSpan(span, at))
  }
  const xOf = (clientX: number): number => {
    const box = drawing.current?.getBoundingClientRect()
    return box === undefined ? 0 : ((clientX - box.left) / box.width) * width
  }
  const scrubTo = (clientX: number): void => {
    const x = xOf(clientX)
    if (x >= right - 1 && span === undefined) return go(undefined)
    go(history.numberAt(scale.millisAt(x + 0.5)))
  }
  const zoom = (factor: number, aroundMillis = millis): void => {
    tell(undefined)
    setSpan(zoomed({ scale, factor, aroundMillis, whole: [history.beginMillis, endMillis] }))
  }
  const hear = (event: KeyboardEvent): void => {
    const target = movedBy(event, {
      begin: () => history.beginNumber,
      next: (direction) => history.next(number, direction),
      nextThing: (direction) => nextThing(history, track === undefined ? all : [track], number, direction)
    })
    if (target !== undefined) go(target.moment)
    else if (event.key === "+" || event.key === "=") zoom(1 / 2)
    else if (event.key === "-") zoom(2)
    else if (event.key === "0") setSpan(undefined)
    else if (event.key === "ArrowDown") enterSigns(drawing.current)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isEmpty = track === undefined && all.length === 0

  return (
    <section class="timeline" aria-label="Timeline" data-testid="timeline" data-of={track?.name ?? ""}>
      <header>
        <h2>{track === undefined ? "Timeline" : track.name}</h2>
        <p class="readout" data-testid="readout">
          <time>{shown.time}</time> <b>{shown.counts}</b>
          {shown.revisions.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
        <div class="zoom" role="group" aria-label="Zoom">
          <button
            type="button"
            aria-label="More of the time (-)"
            disabled={span === undefined}
            onClick={() => zoom(2)}
          >
            −
          </button>
          <button type="button" aria-label="Less of the time, larger (+)" onClick={() => zoom(1 / 2)}>
            +
          </button>
          {span !== undefined && (
            <button type="button" onClick={() => setSpan(undefined)}>
              all of it
            </button>
          )}
          <button type="button" aria-expanded={isExplained} onClick={() => explain(!isExplained)}>
            Legend
          </button>
        </div>
      </header>
      <div class="drawing" ref={ref}>
        {isEmpty ? (
          <p class="quiet">There is no Deployment yet whose time could be drawn.</p>
        ) : (
          <svg
            ref={drawing}
            viewBox={`0 0 ${width} ${picture.height}`}
            width="100%"
            onMouseDown={(event) => {
              // The cursor has the focus then, and keeps it.
              if (!isOwnTarget(event.target)) event.preventDefault()
            }}
            onPointerDown={(event) => {
              if (event.button !== 0 || isOwnTarget(event.target)) return
              event.currentTarget.setPointerCapture(event.pointerId)
              scrubTo(event.clientX)
              event.currentTarget.querySelector<SVGElement>("[role=slider]")?.focus({ preventScroll: true })
            }}
            onPointerMove={(event) => {
              const isDragged = event.currentTarget.hasPointerCapture(event.pointerId)
              if (isDragged) scrubTo(event.clientX)
              const x = xOf(event.clientX)
              const isSeen = event.pointerType === "mouse" && !isDragged && x >= left && x <= right
              aimAt(isSeen ? x : undefined)
            }}
            onPointerLeave={() => aimAt(undefined)}
            onWheel={(event) => {
              if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return
              event.preventDefault()
              const factor = event.deltaY + event.deltaX > 0 ? wheelFactor : 1 / wheelFactor
              zoom(factor, scale.millisAt(xOf(event.clientX)))
            }}
            onKeyDown={(event) => hearSigns(event, drawing.current)}
          >
            <title>{titleOf(track)}</title>
            <Telling.Provider value={tell}>{drawn}</Telling.Provider>
            {aim !== undefined && told === undefined && (
              <AimView picture={picture} x={aim} words={aimWords(scale.millisAt(aim))} />
            )}
            {track === undefined && <FiguresView picture={picture} moment={number} />}
            <CursorView
              picture={picture}
              x={scale.x(millis)}
              range={[history.beginNumber, history.endNumber]}
              moment={number}
              words={words}
              isNow={moment === undefined}
              onKeyDown={hear}
            />
          </svg>
        )}
        {told !== undefined && <TipView told={told} width={width} />}
      </div>
      {picture.untoldFaults > 0 && <p class="quiet">{picture.untoldFaults} more faults have no room here.</p>}
      {track === undefined && all.length > lanesMax && (
        <button type="button" onClick={() => showAll(!isAll)}>
          {isAll ? `the first ${lanesMax} alone` : `all ${all.length} Deployments`}
        </button>
      )}
      {!isEmpty && <LegendView picture={picture} isOpen={isExplained} />}
    </section>
  )
}

const wheelFactor = 1.25

const titleOf = (track: Track | undefined): string =>
  track === undefined
    ? "Pods of every Deployment over time"
    : `Pods of Deployment ${track.namespace}/${track.name} over time`

/** Links and marks do something of their own. */
const isOwnTarget = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, [data-sign]") !== null

/**
 * The right edge. It moves with the clock, by so little that nobody sees it jump, and stays where it was while somebody
 * looks at what has been.
 */
const useEnd = (history: History, grown: number, nowMillis: number | undefined) => {
  const last = useRef<{ readonly history: History; readonly millis: number }>(undefined)
  if (nowMillis !== undefined) last.current = { history, millis: nowMillis }
  const living = last.current?.history === history ? last.current.millis : undefined
  return useMemo(() => {
    const { beginMillis, endMillis } = history
    const late = Math.max(0, (living ?? endMillis) - endMillis)
    const unit = Math.max(edgeUnitMillis, (endMillis + late - beginMillis) / edgeParts)
    return endMillis + Math.ceil(late / unit) * unit
  }, [history, grown, living])
}

const [edgeUnitMillis, edgeParts] = [100, 1000]
