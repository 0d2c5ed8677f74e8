import { partKey } from "./partKey.ts"
import type { LossCause } from "../ledger/serviceTraffic.ts"
import type { StoryStep, Story } from "../stories/story.ts"
import type { StoryFailure } from "../stories/storyRun.ts"

/** Failures with the same cause have the same mark. */
export const failureMark = (story: Story, failure: StoryFailure): string => {
  switch (failure.type) {
    case "violation": {
      const { rule, invariant, lostBecause } = failure.violation
      if (invariant === undefined) return rule
      // The invariant's index changes when others are removed.
      return `${rule} ${partKey(story.invariants?.[invariant])}${lossMark(lostBecause)}`
    }
    case "step": {
      const step = story.steps[failure.step - 1]
      return `step ${step === undefined ? "" : stepMark(step)}: ${messageMark(failure.message)}${lossMark(failure.lostBecause)}`
    }
    case "fault":
      return messageMark(failure.message)
    default:
      return failure.type
  }
}

/** A request without an endpoint fails for another cause than one to a terminating Pod. */
const lossMark = (lostBecause: ReadonlyArray<LossCause> = []): string =>
  lostBecause.map((cause) => `, lost: ${cause}`).join("")

const messageMark = (message: string): string =>
  message
    .replaceAll(generatedSuffix, "-*")
    .replaceAll(/\b(?:\d+(?:\.\d+)?(?:h|ms|m|s))+\b/g, "*")
    .replaceAll(/\blost is \d+/g, "lost is *")
    .replaceAll(/\b(steps|invariants)\[\d+\]/g, "$1[*]")

/** Source: staging/src/k8s.io/apimachinery/pkg/util/rand/rand.go (the alphabet of generated name suffixes). */
const generatedSuffix = /(?:-[bcdfghjklmnpqrstvwxz2456789]{5,10})+\b/g

const stepMark = (step: StoryStep): string => {
  if ("waitFor" in step) return `waitFor ${partKey(step.waitFor)}`
  if ("expect" in step) return `expect ${partKey(step.expect)}`
  if ("fault" in step) return step.fault
  if ("apply" in step) return "apply"
  const { at: _at, after: _after, when: _when, within: _within, ...action } = step
  const [verb = "", object] = Object.entries(action)[0] ?? []
  return `${verb} ${String(object)}`
}
