import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import type { SteerClock } from "./steerOptions.ts"

/** Compares this machine's clock with the API server's, by the `Date` headers of its answers. */
export interface ClockCheck {
  /** Takes the time of an answer, in Unix milliseconds. */
  readonly noteServerTime: (serverMillis: number) => void
  /** By how much this machine's clock is wrong, in words; undefined while the clocks agree. */
  readonly whyWrong: () => string | undefined
}

/** Shorter than the times by which steering charts decide, such as `cannotStart`, by default a minute. */
const differenceMaxMillis = 30_000

/**
 * With a wrong clock, steering charts would end holds (waits between two steps of a rollout) early and find deadlines
 * missed. `nowMillis` is this machine's clock, or one that is `speed` times as fast in tests.
 */
export const makeClockCheck = ({ nowMillis, speed }: Pick<SteerClock, "nowMillis" | "speed">): ClockCheck => {
  let aheadMillis = 0
  return {
    noteServerTime: (serverMillis) => {
      // Headers have the time of the server's machine, even if the clock of a simulated cluster is faster.
      if (speed === 1) aheadMillis = nowMillis() - serverMillis
    },
    whyWrong: () => {
      if (Math.abs(aheadMillis) <= differenceMaxMillis) return undefined
      const difference = formatDuration(Math.round(Math.abs(aheadMillis) / 1000) * 1000)
      const text = aheadMillis > 0 ? "ahead of" : "behind"
      return `this machine's clock is ${difference} ${text} the API server's`
    }
  }
}
