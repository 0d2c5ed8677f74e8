import * as Effect from "effect/Effect"
import { loadStory } from "./loadStory.ts"
import { drawWeather } from "../faults/weather.ts"
import { playStory, recordStory } from "../scenario/stories/playStory.ts"
import { readStory } from "../scenario/stories/readStory.ts"
import { shrink } from "../scenario/shrinking/shrink.ts"
import { isText, storyYaml } from "../scenario/stories/storyYaml.ts"
import { withoutDetail } from "../reports/storyReport.ts"
import type { StorySource } from "./loadStory.ts"
import type { Recorded } from "../scenario/recorded.ts"
import type { Shrunk } from "../reports/storyReport.ts"
import type { Story } from "../scenario/stories/story.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"

/**
 * What a thread is to do for one story: play it with a seed, find the least of it that fails as a run did, or play it
 * with a seed once more and record that.
 */
export type StoryTurn =
  | { readonly story: number; readonly seed: number; readonly isWhole: boolean }
  | { readonly story: number; readonly failed: StoryRun }
  | { readonly story: number; readonly recordedSeed: number }

export type StoryAnswer =
  | { readonly run: StoryRun }
  | { readonly shrunk: Shrunk }
  | { readonly recorded: Recorded; readonly digest: string }

/** Plays stories, each read once. */
export const beginStoryTask = (
  sources: ReadonlyArray<StorySource>
): ((turn: StoryTurn) => Effect.Effect<StoryAnswer>) => {
  const stories = new Map<number, Story>()
  const storyAt = Effect.fnUntraced(function* (index: number) {
    const source = sources[index]
    const known = stories.get(index)
    if (known !== undefined || source === undefined) return known
    const story = yield* loadStory(source)
    stories.set(index, story)
    return story
  })
  return (turn) =>
    Effect.gen(function* () {
      const story = yield* storyAt(turn.story)
      if (story === undefined) return yield* Effect.die(new Error(`there is no story ${turn.story}`))
      if ("failed" in turn) return { shrunk: yield* shrunkStory(story, turn.failed) }
      if ("recordedSeed" in turn) return yield* recordStory(story, turn.recordedSeed)
      const run = yield* playStory(story, turn.seed)
      // A run that passed is told by a line: only what is shown need come back whole.
      return { run: turn.isWhole || run.outcome !== "passed" ? run : withoutDetail(run) }
      // All of them were read, and refused, before the first was played.
    }).pipe(Effect.orDie)
}

/** Plays what is to be written, so that what is written fails when it is read again. */
const shrunkStory = Effect.fnUntraced(function* (story: Story, failed: StoryRun): Effect.fn.Return<Shrunk> {
  const { weather } = story
  const least = yield* shrink({
    story,
    run: failed,
    drawn: weather === undefined ? [] : drawWeather(weather, failed.seed),
    play: playAsWritten
  })
  const { parts, partsBefore, plays, writes, isLeast } = least
  const { seed } = failed
  const yaml = storyYaml(least.story)
  return { seed, yaml, isRunnable: isText(least.story), parts, partsBefore, plays, writes, isLeast }
})

const playAsWritten = (story: Story): Effect.Effect<StoryRun | undefined> =>
  Effect.gen(function* () {
    const meant = isText(story) ? yield* readStory(storyYaml(story), "shrunk.yaml") : story
    return yield* playStory(meant, meant.seed ?? 1)
    // What makes no sense without something that was left out is no story.
  }).pipe(Effect.orElseSucceed(() => undefined))
