import { backOffMillis } from "../../kubernetes/pods/containers/backOff.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

/** Rounded up, so that the time left is never 0s. */
export const durationText = (millis: number): string => formatDuration(Math.ceil(millis / 1000) * 1000)

/**
 * Event recorders drop repeated events: if the times do not fit the count, there were more tries. Source:
 * client-go/tools/record/events_cache.go (EventSourceObjectSpamFilter).
 */
export const pullRetriesText = (failures: ReadonlyArray<NormalizedEvent>, nowMillis: number): string => {
  const tries = eventCount(failures)
  if (tries === 0) return ""
  const firstMillis = Math.min(...failures.map(({ firstTimestamp }) => timestampMillis(firstTimestamp)))
  const lastMillis = Math.max(...failures.map(({ lastTimestamp }) => timestampMillis(lastTimestamp)))
  let backOffSum = 0
  for (let failure = 1; failure < tries; failure += 1) backOffSum += backOffMillis(failure)
  const remainingMillis = lastMillis + backOffMillis(tries) - nowMillis
  const isCountComplete =
    lastMillis - firstMillis <= backOffSum + Math.min(tries * pullMillisMax, allPullsMillisMax) &&
    remainingMillis > -pullMillisMax
  const triesText = countText(tries, "try", "tries")
  if (!isCountComplete) return `, at least ${triesText}`
  return `, ${triesText}${remainingMillis > 0 ? `, next in ${durationText(remainingMillis)}` : ""}`
}

/** Equal Events are one object with a count. */
export const eventCount = (events: ReadonlyArray<NormalizedEvent>): number =>
  events.reduce((sum, { count }) => sum + count, 0)

/** A longer pull is mistaken for a try without an event. */
const pullMillisMax = 5000
/** Less than the longest back-off, so that a try without an event is noticed. */
const allPullsMillisMax = 60_000
