import * as Effect from "effect/Effect"
import { shrinkStory } from "../../src/scenario/shrinking/shrinkStory.ts"
import { storyRun } from "../reports/runs.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Story } from "../../src/scenario/stories/story.ts"
import type { StoryFailure, StoryRun } from "../../src/scenario/stories/storyRun.ts"

/** A world in which all that can fail is what a test says, so that what must be left of a story is known. */
type Judge = (story: Story) => ReadonlyArray<StoryFailure> | (Partial<StoryRun> & Pick<StoryRun, "failures">)

const playBy =
  (judge: Judge) =>
  (story: Story): StoryRun => {
    const judged = judge(story)
    const { failures = [], ...more } = "failures" in judged ? judged : { failures: judged }
    return storyRun({
      story: story.name,
      seed: story.seed ?? 1,
      outcome: failures.length > 0 ? "failed" : "passed",
      failures,
      ...more
    })
  }

export const shrunk = (
  story: Story,
  judge: Judge,
  more: {
    readonly playsMax?: number
    readonly writesMax?: number
    readonly drawn?: ReadonlyArray<{ atMillis: number; fault: Fault }>
  } = {}
) => {
  const play = playBy(judge)
  const { drawn = [], ...bounds } = more
  const met = drawn.map(({ fault }) => ({ ...fault, at: "1s" }))
  return Effect.runSync(
    shrinkStory({
      story,
      run: play({ ...story, seed: 17, faults: [...(story.faults ?? []), ...met] }),
      drawn,
      play: (candidate) => Effect.succeed(play(candidate)),
      ...bounds
    })
  )
}
