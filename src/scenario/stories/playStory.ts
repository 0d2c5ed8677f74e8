import * as Effect from "effect/Effect"
import { openStory } from "./openStory.ts"
import type { Recorded } from "../recorded.ts"
import type { Story } from "./story.ts"
import type { StoryRun } from "./storyRun.ts"
import type { Unplayable } from "./openStory.ts"

/**
 * Plays a story to its end, in a cluster of its own on a clock of its own: the same story with the same seed comes to
 * the same, to the byte.
 */
export const playStory = (story: Story, seed?: number): Effect.Effect<StoryRun, Unplayable> =>
  Effect.scoped(Effect.map(openStory(story, seed === undefined ? {} : { seed }), ({ run }) => run))

/** Plays a story as `playStory` does, and records all that happens; the digest tells whether it was the same. */
export const recordStory = (
  story: Story,
  seed: number
): Effect.Effect<{ readonly recorded: Recorded; readonly digest: string }, Unplayable> =>
  Effect.scoped(
    Effect.map(openStory(story, { seed, record: true }), ({ run, recorded }) => ({
      recorded: recorded?.() ?? nothing,
      digest: run.digest
    }))
  )

const nothing: Recorded = { text: "", isWhole: false }
