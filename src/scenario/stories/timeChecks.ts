import { formatDuration, parseDuration } from "../../domain/durations.ts"
import { limitDefaults } from "./limits.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { Step } from "./story.ts"

export interface Limit {
  readonly text: string
  readonly millis: number
}

export const millisOf = (text: string | undefined): number =>
  text === undefined ? 0 : (parseDuration(text) ?? 0)

export const limitOf = (limit: { readonly time?: string } | undefined, isRead: boolean): Limit => {
  if (limit?.time === undefined && !isRead) return { text: "", millis: Infinity }
  const text = limit?.time ?? formatDuration(limitDefaults.millis)
  return { text, millis: millisOf(text) }
}

/**
 * Finds times that have passed when their step starts, or that lie after the limit, as far as known before playing.
 */
export const timeFindings = (
  steps: ReadonlyArray<Step | undefined>,
  limit: Limit
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  let earliestMillis = 0
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue
    const addFinding = (field: string, message: string): void =>
      void findings.push({ path: ["spec", "steps", index, field], message, aim: "value" })
    const advanceBy = (field: string, text: string | undefined): void => {
      const wasWithin = earliestMillis <= limit.millis
      earliestMillis += millisOf(text)
      if (!wasWithin || earliestMillis <= limit.millis) return
      const end = `the story ends at its limit of ${limit.text}`
      const what = field === "after" ? "reached" : "over"
      addFinding(field, `is never ${what}: it is ${formatDuration(earliestMillis)} by then, and ${end}`)
    }
    const { at, after } = step
    const atMillis = millisOf(at)
    if (at !== undefined && atMillis < earliestMillis) {
      const since = formatDuration(earliestMillis)
      addFinding("at", `lies in the past: the step before it is not over before ${since}`)
    }
    earliestMillis = Math.max(earliestMillis, atMillis)
    if (after !== undefined) advanceBy("after", after)
    if ("advance" in step) advanceBy("advance", step.advance)
    if ("fault" in step && step.fault === "clockJump") advanceBy("by", step.by)
  }
  return findings
}

export const behindLimit = (
  text: string | undefined,
  path: FieldPath,
  limit: Limit
): ReadonlyArray<Finding> =>
  millisOf(text) > limit.millis
    ? [{ path, message: `is never reached: the story ends at its limit of ${limit.text}`, aim: "value" }]
    : []
