import { failureTitle, failureContextLines } from "../failureTitle.ts"
import { violationTitle } from "../../ledger/violations.ts"
import type { StoryFailure, StoryRun } from "../storyRun.ts"

type RunOutcome = Pick<StoryRun, "outcome" | "failures">

export const outcomeOfFailures = (failures: ReadonlyArray<StoryFailure>): RunOutcome => {
  const isUnsettled = failures.every(({ type }) => type === "unsettled")
  return { outcome: failures.length === 0 ? "passed" : isUnsettled ? "unsettled" : "failed", failures }
}

/** A run passes if any failure has the expected text and no rule of the ledger was broken besides. */
export const outcomeWithExpectation = (
  expectedText: string,
  failures: ReadonlyArray<StoryFailure>,
  endMillis: number
): RunOutcome => {
  const markedFailures = failures.map((failure): StoryFailure =>
    containsText(failure, expectedText) ? { ...failure, isExpected: true } : failure
  )
  const hasExpected = findExpectedFailure({ failures: markedFailures }) !== undefined
  const otherViolation = markedFailures.find(
    (failure) => failure.isExpected !== true && isRuleViolation(failure)
  )
  if (hasExpected && otherViolation === undefined) return { outcome: "passed", failures: markedFailures }
  const unexpectedFailure = otherViolation ?? failures[0]
  const actualText =
    unexpectedFailure === undefined
      ? "did not"
      : `failed ${hasExpected ? "besides" : "otherwise"}: ${failureTitle(unexpectedFailure)}`
  const message = `it was to fail with ${JSON.stringify(expectedText)}, and ${actualText}`
  const expectationFailure: StoryFailure = { type: "expectation", atMillis: endMillis, message }
  // An unsettled run stays unsettled.
  const { outcome } = outcomeOfFailures(unexpectedFailure === undefined ? [expectationFailure] : failures)
  return { outcome, failures: [...failures, expectationFailure] }
}

/** An invariant of the story may be expected to fail. */
const isRuleViolation = (failure: StoryFailure): boolean =>
  failure.type === "violation" && failure.violation.invariant === undefined

const containsText = (failure: StoryFailure, expectedText: string): boolean => {
  const texts =
    failure.type === "violation"
      ? [violationTitle(failure.violation), failure.violation.sums]
      : [failureTitle(failure), ...failureContextLines(failure)]
  return texts.some((text) => text.includes(expectedText))
}

export const findExpectedFailure = ({ failures }: Pick<StoryRun, "failures">): StoryFailure | undefined =>
  failures.find(({ isExpected }) => isExpected)
