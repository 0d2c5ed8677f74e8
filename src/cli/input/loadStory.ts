import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { readStory } from "../../scenario/stories/reading/readStory.ts"
import { storyProblems } from "../../scenario/stories/checking/storyProblems.ts"
import { StoryRefused } from "../../scenario/stories/storyRefused.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { Story } from "../../scenario/stories/story.ts"

/** The story can be sent to another thread, which imports a module anew. */
export interface StoryFile {
  readonly file: string
  /** Undefined for a module. */
  readonly text: string | undefined
}

export const isModuleFile = (file: string): boolean => /\.[cm]?[jt]s$/.test(file)

export const loadStory = ({ file, text }: StoryFile): Effect.Effect<Story, StoryRefused> =>
  text === undefined ? importStory(file) : readStory(text, file)

const importStory = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Story, StoryRefused> {
  const toRefusal = (...messages: ReadonlyArray<string>): StoryRefused =>
    new StoryRefused({ problems: messages.map((message) => ({ file, line: 0, column: 0, message })) })
  const module: unknown = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(resolve(file)).href),
    catch: (cause) => toRefusal(`it cannot be imported: ${systemErrorText(cause)}`)
  })
  const story = isFields(module) ? module["story"] : undefined
  if (!isStoryObject(story)) return yield* toRefusal("it exports no `story` with a name and steps")
  // The types of a JavaScript module are checked here.
  const problems = storyProblems(story)
  return problems.length === 0 ? story : yield* toRefusal(...problems)
})

const isStoryObject = (value: unknown): value is Story =>
  isFields(value) && typeof value["name"] === "string" && Array.isArray(value["steps"])
