import type { StoryFailure } from "./storyRun.ts"

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

/** The last line of a cut list: `and 3 more`. */
export const andMoreLine = (count: number): ReadonlyArray<string> => (count > 0 ? [`and ${count} more`] : [])

/** Below a failed step's title: active faults, blocked Pods and recent changes. */
export const failureContextLines = (failure: StoryFailure): ReadonlyArray<string> =>
  failure.type === "step" && failure.meanwhile !== undefined
    ? [`      meanwhile: ${failure.meanwhile.join("; ")}`]
    : []
