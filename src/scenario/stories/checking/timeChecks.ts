import { formatDuration, parseDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import { defaultStoryLimits } from "../defaultLimits.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { StoryStep } from "../story.ts"

export interface TimeLimit {
  readonly text: string
  readonly millis: number
}

export const storyDurationMillis = (text: string | undefined): number =>
  text === undefined ? 0 : (parseDuration(text) ?? 0)

/** An invalid `limit` is infinite. */
export const storyTimeLimit = (
  limit: { readonly time?: string } | undefined,
  isValid: boolean
): TimeLimit => {
  if (limit?.time === undefined && !isValid) return { text: "", millis: Infinity }
  const text = limit?.time ?? formatDuration(defaultStoryLimits.millis)
  return { text, millis: storyDurationMillis(text) }
}

/** Finds times that must have passed when their step starts, or that lie after the limit. */
export const timeFindings = (
  steps: ReadonlyArray<StoryStep | undefined>,
  limit: TimeLimit
): ReadonlyArray<SchemaFinding> => {
  const findings: Array<SchemaFinding> = []
  let earliestMillis = 0
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue
    const addFinding = (field: string, message: string): void =>
      void findings.push({ path: ["spec", "steps", index, field], message, fieldPart: "value" })
    const advanceBy = (field: string, text: string | undefined): void => {
      const wasWithinLimit = earliestMillis <= limit.millis
      earliestMillis += storyDurationMillis(text)
      if (!wasWithinLimit || earliestMillis <= limit.millis) return
      const end = `the story ends at its limit of ${limit.text}`
      const ending = field === "after" ? "reached" : "over"
      addFinding(field, `is never ${ending}: it is ${formatDuration(earliestMillis)} by then, and ${end}`)
    }
    const { at, after } = step
    const atMillis = storyDurationMillis(at)
    if (at !== undefined && atMillis < earliestMillis) {
      const earliestText = formatDuration(earliestMillis)
      addFinding("at", `lies in the past: the step before it is not over before ${earliestText}`)
    }
    earliestMillis = Math.max(earliestMillis, atMillis)
    if (after !== undefined) advanceBy("after", after)
    if ("advance" in step) advanceBy("advance", step.advance)
    if ("fault" in step && step.fault === "clockJump") advanceBy("by", step.by)
  }
  return findings
}

export const afterLimitFindings = (
  text: string | undefined,
  path: DocumentPath,
  limit: TimeLimit
): ReadonlyArray<SchemaFinding> =>
  storyDurationMillis(text) > limit.millis
    ? [
        {
          path,
          message: `is never reached: the story ends at its limit of ${limit.text}`,
          fieldPart: "value"
        }
      ]
    : []
