import { inLanes } from "./lanes.ts"
import { shortened } from "./shortened.ts"
import type { TimeScale } from "./timeScale.ts"

/** Something that lasts, with what is written at it; to the end of the drawing where it has not ended. */
export interface Lasting {
  readonly text: string
  readonly beganMillis: number
  readonly endedMillis?: number | undefined
}

/** Where it is drawn, in a lane in which no bar and no text stands on another. */
export interface Bar<A> {
  readonly thing: A
  readonly x: number
  readonly width: number
  readonly lane: number
  /** Shortened where it is long. */
  readonly text: string
  readonly textX: number
  /** The text ends at its place: after it there is no room. */
  readonly isBefore: boolean
}

export interface BarLayout<A> {
  readonly bars: ReadonlyArray<Bar<A>>
  /** How many lanes the bars take. */
  readonly lanes: number
  /** How many bars are left out because `lanesMax` lanes have no room for them. */
  readonly untold: number
}

const narrowest = 3
const gapDefault = 6

/** Bars with their texts, as long as things last; `untold` are those that have no room. */
export const barsOf = <A extends Lasting>(
  things: ReadonlyArray<A>,
  room: {
    readonly scale: TimeScale
    readonly range: readonly [from: number, to: number]
    readonly lanesMax: number
    readonly lettersMax: number
    readonly letterWidth: number
    /** How far from a text another bar begins. */
    readonly gap?: number
  }
): BarLayout<A> => {
  const { scale, range, lanesMax, lettersMax, letterWidth, gap = gapDefault } = room
  const all = things.map((thing) => {
    const { text: whole, beganMillis, endedMillis = scale.endMillis } = thing
    const x = scale.x(beganMillis)
    const width = Math.max(narrowest, scale.x(endedMillis) - x)
    const text = shortened(whole, lettersMax)
    const length = text.length * letterWidth
    // Text that would run out of the drawing ends where its bar does.
    const isBefore = x + length > range[1]
    const textX = isBefore ? Math.max(range[0] + length, Math.min(range[1], x + width)) : x
    return { thing, x, width, text, textX, isBefore, length }
  })
  const laid = inLanes(all, ({ x, width, isBefore, textX, length }) =>
    isBefore
      ? [Math.min(x, textX - length), Math.max(x + width, textX)]
      : [x, Math.max(x + width, x + length) + gap]
  )
  const bars = laid.flatMap(({ thing: { length: _length, ...bar }, lane }) =>
    lane < lanesMax ? [{ ...bar, lane }] : []
  )
  return {
    bars,
    lanes: Math.max(-1, ...bars.map(({ lane }) => lane)) + 1,
    untold: all.length - bars.length
  }
}
