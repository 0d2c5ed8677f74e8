import { identityOf } from "./identity.ts"
import type { LossCause } from "../ledger/serviceTraffic.ts"
import type { Step, Story } from "../stories/story.ts"
import type { StoryFailure } from "../stories/storyRun.ts"

/**
 * What makes two failures the same, wherever and whenever they were: the broken rule, of invariants which one, the kind
 * of step, what it was about and why it failed, or why a fault could not be; and why requests were lost, where it is of
 * those.
 */
export const failureMark = (story: Story, failure: StoryFailure): string => {
  switch (failure.type) {
    case "violation": {
      const { rule, invariant, lostBecause } = failure.violation
      if (invariant === undefined) return rule
      // What it is, and not its place: others go from the list before it.
      return `${rule} ${identityOf(story.invariants?.[invariant])}${lossMark(lostBecause)}`
    }
    case "step": {
      const step = story.steps[failure.step - 1]
      return `step ${step === undefined ? "" : deedMark(step)}: ${reasonMark(failure.message)}${lossMark(failure.lostBecause)}`
    }
    case "fault":
      return reasonMark(failure.message)
    default:
      return failure.type
  }
}

/** A request that finds nobody is not lost as one is that goes to a Pod which was told to stop. */
const lossMark = (lostBecause: ReadonlyArray<LossCause> = []): string =>
  lostBecause.map((cause) => `, lost: ${cause}`).join("")

/**
 * Why something failed, but for what is another in a smaller story: the names that controllers give, times, how many
 * requests were lost by then, and where in the story a predicate stands.
 */
const reasonMark = (message: string): string =>
  message
    .replaceAll(generatedName, "-*")
    .replaceAll(/\b(?:\d+(?:\.\d+)?(?:h|ms|m|s))+\b/g, "*")
    .replaceAll(/\blost is \d+/g, "lost is *")
    .replaceAll(/\b(steps|invariants)\[\d+\]/g, "$1[*]")

/** Source: staging/src/k8s.io/apimachinery/pkg/util/rand/rand.go (the letters that names are made of). */
const generatedName = /(?:-[bcdfghjklmnpqrstvwxz2456789]{5,10})+\b/g

const deedMark = (step: Step): string => {
  if ("waitFor" in step) return `waitFor ${identityOf(step.waitFor)}`
  if ("expect" in step) return `expect ${identityOf(step.expect)}`
  if ("fault" in step) return step.fault
  if ("apply" in step) return "apply"
  const { at: _at, after: _after, when: _when, within: _within, ...deed } = step
  const [what = "", of] = Object.entries(deed)[0] ?? []
  return `${what} ${String(of)}`
}
