import { formatDuration, parseDuration } from "../../domain/durations.ts"
import { limitDefaults } from "./limits.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { Step } from "./story.ts"

/** When a story ends at the latest, and how that is said. */
export interface Limit {
  readonly text: string
  readonly millis: number
}

export const millisOf = (text: string | undefined): number =>
  text === undefined ? 0 : (parseDuration(text) ?? 0)

/** The limit that a story sets, or that it has where it sets none; one that nobody could read is never reached. */
export const limitOf = (limit: { readonly time?: string } | undefined, isRead: boolean): Limit => {
  if (limit?.time === undefined && !isRead) return { text: "", millis: Infinity }
  const text = limit?.time ?? formatDuration(limitDefaults.millis)
  return { text, millis: millisOf(text) }
}

/** Times that lie in the past when their step's turn comes, or behind the limit, as far as that is known beforehand. */
export const timeFindings = (
  steps: ReadonlyArray<Step | undefined>,
  limit: Limit
): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  let earliestMillis = 0
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue
    const tell = (field: string, message: string): void =>
      void found.push({ path: ["spec", "steps", index, field], message, aim: "value" })
    const pass = (field: string, text: string | undefined): void => {
      const isWithin = earliestMillis <= limit.millis
      earliestMillis += millisOf(text)
      if (!isWithin || earliestMillis <= limit.millis) return
      const end = `the story ends at its limit of ${limit.text}`
      const what = field === "after" ? "reached" : "over"
      tell(field, `is never ${what}: it is ${formatDuration(earliestMillis)} by then, and ${end}`)
    }
    const { at, after } = step
    const atMillis = millisOf(at)
    if (at !== undefined && atMillis < earliestMillis) {
      const since = formatDuration(earliestMillis)
      tell("at", `lies in the past: the step before it is not over before ${since}`)
    }
    earliestMillis = Math.max(earliestMillis, atMillis)
    if (after !== undefined) pass("after", after)
    if ("advance" in step) pass("advance", step.advance)
    if ("fault" in step && step.fault === "clockJump") pass("by", step.by)
  }
  return found
}

/** A time that lies behind the limit. */
export const behindLimit = (
  text: string | undefined,
  path: FieldPath,
  limit: Limit
): ReadonlyArray<Finding> =>
  millisOf(text) > limit.millis
    ? [{ path, message: `is never reached: the story ends at its limit of ${limit.text}`, aim: "value" }]
    : []
