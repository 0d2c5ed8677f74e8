import type { Step, Story } from "../stories/story.ts"
import type { StoryFailure } from "../stories/storyRun.ts"

/**
 * What makes two failures the same, wherever and whenever they were: the broken rule, of invariants which one, the kind
 * of step and what it was about, or why a fault could not be.
 */
export const failureMark = (story: Story, failure: StoryFailure): string => {
  switch (failure.type) {
    case "violation": {
      const { rule, invariant } = failure.violation
      // Its line, and not its number: others go from the list before it. A predicate is its own text.
      return invariant === undefined ? rule : `${rule} ${String(story.invariants?.[invariant])}`
    }
    case "step": {
      const step = story.steps[failure.step - 1]
      return `step ${step === undefined ? "" : deedMark(step)}`
    }
    case "fault":
      return failure.message
    default:
      return failure.type
  }
}

const deedMark = (step: Step): string => {
  if ("waitFor" in step) return `waitFor ${String(step.waitFor)}`
  if ("expect" in step) return `expect ${String(step.expect)}`
  if ("fault" in step) return step.fault
  if ("apply" in step) return "apply"
  const { at: _at, after: _after, when: _when, within: _within, ...deed } = step
  const [what = "", of] = Object.entries(deed)[0] ?? []
  return `${what} ${String(of)}`
}
