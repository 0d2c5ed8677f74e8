import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import type { SteerClock } from "./steerOptions.ts"

/** Compares this machine's clock with the API server's, by the times of its answers. */
export interface ClockCheck {
  readonly note: (serverMillis: number) => void
  /** Why times cannot be trusted; undefined while the clocks agree. */
  readonly whyWrong: () => string | undefined
}

/** Below what charts judge: a Pod may be unable to start for a minute by default. */
const differenceMaxMillis = 30_000

/** A wrong clock would end holds early and find deadlines missed. */
export const makeClockCheck = ({ nowMillis, speed }: Pick<SteerClock, "nowMillis" | "speed">): ClockCheck => {
  let aheadMillis = 0
  return {
    note: (serverMillis) => {
      // A server answers by its machine's clock, also when its cluster's is faster.
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
