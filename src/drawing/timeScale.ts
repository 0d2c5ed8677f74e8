import { scaleLinear } from "d3-scale"
import { formatDuration } from "../domain/durations.ts"

/** Where each moment stands on a line, and what is written below it. */
export interface TimeScale {
  readonly x: (millis: number) => number
  /** The moment that stands at a place. */
  readonly millisAt: (x: number) => number
  readonly ticks: ReadonlyArray<Tick>
  /** Stretches in which nothing happens, and that are therefore shorter than they would be. */
  readonly cuts: ReadonlyArray<Stretch>
  readonly beginMillis: number
  readonly endMillis: number
}

interface Tick {
  readonly millis: number
  readonly text: string
}

interface Stretch {
  readonly fromMillis: number
  readonly toMillis: number
}

/** A stretch without any change takes no more than such a part of the whole line; where there are few, a larger one. */
const quietPartDefault = 1 / 8
const fewParts = 1.5

interface TimeScaleOptions {
  /** 0 where it is left out. */
  readonly beginMillis?: number
  readonly endMillis: number
  /** Every moment at which something happens. */
  readonly moments: Iterable<number>
  readonly range: readonly [from: number, to: number]
  /** What is written at a round moment, where such moments are as far from each other; else how long it is after 0. */
  readonly textOf?: (millis: number, stepMillis: number) => string
  /** So far apart that what is written below does not touch. */
  readonly tickWidth?: number
  /** How much of the line a stretch may take in which nothing happens, and how long it may be whatever it takes. */
  readonly quietPart?: number
  readonly quietMillis?: number
}

/**
 * Time from a beginning to an end between two places. Where nothing happens for long, ten minutes until a deadline for
 * one, the line is cut short, so that the seconds in which something does can be told apart.
 */
export const timeScale = (options: TimeScaleOptions): TimeScale => {
  const { range, beginMillis = 0, quietPart = quietPartDefault, tickWidth = tickWidthDefault } = options
  const { quietMillis = 0, textOf = (millis) => formatDuration(Math.round(millis)) } = options
  const endMillis = Math.max(beginMillis + 1, options.endMillis)
  const moments = inOrder(options.moments, beginMillis, endMillis)
  const lengths = moments.subarray(1).map((millis, index) => millis - (moments[index] ?? 0))
  const most = quietMost(lengths, quietPart)
  const cutsFrom = Math.max(most * 2, quietMillis)
  // What would hardly be shorter stays as it is, and what lies between two cuts is one piece.
  const cuts: Array<Stretch> = []
  const places = [{ millis: beginMillis, weight: 0 }]
  let [weight, atMillis] = [0, beginMillis]
  for (const [index, length] of lengths.entries()) {
    if (length <= cutsFrom) continue
    const [fromMillis = 0, toMillis = 0] = [moments[index], moments[index + 1]]
    weight += fromMillis - atMillis
    places.push({ millis: fromMillis, weight }, { millis: toMillis, weight: weight + most })
    cuts.push({ fromMillis, toMillis })
    weight += most
    atMillis = toMillis
  }
  weight += endMillis - atMillis
  places.push({ millis: endMillis, weight })
  const x = scaleLinear()
    .domain(places.map(({ millis }) => millis))
    .range(places.map((place) => range[0] + (place.weight / weight) * (range[1] - range[0])))
    .clamp(true)
  const ticks = ticksOf({ x, beginMillis, endMillis, cuts, textOf, tickWidth })
  return { x, millisAt: (place) => x.invert(place), cuts, beginMillis, endMillis, ticks }
}

/** Each moment once, with the beginning and the end. */
const inOrder = (given: Iterable<number>, beginMillis: number, endMillis: number): Float64Array => {
  const all = Float64Array.from(given).sort()
  let count = 1
  const moments = new Float64Array(all.length + 2)
  moments[0] = beginMillis
  for (const millis of all) {
    if (millis <= beginMillis || millis >= endMillis || millis === moments[count - 1]) continue
    moments[count] = millis
    count += 1
  }
  moments[count] = endMillis
  return moments.subarray(0, count + 1)
}

/** The length that is such a part of the line when nothing on it is longer. */
const quietMost = (lengths: Float64Array, quietPart: number): number => {
  const part = Math.max(quietPart, fewParts / lengths.length)
  let most = Infinity
  for (let turn = 0; turn < turnsMax; turn += 1) {
    let whole = 0
    for (const length of lengths) whole += Math.min(length, most)
    if (whole * part >= most * settledPart) break
    most = whole * part
  }
  return most
}

const turnsMax = 50
const settledPart = 0.99

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3,
  1800e3, 3600e3, 7200e3, 21_600e3, 43_200e3, 86_400e3
]
const tickWidthDefault = 64

/** Round moments on each side of the cuts, as many as there is room for. */
const ticksOf = (line: {
  readonly x: (millis: number) => number
  readonly beginMillis: number
  readonly endMillis: number
  readonly cuts: ReadonlyArray<Stretch>
  readonly textOf: (millis: number, stepMillis: number) => string
  readonly tickWidth: number
}): ReadonlyArray<Tick> => {
  const { x, beginMillis, endMillis, cuts, textOf, tickWidth } = line
  const bounds = [
    beginMillis,
    ...cuts.flatMap(({ fromMillis, toMillis }) => [fromMillis, toMillis]),
    endMillis
  ]
  const ticks: Array<Tick> = []
  const add = (millis: number, stepMillis: number): void => {
    const last = ticks.at(-1)
    if (last !== undefined && x(millis) - x(last.millis) < tickWidth) return
    ticks.push({ millis, text: textOf(millis, stepMillis) })
  }
  for (let index = 0; index < bounds.length; index += 2) {
    const [from = 0, to = 0] = bounds.slice(index, index + 2)
    const room = Math.max(1, Math.floor((x(to) - x(from)) / tickWidth))
    const step = steps.find((it) => (to - from) / it <= room) ?? to - from
    if (index > 0) add(from, step)
    for (let millis = Math.ceil(from / step) * step; millis <= to; millis += step) add(millis, step)
  }
  return ticks
}
