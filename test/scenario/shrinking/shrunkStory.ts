import * as Effect from "effect/Effect"
import { shrinkStory } from "../../../src/scenario/shrinking/shrinkStory.ts"
import { storyRun } from "../../reports/sampleRuns.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"
import type { StoryFailure, StoryRun } from "../../../src/scenario/stories/storyRun.ts"

/** Decides how a story fails, so that the shrunk story is known. */
type FailuresOf = (
  story: Story
) => ReadonlyArray<StoryFailure> | (Partial<StoryRun> & Pick<StoryRun, "failures">)

const playWith =
  (failuresOf: FailuresOf) =>
  (story: Story): StoryRun => {
    const judged = failuresOf(story)
    const { failures = [], ...more } = "failures" in judged ? judged : { failures: judged }
    return storyRun({
      story: story.name,
      seed: story.seed ?? 1,
      outcome: failures.length > 0 ? "failed" : "passed",
      failures,
      ...more
    })
  }

export const shrinkBy = (
  story: Story,
  failuresOf: FailuresOf,
  more: {
    readonly playsMax?: number
    readonly writesMax?: number
    readonly drawn?: ReadonlyArray<{ atMillis: number; fault: Fault }>
  } = {}
) => {
  const play = playWith(failuresOf)
  const { drawn = [], ...bounds } = more
  const seedFaults = drawn.map(({ fault }) => ({ ...fault, at: "1s" }))
  return Effect.runSync(
    shrinkStory({
      story,
      run: play({ ...story, seed: 17, faults: [...(story.faults ?? []), ...seedFaults] }),
      drawnFaults: drawn,
      play: (candidate) => Effect.succeed(play(candidate)),
      ...bounds
    })
  )
}
