import * as Effect from "effect/Effect"
import { openStory } from "./openStory.ts"
import type { ClusterRecording } from "../../clusterRecording.ts"
import type { Story } from "../story.ts"
import type { StoryRun } from "../storyRun.ts"
import type { UnplayableStory } from "./openStory.ts"

/** The result depends on the story and the seed only. */
export const playStory = (story: Story, seed?: number): Effect.Effect<StoryRun, UnplayableStory> =>
  Effect.scoped(Effect.map(openStory(story, seed === undefined ? {} : { seed }), ({ run }) => run))

export const recordStory = (
  story: Story,
  seed: number
): Effect.Effect<{ readonly recorded: ClusterRecording; readonly digest: string }, UnplayableStory> =>
  Effect.scoped(
    Effect.map(openStory(story, { seed, record: true }), ({ run, readRecording }) => ({
      recorded: readRecording?.() ?? emptyRecording,
      digest: run.digest
    }))
  )

const emptyRecording: ClusterRecording = { text: "", hasBeginning: false }
