import * as Effect from "effect/Effect"
import { loadStory } from "../input/loadStory.ts"
import { drawRandomFaults } from "../../faults/randomFaults.ts"
import { playStory, recordStory } from "../../scenario/stories/playing/playStory.ts"
import { readStory } from "../../scenario/stories/reading/readStory.ts"
import { shrinkStory } from "../../scenario/shrinking/shrinkStory.ts"
import { isExpressibleInYaml, storyYaml } from "../../scenario/stories/reading/storyYaml.ts"
import { withoutRunDetails } from "../../reports/storyReport.ts"
import type { StoryFile } from "../input/loadStory.ts"
import type { ClusterRecording } from "../../scenario/clusterRecording.ts"
import type { ShrunkStory } from "../../reports/storyReport.ts"
import type { Story } from "../../scenario/stories/story.ts"
import type { StoryRun } from "../../scenario/stories/storyRun.ts"

/**
 * Plays a story with a seed, shrinks a failed one, or replays a seed with a recording. `story` is an index. An equal
 * `digest` shows that a replay was the same run.
 */
export type StoryJob =
  | { readonly story: number; readonly seed: number; readonly keepsDetails: boolean }
  | { readonly story: number; readonly failed: StoryRun }
  | { readonly story: number; readonly recordedSeed: number }

export type StoryJobResult =
  | { readonly run: StoryRun }
  | { readonly shrunk: ShrunkStory }
  | { readonly recorded: ClusterRecording; readonly digest: string }

export const beginStoryTask = (
  sources: ReadonlyArray<StoryFile>
): ((job: StoryJob) => Effect.Effect<StoryJobResult>) => {
  const stories = new Map<number, Story>()
  const storyAt = Effect.fnUntraced(function* (index: number) {
    const source = sources[index]
    const cached = stories.get(index)
    if (cached !== undefined || source === undefined) return cached
    const story = yield* loadStory(source)
    stories.set(index, story)
    return story
  })
  return (job) =>
    Effect.gen(function* () {
      const story = yield* storyAt(job.story)
      if (story === undefined) return yield* Effect.die(new Error(`there is no story ${job.story}`))
      if ("failed" in job) return { shrunk: yield* shrunkStory(story, job.failed) }
      if ("recordedSeed" in job) return yield* recordStory(story, job.recordedSeed)
      const run = yield* playStory(story, job.seed)
      // Only the first seed's details are shown of runs that passed.
      return { run: job.keepsDetails || run.outcome !== "passed" ? run : withoutRunDetails(run) }
      // The command has validated all stories.
    }).pipe(Effect.orDie)
}

/** Plays the story as it is written to YAML, so that the written file fails too. */
const shrunkStory = Effect.fnUntraced(function* (
  story: Story,
  failed: StoryRun
): Effect.fn.Return<ShrunkStory> {
  const { weather } = story
  const smallest = yield* shrinkStory({
    story,
    run: failed,
    // The failed run's random faults, so that each can be left out.
    drawnFaults: weather === undefined ? [] : drawRandomFaults(weather, failed.seed),
    play: playAsWritten
  })
  const { stepsAndFaults, stepsAndFaultsBefore, plays, writes, isSmallest } = smallest
  const { seed } = failed
  const yaml = storyYaml(smallest.story)
  return {
    seed,
    yaml,
    isRunnable: isExpressibleInYaml(smallest.story),
    parts: stepsAndFaults,
    partsBefore: stepsAndFaultsBefore,
    plays,
    writes,
    isSmallest
  }
})

const playAsWritten = (story: Story): Effect.Effect<StoryRun | undefined> =>
  Effect.gen(function* () {
    const storyAsWritten = isExpressibleInYaml(story)
      ? yield* readStory(storyYaml(story), "shrunk.yaml")
      : story
    return yield* playStory(storyAsWritten, storyAsWritten.seed ?? 1)
    // Shrinking may omit parts that a story needs: then it counts as not failing.
  }).pipe(Effect.orElseSucceed(() => undefined))
