import { rowAt } from "./moments.ts"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import type { Picture } from "./picture.ts"

interface CursorProps {
  readonly picture: Picture
  readonly x: number
  /** Of the numbers of moments. */
  readonly range: readonly [from: number, to: number]
  readonly moment: number
  readonly words: string
  readonly isNow: boolean
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/** The moment that everything shows: a slider over the numbers of moments. */
export const CursorView = ({ picture, x, range, moment, words, isNow, onKeyDown }: CursorProps) => {
  const { top, bottom } = picture
  return (
    <g
      class="cursor"
      role="slider"
      tabindex={0}
      data-testid="moment"
      data-now={isNow}
      aria-label="The moment that is shown"
      aria-orientation="horizontal"
      aria-valuemin={range[0]}
      aria-valuemax={range[1]}
      aria-valuenow={moment}
      aria-valuetext={words}
      transform={`translate(${roundToTenth(x)},0)`}
      onKeyDown={onKeyDown}
    >
      <rect class="room" x="-11" y={top - 10} width="22" height="24" />
      <line y1={top} y2={bottom} />
      <path d={`M-6,${top - 4}h12l-6,8z`} />
    </g>
  )
}

/** How many are available at the moment, beside the name of each lane. */
export const FiguresView = ({ picture, moment }: { readonly picture: Picture; readonly moment: number }) => {
  const { plots, left, right, isNarrow } = picture
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

interface AimProps {
  readonly picture: Picture
  readonly x: number
  readonly words: string
}

/** Where the pointer is, and what was so then: nobody has to go there to know. */
export const AimView = ({ picture, x, words }: AimProps) => {
  const { top, axisY, left, right } = picture
  const isBefore = x > (left + right) / 2
  return (
    <g class="aim" aria-hidden="true" transform={`translate(${Math.round(x)},0)`}>
      <line y1={top} y2={axisY} />
      <text x={isBefore ? -6 : 6} y={axisY - 6} text-anchor={isBefore ? "end" : "start"}>
        {words}
      </text>
    </g>
  )
}
