import { partKey } from "./partKey.ts"
import type { LossCause } from "../ledger/services/serviceTraffic.ts"
import type { StoryStep, Story } from "../stories/story.ts"
import type { StoryFailure } from "../stories/storyRun.ts"

/** Equal for failures with the same cause. */
export const failureCauseText = (story: Story, failure: StoryFailure): string => {
  switch (failure.type) {
    case "violation": {
      const { rule, invariant, lostBecause } = failure.violation
      if (invariant === undefined) return rule
      // The invariant's index changes when others are removed.
      return `${rule} ${partKey(story.invariants?.[invariant])}${lossText(lostBecause)}`
    }
    case "step": {
      const step = story.steps[failure.step - 1]
      return `step ${step === undefined ? "" : stepText(step)}: ${messageWithoutNames(failure.message)}${lossText(failure.lostBecause)}`
    }
    case "fault":
      return messageWithoutNames(failure.message)
    default:
      return failure.type
  }
}

/** A request without an endpoint fails for another cause than one to a terminating Pod. */
const lossText = (lostBecause: ReadonlyArray<LossCause> = []): string =>
  lostBecause.map((cause) => `, lost: ${cause}`).join("")

const messageWithoutNames = (message: string): string =>
  message
    .replaceAll(generatedSuffix, "-*")
    .replaceAll(/\b(?:\d+(?:\.\d+)?(?:h|ms|m|s))+\b/g, "*")
    .replaceAll(/\blost is \d+/g, "lost is *")
    .replaceAll(/\b(steps|invariants)\[\d+\]/g, "$1[*]")

/** Source: apimachinery/pkg/util/rand/rand.go (the alphabet of generated name suffixes). */
const generatedSuffix = /(?:-[bcdfghjklmnpqrstvwxz2456789]{5,10})+\b/g

const stepText = (step: StoryStep): string => {
  if ("waitFor" in step) return `waitFor ${partKey(step.waitFor)}`
  if ("expect" in step) return `expect ${partKey(step.expect)}`
  if ("fault" in step) return step.fault
  if ("apply" in step) return "apply"
  const { at: _at, after: _after, when: _when, within: _within, ...action } = step
  const [verb = "", object] = Object.entries(action)[0] ?? []
  return `${verb} ${String(object)}`
}
