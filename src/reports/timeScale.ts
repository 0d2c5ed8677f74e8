import { scaleLinear } from "d3-scale"
import { formatDuration } from "../domain/durations.ts"

/** Where each moment stands on a line, and what is written below it. */
export interface TimeScale {
  readonly x: (millis: number) => number
  readonly ticks: ReadonlyArray<{ readonly millis: number; readonly text: string }>
  /** Stretches in which nothing happens, and that are therefore shorter than they would be. */
  readonly cuts: ReadonlyArray<{ readonly fromMillis: number; readonly toMillis: number }>
  readonly endMillis: number
}

/** A stretch without any change takes no more than such a part of the whole line; where there are few, a larger one. */
const quietPart = 1 / 8
const fewParts = 1.5

/**
 * Time from 0 to the end between two places. Where nothing happens for long, ten minutes until a deadline for one, the
 * line is cut short, so that the seconds in which something does can be told apart.
 */
export const timeScale = (options: {
  readonly endMillis: number
  /** Every moment at which something happens. */
  readonly moments: Iterable<number>
  readonly range: readonly [from: number, to: number]
}): TimeScale => {
  const { range } = options
  const endMillis = Math.max(1, options.endMillis)
  const inside = [...options.moments].filter((millis) => millis > 0 && millis < endMillis)
  const moments = [...new Set([0, ...inside, endMillis])].sort((a, b) => a - b)
  const gaps = moments.slice(1).map((toMillis, index) => ({ fromMillis: moments[index] ?? 0, toMillis }))
  const lengths = gaps.map(({ fromMillis, toMillis }) => toMillis - fromMillis)
  const most = quietMost(lengths)
  // What would hardly be shorter stays as it is.
  const cuts = gaps.filter((_gap, index) => (lengths[index] ?? 0) > most * 2)
  const weights = lengths.map((length) => (length > most * 2 ? most : length))
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  const places = [0, ...weights.map((weight) => (sum += weight))].map(
    (weight) => range[0] + (weight / whole) * (range[1] - range[0])
  )
  const x = scaleLinear().domain(moments).range(places).clamp(true)
  return { x, cuts, endMillis, ticks: ticksOf(x, endMillis, cuts) }
}

/** The length that is such a part of the line when nothing on it is longer. */
const quietMost = (lengths: ReadonlyArray<number>): number => {
  const part = Math.max(quietPart, fewParts / lengths.length)
  let most = Infinity
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const whole = lengths.reduce((sum, length) => sum + Math.min(length, most), 0)
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
/** So far apart that what is written below does not touch. */
const tickWidth = 64

/** Round moments on each side of the cuts, as many as there is room for. */
const ticksOf = (
  x: (millis: number) => number,
  endMillis: number,
  cuts: TimeScale["cuts"]
): TimeScale["ticks"] => {
  const bounds = [0, ...cuts.flatMap(({ fromMillis, toMillis }) => [fromMillis, toMillis]), endMillis]
  const ticks: Array<number> = []
  const add = (millis: number): void => {
    const last = ticks.at(-1)
    if (last === undefined || x(millis) - x(last) >= tickWidth) ticks.push(millis)
  }
  for (let index = 0; index < bounds.length; index += 2) {
    const [from = 0, to = 0] = bounds.slice(index, index + 2)
    const room = Math.max(1, Math.floor((x(to) - x(from)) / tickWidth))
    const step = steps.find((it) => (to - from) / it <= room) ?? endMillis
    if (index > 0) add(from)
    for (let millis = Math.ceil(from / step) * step; millis <= to; millis += step) add(millis)
  }
  return ticks.map((millis) => ({ millis, text: formatDuration(Math.round(millis)) }))
}
