import { createContext } from "preact"
import { memo } from "preact/compat"
import { markPath } from "../../drawing/marks.ts"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import { useContext } from "preact/hooks"
import type { Marker } from "./layout/markers.ts"
import type { MarkerLane } from "./layout/timelineLayout.ts"
import type { MomentOrLatest } from "../history/moment.ts"

export type ShowMoment = (moment: MomentOrLatest) => void

export interface TooltipContent {
  readonly x: number
  readonly y: number
  readonly lines: ReadonlyArray<string>
}

/** Undefined hides the tooltip. Outside of the timeline there is none. */
export const TooltipContext = createContext<(show: TooltipContent | undefined) => void>(() => undefined)

interface MarkersProps {
  readonly label: string
  readonly kind: "note" | "condition" | "event"
  readonly lane: MarkerLane
  readonly showMoment: ShowMoment
}

export const MarkersView = memo(({ label, kind, lane, showMoment }: MarkersProps) => {
  const showTooltip = useContext(TooltipContext)
  const { y, markers } = lane
  if (markers.length === 0) return null
  return (
    <g role="group" aria-label={`${label}: ${markers.length}`} class={`markers ${kind}`}>
      {markers.map((marker) => {
        // `number` is the entry to show, of several that the marker stands for.
        const { x, number, count, isBad, lines } = marker
        const show = (): void => showTooltip({ x, y, lines })
        return (
          <g
            key={number}
            class="marker"
            data-bad={isBad}
            data-marker
            role="button"
            tabindex={-1}
            aria-label={lines.join("; ")}
            transform={`translate(${roundToTenth(x)},${y})`}
            onPointerEnter={show}
            onPointerLeave={() => showTooltip(undefined)}
            onFocus={show}
            onBlur={() => showTooltip(undefined)}
            onClick={() => showMoment(number)}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key !== "Enter" && event.key !== " ") return
              event.preventDefault()
              showMoment(number)
            }}
          >
            {/* Invisible, so that a finger can hit the marker. */}
            <rect x="-7" y="-10" width="14" height="20" class="hit-area" />
            <path d={shapeOf(kind, marker)} />
            {!isBad && marker.label !== "" && (
              <text y="4" text-anchor="middle">
                {marker.label}
              </text>
            )}
            {count > 1 && kind !== "event" && <path class="more" d="M-4,10h8" />}
          </g>
        )
      })}
    </g>
  )
})

/** Areas in square pixels. */
const shapes = {
  good: { note: ["circle", 200], condition: ["diamond", 60], event: ["circle", 22] },
  bad: { note: ["triangle", 90], condition: ["triangle", 64], event: ["triangle", 46] }
} as const

const shapeOf = (kind: MarkersProps["kind"], { isBad }: Marker): string => {
  const [shape, size] = shapes[isBad ? "bad" : "good"][kind]
  return markPath(shape, size)
}
