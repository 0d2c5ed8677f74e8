import type { StoryFailure } from "./storyRun.ts"

/** What a failure is, in a few words; the whole account is longer. */
export const failureTitle = (failure: StoryFailure): string => {
  switch (failure.type) {
    case "violation":
      return failure.violation.broken
    case "step":
      return `step ${failure.step}: ${failure.message}`
    case "start":
      return `start: ${failure.message}`
    case "fault":
    case "unsettled":
    case "expectation":
      return failure.message
  }
}

/** A line of those that are left out, where there are any. */
export const andMore = (count: number): ReadonlyArray<string> => (count > 0 ? [`and ${count} more`] : [])

/** What belongs to the whole account of a failure behind its title, each thing on a line of its own. */
export const meanwhileLines = (failure: StoryFailure): ReadonlyArray<string> =>
  failure.type === "step" && failure.meanwhile !== undefined
    ? [`      meanwhile: ${failure.meanwhile.join("; ")}`]
    : []
