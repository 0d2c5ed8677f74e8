import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import type { SteerClock } from "./steerOptions.ts"

/** Compares this machine's clock with the `Date` headers of the API server. */
export interface ClockCheck {
  readonly compareWithServer: (serverMillis: number) => void
  readonly whyWrong: () => string | undefined
}

/** Shorter than the deadlines of steering charts, such as the default minute for a Pod to start. */
const differenceMaxMillis = 30_000

/** With a wrong clock, steering charts would end holds early and find deadlines missed. */
export const makeClockCheck = ({ nowMillis, speed }: Pick<SteerClock, "nowMillis" | "speed">): ClockCheck => {
  let aheadMillis = 0
  return {
    compareWithServer: (serverMillis) => {
      // A `Date` header has the time of the server's machine, even if a simulated cluster's clock is faster.
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
