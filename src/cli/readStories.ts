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

export interface Told {
  readonly source: StorySource
  readonly story: Story
  readonly seeds: ReadonlyArray<number>
}

/** Fails with the problems of all stories. */
export const readStories = Effect.fnUntraced(function* ({
  paths,
  seeds
}: {
  readonly paths: ReadonlyArray<string>
  /** By default each story's own seed, or 1. */
  readonly seeds: ReadonlyArray<number> | undefined
}): Effect.fn.Return<ReadonlyArray<Told>, BadInput> {
  const sources = (yield* Effect.forEach(paths, sourcesAt)).flat()
  const lines: Array<string> = []
  const stories: Array<Told> = []
  for (const source of sources) {
    const result = yield* Effect.result(loadStory(source))
    if (result._tag === "Failure")
      lines.push(...result.failure.problems.map((it) => `error: ${storyProblemText(it)}`))
    else stories.push({ source, story: result.success, seeds: seeds ?? [result.success.seed ?? 1] })
  }
  return lines.length === 0 ? stories : yield* new BadInput({ lines })
})

/** A file is one story; of a folder, all stories in it. */
const sourcesAt = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<StorySource>, BadInput> {
  const isThere = yield* Effect.promise(() => stat(path).catch(() => undefined))
  // Reading a missing file reports the error.
  if (isModule(path) && isThere?.isFile() === true) return [{ file: path, text: undefined }]
  const files = yield* readTexts(yield* filesIn([path]))
  const sources = files.map(({ name, text }) => ({ file: name, text }))
  if (isThere?.isDirectory() !== true) return sources
  const stories = sources.filter(({ text }) => isStory(text))
  if (stories.length > 0) return stories
  return yield* badInput(`the folder ${JSON.stringify(path)} has no story (kind: Scenario) in it`)
})
