import { stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { readTexts } from "./input.ts"
import { BadInput, badInput } from "./badInput.ts"
import { filesIn } from "./folders.ts"
import { isModule, loadStory } from "./loadStory.ts"
import { isStory } from "../scenario/stories/readStory.ts"
import { storyProblemText } from "../scenario/stories/storyRefused.ts"
import type { Story } from "../scenario/stories/story.ts"
import type { StorySource } from "./loadStory.ts"

/** A story that was read, and the seeds it is played with. */
export interface Told {
  readonly source: StorySource
  readonly story: Story
  readonly seeds: ReadonlyArray<number>
}

/** Reads every story, or says what is wrong with any. */
export const readStories = Effect.fnUntraced(function* ({
  paths,
  seeds
}: {
  readonly paths: ReadonlyArray<string>
  /** Each story's own seed where they are left out. */
  readonly seeds: ReadonlyArray<number> | undefined
}): Effect.fn.Return<ReadonlyArray<Told>, BadInput> {
  const sources = (yield* Effect.forEach(paths, sourcesAt)).flat()
  const lines: Array<string> = []
  const told: Array<Told> = []
  for (const source of sources) {
    const read = yield* Effect.result(loadStory(source))
    if (read._tag === "Failure")
      lines.push(...read.failure.problems.map((it) => `error: ${storyProblemText(it)}`))
    else told.push({ source, story: read.success, seeds: seeds ?? [read.success.seed ?? 1] })
  }
  return lines.length === 0 ? told : yield* new BadInput({ lines })
})

/** A path is one story; a folder stands for those among the files in it. */
const sourcesAt = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<StorySource>, BadInput> {
  const isThere = yield* Effect.promise(() => stat(path).catch(() => undefined))
  // What is not there is left for its reader to tell.
  if (isModule(path) && isThere?.isFile() === true) return [{ file: path, text: undefined }]
  const files = yield* readTexts(yield* filesIn([path]))
  const sources = files.map(({ name, text }) => ({ file: name, text }))
  if (isThere?.isDirectory() !== true) return sources
  const stories = sources.filter(({ text }) => isStory(text))
  if (stories.length > 0) return stories
  return yield* badInput(`the folder ${JSON.stringify(path)} has no story (kind: Scenario) in it`)
})
