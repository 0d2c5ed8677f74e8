import { violationText } from "../scenario/ledger/violations.ts"
import type { StoryFailure, StoryRun } from "../scenario/stories/storyRun.ts"

/** What failed in a run, each with its number: who did what when, the sums, and what does not hold. */
export const failureTexts = (run: Pick<StoryRun, "failures">): ReadonlyArray<string> =>
  run.failures.map((failure, index) => failureText(failure, index + 1))

const failureText = (failure: StoryFailure, number: number): string => {
  switch (failure.type) {
    case "violation":
      return violationText(failure.violation, number)
    default:
      return `[${number}] ${instantText(failure.atMillis)}  ${failureTitle(failure)}`
  }
}

const instantText = (millis: number): string => `+${(millis / 1000).toFixed(3)}s`

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
      return failure.message
  }
}

/** One word for the kind of failure. */
export const failureKind = (failure: StoryFailure): string =>
  failure.type === "violation" ? failure.violation.rule : failure.type
