import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"
import type { Delay, DurationText } from "./behaviour.ts"
import { parseDuration } from "../domain/durations.ts"

/** Something that is drawn for each pod. A fixed one gives the same every time and uses up no chance. */
export interface Draw<Value> {
  readonly isFixed: boolean
  readonly draw: (chance: RandomGenerator) => Value
}

export const fixed = <Value>(value: Value): Draw<Value> => ({ isFixed: true, draw: () => value })

/** Draws one delay in whole milliseconds, never negative. */
export const compileDelay = (delay: Delay): Draw<number> => {
  if (typeof delay === "string") return fixed(millisOf(delay))
  if ("uniform" in delay) return uniform(millisOf(delay.uniform[0]), millisOf(delay.uniform[1]))
  if ("normal" in delay) return normal(millisOf(delay.normal.mean), millisOf(delay.normal.deviation))
  return exponential(millisOf(delay.exponential.mean))
}

/** Both bounds included, each millisecond as likely as any other. */
const uniform = (min: number, max: number): Draw<number> =>
  min >= max
    ? fixed(min)
    : { isFixed: false, draw: (chance) => min + Math.floor(uniformFloat64(chance) * (max - min + 1)) }

/** Box and Muller's: of the pair it makes one is thrown away, so that a draw leaves nothing behind. */
const normal = (mean: number, deviation: number): Draw<number> =>
  deviation === 0
    ? fixed(mean)
    : {
        isFixed: false,
        draw: (chance) => {
          const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(chance)))
          const value = mean + deviation * radius * Math.cos(2 * Math.PI * uniformFloat64(chance))
          return Math.max(0, Math.round(value))
        }
      }

const exponential = (mean: number): Draw<number> =>
  mean === 0
    ? fixed(0)
    : { isFixed: false, draw: (chance) => Math.round(-mean * Math.log(1 - uniformFloat64(chance))) }

/** Text that was never checked is the mistake of whoever skipped the check. */
const millisOf = (text: DurationText): number => {
  const millis = parseDuration(text)
  if (millis === undefined || millis < 0) throw new Error(`"${text}" is not the duration of a delay`)
  return Math.round(millis)
}
