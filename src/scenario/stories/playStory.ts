import * as Effect from "effect/Effect"
import { openStory } from "./openStory.ts"
import type { Story } from "./story.ts"
import type { StoryRun } from "./storyRun.ts"
import type { Unplayable } from "./openStory.ts"

/**
 * Plays a story to its end, in a cluster of its own on a clock of its own: the same story with the same seed comes to
 * the same, to the byte.
 */
export const playStory = (story: Story, seed?: number): Effect.Effect<StoryRun, Unplayable> =>
  Effect.scoped(Effect.map(openStory(story, seed === undefined ? {} : { seed }), ({ run }) => run))
