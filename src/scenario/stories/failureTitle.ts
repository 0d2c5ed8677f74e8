import type { StoryFailure } from "./storyRun.ts"

/** What failed, in one line. */
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

/** `and 3 more`, as the last line of a list that was cut; no line if nothing was left out. */
export const moreLines = (count: number): ReadonlyArray<string> => (count > 0 ? [`and ${count} more`] : [])

/** The line below the title of a failed step: active faults, blocked Pods and recent changes. */
export const failureContextLines = (failure: StoryFailure): ReadonlyArray<string> =>
  failure.type === "step" && failure.meanwhile !== undefined
    ? [`      meanwhile: ${failure.meanwhile.join("; ")}`]
    : []
