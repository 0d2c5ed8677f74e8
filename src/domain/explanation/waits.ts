import { backOffMillis } from "../backOff.ts"
import { counted } from "../counted.ts"
import { formatDuration } from "../durations.ts"
import { millisOf } from "../timestamps.ts"
import type { WholeEvent } from "../wholeEvent.ts"

/** A length of time, to the second: `40s`, `3m12s`. */
export const inWords = (millis: number): string => formatDuration(Math.ceil(millis / 1000) * 1000)

/**
 * How often has been tried what such events tell of, and when it is tried again. A recorder writes only so many events
 * of one object: where their times do not fit the number, there have been more.
 *
 * Source: staging/src/k8s.io/client-go/tools/record/events_cache.go (EventSourceObjectSpamFilter).
 */
export const triesText = (failures: ReadonlyArray<WholeEvent>, nowMillis: number): string => {
  const tries = triesOf(failures)
  if (tries === 0) return ""
  const first = Math.min(...failures.map(({ firstTimestamp }) => millisOf(firstTimestamp)))
  const last = Math.max(...failures.map(({ lastTimestamp }) => millisOf(lastTimestamp)))
  let waited = 0
  for (let failure = 1; failure < tries; failure += 1) waited += backOffMillis(failure)
  const left = last + backOffMillis(tries) - nowMillis
  const isAll =
    last - first <= waited + Math.min(tries * pullMillisMax, slackMillisMax) && left > -pullMillisMax
  const often = counted(tries, "try", "tries")
  if (!isAll) return `, at least ${often}`
  return `, ${often}${left > 0 ? `, next in ${inWords(left)}` : ""}`
}

/** Of what events tell, counted. */
export const triesOf = (events: ReadonlyArray<WholeEvent>): number =>
  events.reduce((sum, { count }) => sum + count, 0)

/** What takes longer is taken for more tries than one. */
const pullMillisMax = 5000
/** Less than the longest wait between two tries, so that none is passed over. */
const slackMillisMax = 60_000
