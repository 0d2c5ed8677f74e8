import { failureTitle, meanwhileLines } from "./failureTitle.ts"
import { violationTitle } from "../ledger/violations.ts"
import type { StoryFailure, StoryRun } from "./storyRun.ts"

/** How a story has ended, with what went wrong. */
type Ending = Pick<StoryRun, "outcome" | "failures">

/** How a story ends that is to go well. */
export const endingOf = (failures: ReadonlyArray<StoryFailure>): Ending => {
  const isUnsettled = failures.every(({ type }) => type === "unsettled")
  return { outcome: failures.length === 0 ? "passed" : isUnsettled ? "unsettled" : "failed", failures }
}

/**
 * How a story ends that is to fail in these words: it has passed where one of its failures has them, whatever else
 * came of that; but a rule that was broken beside it is no part of the story. Otherwise that is a failure too, the last
 * of them.
 */
export const endingWith = (
  words: string,
  failures: ReadonlyArray<StoryFailure>,
  endMillis: number
): Ending => {
  const marked = failures.map((it): StoryFailure => (hasWords(it, words) ? { ...it, isExpected: true } : it))
  const isMet = expectedFailure({ failures: marked }) !== undefined
  const beside = marked.find((it) => it.isExpected !== true && isBrokenRule(it))
  if (isMet && beside === undefined) return { outcome: "passed", failures: marked }
  const first = beside ?? failures[0]
  const instead =
    first === undefined ? "did not" : `failed ${isMet ? "besides" : "otherwise"}: ${failureTitle(first)}`
  const message = `it was to fail with ${JSON.stringify(words)}, and ${instead}`
  const missed: StoryFailure = { type: "expectation", atMillis: endMillis, message }
  const { outcome } = endingOf(first === undefined ? [missed] : failures)
  return { outcome, failures: [...failures, missed] }
}

/** One that holds for every story; a story's own invariants are part of what it tells. */
const isBrokenRule = (failure: StoryFailure): boolean =>
  failure.type === "violation" && failure.violation.invariant === undefined

const hasWords = (failure: StoryFailure, words: string): boolean => {
  const texts =
    failure.type === "violation"
      ? [violationTitle(failure.violation), failure.violation.sums]
      : [failureTitle(failure), ...meanwhileLines(failure)]
  return texts.some((text) => text.includes(words))
}

/** The failure that a story was to have, and had. */
export const expectedFailure = ({ failures }: Pick<StoryRun, "failures">): StoryFailure | undefined =>
  failures.find(({ isExpected }) => isExpected)
