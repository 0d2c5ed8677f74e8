import { rowAt } from "./momentReadout.ts"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import type { TimelineLayout } from "./layout/timelineLayout.ts"
import type { Moment } from "../history/moment.ts"

/** Moments are numbers of recorded entries, not times. */
interface CursorProps {
  readonly layout: TimelineLayout
  readonly x: number
  readonly momentRange: readonly [begin: Moment, end: Moment]
  readonly moment: Moment
  readonly valueText: string
  readonly isNow: boolean
  readonly onKeyDown: (event: KeyboardEvent) => void
}

export const CursorView = ({ layout, x, momentRange, moment, valueText, isNow, onKeyDown }: CursorProps) => {
  const { top, bottom } = layout
  return (
    <g
      class="cursor"
      role="slider"
      tabindex={0}
      data-testid="moment"
      data-now={isNow}
      aria-label="The moment that is shown"
      aria-orientation="horizontal"
      aria-valuemin={momentRange[0]}
      aria-valuemax={momentRange[1]}
      aria-valuenow={moment}
      aria-valuetext={valueText}
      transform={`translate(${roundToTenth(x)},0)`}
      onKeyDown={onKeyDown}
    >
      {/* Invisible, so that a finger can hit the cursor. */}
      <rect class="hit-area" x="-11" y={top - 10} width="22" height="24" />
      <line y1={top} y2={bottom} />
      <path d={`M-6,${top - 4}h12l-6,8z`} />
    </g>
  )
}

export const AvailabilityLabels = ({
  layout,
  moment
}: {
  readonly layout: TimelineLayout
  readonly moment: Moment
}) => {
  const { plots, left, right, isNarrow } = layout
  return (
    <g class="figures">
      {plots.map(({ track, top, height }) => {
        const row = rowAt(track.rows, moment)
        return (
          <text
            key={track.uid}
            x={isNarrow ? right - 10 : left - 8}
            y={isNarrow ? top - 5 : top + height / 2 + 12}
            text-anchor="end"
          >
            {row === undefined ? "not there" : `${row.available} of ${row.desired}`}
          </text>
        )
      })}
    </g>
  )
}

interface PointerProps {
  readonly layout: TimelineLayout
  readonly x: number
  readonly text: string
}

export const PointerView = ({ layout, x, text }: PointerProps) => {
  const { top, axisY, left, right } = layout
  const isTextLeft = x > (left + right) / 2
  return (
    <g class="pointer" aria-hidden="true" transform={`translate(${Math.round(x)},0)`}>
      <line y1={top} y2={axisY} />
      <text x={isTextLeft ? -6 : 6} y={axisY - 6} text-anchor={isTextLeft ? "end" : "start"}>
        {text}
      </text>
    </g>
  )
}
