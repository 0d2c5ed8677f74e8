import { joinEscapedLines } from "../kubernetes/meta/text/escapeControls.ts"
import { findExpectedFailure } from "../scenario/stories/playing/expectedFailure.ts"
import { andMoreLine, failureTitle, failureContextLines } from "../scenario/stories/failureTitle.ts"
import { violationText } from "../scenario/ledger/violations.ts"
import type { StoryFailure, StoryRun } from "../scenario/stories/storyRun.ts"

/** `untold` counts the failures that `failures` omits. At most `listedMax` are listed. */
export const failureTexts = (
  { failures, untold }: Pick<StoryRun, "failures" | "untold">,
  listedMax = Infinity
): ReadonlyArray<string> => [
  ...failures.slice(0, listedMax).map((failure, index) => failureText(failure, index + 1)),
  ...andMoreLine(untold + Math.max(0, failures.length - listedMax))
]

const failureText = (failure: StoryFailure, number: number): string =>
  failure.type === "violation"
    ? violationText(failure.violation, number)
    : joinEscapedLines([
        `[${number}] ${timeText(failure.atMillis)}  ${failureTitle(failure)}`,
        ...failureContextLines(failure)
      ])

const timeText = (millis: number): string => `+${(millis / 1000).toFixed(3)}s`

export const expectedFailureText = (run: Pick<StoryRun, "failures">): string | undefined => {
  const expectedFailure = findExpectedFailure(run)
  return expectedFailure === undefined ? undefined : failureTitle(expectedFailure).replaceAll(/\s+/g, " ")
}

export const failureKind = (failure: StoryFailure): string =>
  failure.type === "violation" ? failure.violation.rule : failure.type
