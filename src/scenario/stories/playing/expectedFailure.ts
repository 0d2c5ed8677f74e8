import { failureTitle, failureContextLines } from "../failureTitle.ts"
import { violationTitle } from "../../ledger/violations.ts"
import type { StoryFailure, StoryRun } from "../storyRun.ts"

type RunOutcome = Pick<StoryRun, "outcome" | "failures">

export const outcomeOfFailures = (failures: ReadonlyArray<StoryFailure>): RunOutcome => {
  const isUnsettled = failures.every(({ type }) => type === "unsettled")
  return { outcome: failures.length === 0 ? "passed" : isUnsettled ? "unsettled" : "failed", failures }
}

/**
 * The outcome of a story with `expectFailure`: passed if the text of a failure contains the expected text, whatever
 * else failed, unless a rule that holds for every story was violated besides. Otherwise adds a failure that says what
 * happened instead.
 */
export const outcomeWithExpectation = (
  expectedText: string,
  failures: ReadonlyArray<StoryFailure>,
  endMillis: number
): RunOutcome => {
  const markedFailures = failures.map((it): StoryFailure =>
    containsText(it, expectedText) ? { ...it, isExpected: true } : it
  )
  const hasExpected = findExpectedFailure({ failures: markedFailures }) !== undefined
  const otherViolation = markedFailures.find((it) => it.isExpected !== true && isRuleViolation(it))
  if (hasExpected && otherViolation === undefined) return { outcome: "passed", failures: markedFailures }
  const first = otherViolation ?? failures[0]
  const actualText =
    first === undefined
      ? "did not"
      : `failed ${hasExpected ? "besides" : "otherwise"}: ${failureTitle(first)}`
  const message = `it was to fail with ${JSON.stringify(expectedText)}, and ${actualText}`
  const expectationFailure: StoryFailure = { type: "expectation", atMillis: endMillis, message }
  // The added failure does not make an unsettled run a failed one.
  const { outcome } = outcomeOfFailures(first === undefined ? [expectationFailure] : failures)
  return { outcome, failures: [...failures, expectationFailure] }
}

/** Whether a rule of the ledger is violated, and not an invariant of the story, which may be expected to fail. */
const isRuleViolation = (failure: StoryFailure): boolean =>
  failure.type === "violation" && failure.violation.invariant === undefined

/** A violation is compared by its title and the numbers that broke the rule. */
const containsText = (failure: StoryFailure, expectedText: string): boolean => {
  const texts =
    failure.type === "violation"
      ? [violationTitle(failure.violation), failure.violation.sums]
      : [failureTitle(failure), ...failureContextLines(failure)]
  return texts.some((text) => text.includes(expectedText))
}

export const findExpectedFailure = ({ failures }: Pick<StoryRun, "failures">): StoryFailure | undefined =>
  failures.find(({ isExpected }) => isExpected)
