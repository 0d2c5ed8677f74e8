import { stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { readTextFiles } from "../input/textFiles.ts"
import { BadInput, badInput } from "../input/badInput.ts"
import { manifestSources } from "../input/manifestSources.ts"
import { isModuleFile, loadStory } from "../input/loadStory.ts"
import { isStoryText } from "../../scenario/stories/reading/readStory.ts"
import { storyProblemText } from "../../scenario/stories/storyRefused.ts"
import type { Story } from "../../scenario/stories/story.ts"
import type { StoryFile } from "../input/loadStory.ts"

export interface SeededStory {
  readonly source: StoryFile
  readonly story: Story
  readonly seeds: ReadonlyArray<number>
}

export const readStories = Effect.fnUntraced(function* ({
  paths,
  seeds
}: {
  readonly paths: ReadonlyArray<string>
  /** By default each story's own seed, or 1. */
  readonly seeds: ReadonlyArray<number> | undefined
}): Effect.fn.Return<ReadonlyArray<SeededStory>, BadInput> {
  const sources = (yield* Effect.forEach(paths, sourcesAt)).flat()
  const lines: Array<string> = []
  const stories: Array<SeededStory> = []
  for (const source of sources) {
    const result = yield* Effect.result(loadStory(source))
    if (result._tag === "Failure")
      lines.push(...result.failure.problems.map((it) => `error: ${storyProblemText(it)}`))
    else stories.push({ source, story: result.success, seeds: seeds ?? [result.success.seed ?? 1] })
  }
  return lines.length === 0 ? stories : yield* new BadInput({ lines })
})

const sourcesAt = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<StoryFile>, BadInput> {
  const stats = yield* Effect.promise(() => stat(path).catch(() => undefined))
  // Reading a missing file reports the error.
  if (isModuleFile(path) && stats?.isFile() === true) return [{ file: path, text: undefined }]
  const files = yield* readTextFiles(yield* manifestSources({ files: [path] }))
  const sources = files.map(({ name, text }) => ({ file: name, text }))
  if (stats?.isDirectory() !== true) return sources
  const stories = sources.filter(({ text }) => isStoryText(text))
  if (stories.length > 0) return stories
  return yield* badInput(`the folder ${JSON.stringify(path)} has no story (kind: Scenario) in it`)
})
