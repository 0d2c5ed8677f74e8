import { backOffMillis } from "../backOff.ts"
import { formatDuration } from "../durations.ts"

/** A length of time, to the second: `40s`, `3m12s`. */
export const inWords = (millis: number): string => formatDuration(Math.ceil(millis / 1000) * 1000)

/** How long a kubelet still waits before it tries again what has failed so often, the last time then. */
export const retryWait = (failures: number, lastMillis: number, nowMillis: number): string => {
  const left = lastMillis + backOffMillis(failures) - nowMillis
  return left > 0 ? `, next in ${inWords(left)}` : ""
}
