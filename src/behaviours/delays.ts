import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"
import type { Delay, DurationText } from "./behaviour.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"

/** A value drawn for each Pod. A fixed value does not advance the generator. */
export interface Draw<Value> {
  readonly isFixed: boolean
  readonly draw: (random: RandomGenerator) => Value
}

export const fixedDraw = <Value>(value: Value): Draw<Value> => ({ isFixed: true, draw: () => value })

export const compileDelay = (delay: Delay): Draw<number> => {
  if (typeof delay === "string") return fixedDraw(millisOf(delay))
  if ("uniform" in delay) return uniform(millisOf(delay.uniform[0]), millisOf(delay.uniform[1]))
  if ("normal" in delay) return normal(millisOf(delay.normal.mean), millisOf(delay.normal.deviation))
  return exponential(millisOf(delay.exponential.mean))
}

const uniform = (min: number, max: number): Draw<number> =>
  min >= max
    ? fixedDraw(min)
    : { isFixed: false, draw: (random) => min + Math.floor(uniformFloat64(random) * (max - min + 1)) }

/** Box-Muller, without the second value of each pair: draws keep no state. */
const normal = (mean: number, deviation: number): Draw<number> =>
  deviation === 0
    ? fixedDraw(mean)
    : {
        isFixed: false,
        draw: (random) => {
          const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(random)))
          const value = mean + deviation * radius * Math.cos(2 * Math.PI * uniformFloat64(random))
          return Math.max(0, Math.round(value))
        }
      }

const exponential = (mean: number): Draw<number> =>
  mean === 0
    ? fixedDraw(0)
    : { isFixed: false, draw: (random) => Math.round(-mean * Math.log(1 - uniformFloat64(random))) }

const millisOf = (text: DurationText): number => {
  const millis = parseDuration(text)
  if (millis === undefined || millis < 0) throw new Error(`"${text}" is not the duration of a delay`)
  return Math.round(millis)
}
