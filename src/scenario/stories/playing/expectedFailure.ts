import { failureTitle, failureContextLines } from "../failureTitle.ts"
import { violationTitle } from "../../ledger/violations.ts"
import type { StoryFailure, StoryRun } from "../storyRun.ts"

type RunOutcome = Pick<StoryRun, "outcome" | "failures">

export const outcomeOfFailures = (failures: ReadonlyArray<StoryFailure>): RunOutcome => {
  const isUnsettled = failures.every(({ type }) => type === "unsettled")
  return { outcome: failures.length === 0 ? "passed" : isUnsettled ? "unsettled" : "failed", failures }
}

/**
 * The outcome of a story with `expectFailure`: passed if the text of a failure contains `words`, whatever else
 * failed, unless one of the general rules was violated besides. Otherwise adds a last failure that tells so.
 */
export const outcomeWithExpectation = (
  words: string,
  failures: ReadonlyArray<StoryFailure>,
  endMillis: number
): RunOutcome => {
  const markedFailures = failures.map((it): StoryFailure =>
    hasWords(it, words) ? { ...it, isExpected: true } : it
  )
  const isFound = findExpectedFailure({ failures: markedFailures }) !== undefined
  const otherViolation = markedFailures.find((it) => it.isExpected !== true && isRuleViolation(it))
  if (isFound && otherViolation === undefined) return { outcome: "passed", failures: markedFailures }
  const first = otherViolation ?? failures[0]
  const actualText =
    first === undefined ? "did not" : `failed ${isFound ? "besides" : "otherwise"}: ${failureTitle(first)}`
  const message = `it was to fail with ${JSON.stringify(words)}, and ${actualText}`
  const expectationFailure: StoryFailure = { type: "expectation", atMillis: endMillis, message }
  const { outcome } = outcomeOfFailures(first === undefined ? [expectationFailure] : failures)
  return { outcome, failures: [...failures, expectationFailure] }
}

/** Rules of every rollout; the story's own invariants may be the expected failure. */
const isRuleViolation = (failure: StoryFailure): boolean =>
  failure.type === "violation" && failure.violation.invariant === undefined

const hasWords = (failure: StoryFailure, words: string): boolean => {
  const texts =
    failure.type === "violation"
      ? [violationTitle(failure.violation), failure.violation.sums]
      : [failureTitle(failure), ...failureContextLines(failure)]
  return texts.some((text) => text.includes(words))
}

export const findExpectedFailure = ({ failures }: Pick<StoryRun, "failures">): StoryFailure | undefined =>
  failures.find(({ isExpected }) => isExpected)
