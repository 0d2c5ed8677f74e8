import type { Step, Story } from "./stories/story.ts"
import type { StoryFailure } from "./stories/storyRun.ts"

/**
 * What makes two failures the same, wherever and whenever they were: the broken rule, of invariants which one, or the
 * kind of step and what it was about.
 */
export const failureMark = (story: Story, failure: StoryFailure): string => {
  if (failure.type === "unsettled") return "unsettled"
  if (failure.type === "violation") {
    const { rule, broken } = failure.violation
    return rule === "invariant" ? `${rule} ${withoutNumbers(broken)}` : rule
  }
  const step = story.steps[failure.step - 1]
  return `step ${step === undefined ? "" : deedMark(step)}`
}

/** A condition with other amounts is another one; what is measured differs from run to run. */
const withoutNumbers = (text: string): string => text.replaceAll(/\d+(?:\.\d+)?/g, "#")

const deedMark = (step: Step): string => {
  if ("waitFor" in step) return `waitFor ${String(step.waitFor)}`
  if ("expect" in step) return `expect ${String(step.expect)}`
  if ("fault" in step) return step.fault
  if ("apply" in step) return "apply"
  const { at: _at, after: _after, when: _when, within: _within, ...deed } = step
  const [what = "", of] = Object.entries(deed)[0] ?? []
  return `${what} ${String(of)}`
}
