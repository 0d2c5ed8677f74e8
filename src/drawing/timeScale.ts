import { piecewiseScale } from "./piecewiseScale.ts"
import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"

export interface TimeScale {
  readonly x: (millis: number) => number
  readonly millisAt: (x: number) => number
  readonly ticks: ReadonlyArray<Tick>
  /** Intervals without changes that are shortened. */
  readonly cuts: ReadonlyArray<Interval>
  readonly beginMillis: number
  readonly endMillis: number
}

interface Tick {
  readonly millis: number
  readonly text: string
}

interface Interval {
  readonly fromMillis: number
  readonly toMillis: number
}

const quietPartDefault = 1 / 8
/** Each of n intervals may take at least 1.5/n of the axis. */
const fewIntervalsFactor = 1.5

interface TimeScaleOptions {
  /** 0 by default. */
  readonly beginMillis?: number
  readonly endMillis: number
  /** When something changes, in any order: only the intervals between these times may be cut. */
  readonly moments: Iterable<number>
  /** Positions of both ends. */
  readonly range: readonly [from: number, to: number]
  /** The text of a tick, by default the time since 0. */
  readonly textOf?: (millis: number, stepMillis: number) => string
  /** The smallest distance between ticks, so that labels do not overlap. */
  readonly tickWidth?: number
  /** The largest part of the axis that an interval without changes takes. */
  readonly quietPart?: number
  /** Intervals of up to this length are never cut. */
  readonly quietMillis?: number
}

/** Cuts intervals without changes, such as before a progress deadline, so that busy seconds stay readable. */
export const timeScale = (options: TimeScaleOptions): TimeScale => {
  const { range, beginMillis = 0, quietPart = quietPartDefault, tickWidth = tickWidthDefault } = options
  const { quietMillis = 0, textOf = (millis) => formatDuration(Math.round(millis)) } = options
  const endMillis = Math.max(beginMillis + 1, options.endMillis)
  const moments = sortedMoments(options.moments, beginMillis, endMillis)
  const lengths = moments.subarray(1).map((millis, index) => millis - (moments[index] ?? 0))
  const quietMillisMax = quietLengthMax(lengths, quietPart)
  // An interval is cut only if that at least halves it.
  const uncutMillisMax = Math.max(quietMillisMax * 2, quietMillis)
  const cuts: Array<Interval> = []
  /** `weight` is the drawn length up to `millis`, before it is scaled to the axis. */
  const points = [{ millis: beginMillis, weight: 0 }]
  let [weight, atMillis] = [0, beginMillis]
  for (const [index, length] of lengths.entries()) {
    if (length <= uncutMillisMax) continue
    const [fromMillis = 0, toMillis = 0] = [moments[index], moments[index + 1]]
    weight += fromMillis - atMillis
    points.push({ millis: fromMillis, weight }, { millis: toMillis, weight: weight + quietMillisMax })
    cuts.push({ fromMillis, toMillis })
    weight += quietMillisMax
    atMillis = toMillis
  }
  weight += endMillis - atMillis
  points.push({ millis: endMillis, weight })
  const { at: x, invert } = piecewiseScale(
    points.map((point) => ({
      value: point.millis,
      position: range[0] + (point.weight / weight) * (range[1] - range[0])
    }))
  )
  const ticks = ticksOf({ x, beginMillis, endMillis, cuts, textOf, tickWidth })
  return { x, millisAt: invert, cuts, beginMillis, endMillis, ticks }
}

const sortedMoments = (unsorted: Iterable<number>, beginMillis: number, endMillis: number): Float64Array => {
  const sorted = Float64Array.from(unsorted).sort()
  let count = 1
  const moments = new Float64Array(sorted.length + 2)
  moments[0] = beginMillis
  for (const millis of sorted) {
    if (millis <= beginMillis || millis >= endMillis || millis === moments[count - 1]) continue
    moments[count] = millis
    count += 1
  }
  moments[count] = endMillis
  return moments.subarray(0, count + 1)
}

/** A cut interval is drawn as a part of the axis. Every cut shortens the axis, so several rounds are needed. */
const quietLengthMax = (lengths: Float64Array, quietPart: number): number => {
  const part = Math.max(quietPart, fewIntervalsFactor / lengths.length)
  let lengthMax = Infinity
  for (let round = 0; round < roundsMax; round += 1) {
    let axisLength = 0
    for (const length of lengths) axisLength += Math.min(length, lengthMax)
    if (axisLength * part >= lengthMax * convergedPart) break
    lengthMax = axisLength * part
  }
  return lengthMax
}

/** Ends an iteration that does not converge. */
const roundsMax = 50
/** The last round shortens the length by 1% or less. */
const convergedPart = 0.99

const tickStepsMillis = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3,
  1800e3, 3600e3, 7200e3, 21_600e3, 43_200e3, 86_400e3
]
/** In pixels. */
const tickWidthDefault = 64

/** As many round ticks as fit on each side of the cuts. */
const ticksOf = (axis: {
  readonly x: (millis: number) => number
  readonly beginMillis: number
  readonly endMillis: number
  readonly cuts: ReadonlyArray<Interval>
  readonly textOf: (millis: number, stepMillis: number) => string
  readonly tickWidth: number
}): ReadonlyArray<Tick> => {
  const { x, beginMillis, endMillis, cuts, textOf, tickWidth } = axis
  const bounds = [
    beginMillis,
    ...cuts.flatMap(({ fromMillis, toMillis }) => [fromMillis, toMillis]),
    endMillis
  ]
  const ticks: Array<Tick> = []
  const addTick = (millis: number, stepMillis: number): void => {
    const last = ticks.at(-1)
    if (last !== undefined && x(millis) - x(last.millis) < tickWidth) return
    ticks.push({ millis, text: textOf(millis, stepMillis) })
  }
  for (let index = 0; index < bounds.length; index += 2) {
    const [from = 0, to = 0] = bounds.slice(index, index + 2)
    const width = x(to) - x(from)
    const ticksMax = Math.max(1, Math.floor(width / tickWidth))
    const fittingStep = tickStepsMillis.find((it) => (to - from) / it <= ticksMax) ?? to - from
    // Between two cuts there may be no multiple of `fittingStep`.
    const step = tickStepsMillis.findLast((it) => it <= fittingStep && Math.ceil(from / it) * it <= to)
    const first = step === undefined ? from : Math.ceil(from / step) * step
    const hasOneTick = step === undefined || (width < tickWidth && cuts.length > 0)
    // A label that is wider than its part of the axis needs no milliseconds.
    if (hasOneTick) addTick(first, Math.max(step ?? 0, 1000))
    else for (let millis = first; millis <= to; millis += step) addTick(millis, step)
  }
  return ticks
}
