import type { StoryFailure } from "./storyRun.ts"

export const failureTitle = (failure: StoryFailure): string => {
  switch (failure.type) {
    case "violation": {
      const { broken: ruleWithNumbers } = failure.violation
      return ruleWithNumbers
    }
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

export const andMoreLine = (count: number): ReadonlyArray<string> => (count > 0 ? [`and ${count} more`] : [])

export const failureContextLines = (failure: StoryFailure): ReadonlyArray<string> =>
  failure.type === "step" && failure.meanwhile !== undefined
    ? [`      meanwhile: ${failure.meanwhile.join("; ")}`]
    : []
