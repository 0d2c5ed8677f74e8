import { assignLanes } from "./assignLanes.ts"
import { truncateText } from "./truncateText.ts"
import type { TimeScale } from "./timeScale.ts"

/** Without `endedMillis` the span lasts to the end of the drawing. */
export interface LabelledSpan {
  readonly text: string
  readonly beganMillis: number
  readonly endedMillis?: number | undefined
}

/** Neither bars nor labels of one lane overlap. */
export interface Bar<A> {
  readonly span: A
  readonly x: number
  readonly width: number
  readonly lane: number
  readonly text: string
  readonly textX: number
  /** Whether the label ends at `textX` instead of beginning there. */
  readonly isEndAnchored: boolean
}

export interface BarLayout<A> {
  readonly bars: ReadonlyArray<Bar<A>>
  readonly laneCount: number
  /** Bars beyond `lanesMax` lanes. */
  readonly hiddenCount: number
}

/** In pixels. A shorter bar could not be seen. */
const widthMin = 3
const gapDefault = 6

export const layOutBars = <A extends LabelledSpan>(
  spans: ReadonlyArray<A>,
  space: {
    readonly scale: TimeScale
    readonly xRange: readonly [from: number, to: number]
    readonly lanesMax: number
    readonly lettersMax: number
    readonly letterWidth: number
    /** The room between a bar or its label and the next bar in the lane. */
    readonly gap?: number
  }
): BarLayout<A> => {
  const { scale, xRange, lanesMax, lettersMax, letterWidth, gap = gapDefault } = space
  const unplacedBars = spans.map((span) => {
    const { beganMillis, endedMillis = scale.endMillis } = span
    const x = scale.x(beganMillis)
    const width = Math.max(widthMin, scale.x(endedMillis) - x)
    // The label of a long bar may be as long as the bar.
    const text = truncateText(span.text, Math.max(lettersMax, Math.floor(width / letterWidth)))
    const textWidth = text.length * letterWidth
    const isEndAnchored = x + textWidth > xRange[1]
    const textX = isEndAnchored ? Math.max(xRange[0] + textWidth, Math.min(xRange[1], x + width)) : x
    return { span, x, width, text, textX, isEndAnchored, textWidth }
  })
  const placedBars = assignLanes(unplacedBars, ({ x, width, isEndAnchored, textX, textWidth }) =>
    isEndAnchored
      ? [Math.min(x, textX - textWidth), Math.max(x + width, textX)]
      : [x, Math.max(x + width, x + textWidth) + gap]
  )
  const bars = placedBars.flatMap(({ item: { textWidth: _textWidth, ...bar }, lane }) =>
    lane < lanesMax ? [{ ...bar, lane }] : []
  )
  return {
    bars,
    laneCount: Math.max(-1, ...bars.map(({ lane }) => lane)) + 1,
    hiddenCount: unplacedBars.length - bars.length
  }
}
