import { joinLines } from "../domain/escapeControls.ts"
import { expectedFailure } from "../scenario/stories/expectFailure.ts"
import { andMore, failureTitle, meanwhileLines } from "../scenario/stories/failureTitle.ts"
import { violationText } from "../scenario/ledger/violations.ts"
import type { StoryFailure, StoryRun } from "../scenario/stories/storyRun.ts"

/**
 * What failed in a run, each with its number: who did what when, the sums, and what does not hold. Then how many more
 * there were than these.
 */
export const failureTexts = (
  { failures, untold }: Pick<StoryRun, "failures" | "untold">,
  most = Infinity
): ReadonlyArray<string> => [
  ...failures.slice(0, most).map((failure, index) => failureText(failure, index + 1)),
  ...andMore(untold + Math.max(0, failures.length - most))
]

const failureText = (failure: StoryFailure, number: number): string =>
  failure.type === "violation"
    ? violationText(failure.violation, number)
    : joinLines([
        `[${number}] ${instantText(failure.atMillis)}  ${failureTitle(failure)}`,
        ...meanwhileLines(failure)
      ])

const instantText = (millis: number): string => `+${(millis / 1000).toFixed(3)}s`

/** What a story was to fail with, and did, in a line; undefined where it has failed otherwise, or not at all. */
export const expectedText = (run: Pick<StoryRun, "failures">): string | undefined => {
  const expected = expectedFailure(run)
  return expected === undefined ? undefined : failureTitle(expected).replaceAll(/\s+/g, " ")
}

/** One word for the kind of failure. */
export const failureKind = (failure: StoryFailure): string =>
  failure.type === "violation" ? failure.violation.rule : failure.type
