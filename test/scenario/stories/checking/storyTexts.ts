import { join } from "node:path"
import * as Effect from "effect/Effect"
import { readStory } from "../../../../src/scenario/stories/reading/readStory.ts"

/** The folder of the stories and the files that they name. */
export const folder = join(import.meta.dirname, "files")

/** A story's text: its spec begins in line 4, in the third column. */
export const story = (spec: string): string =>
  `apiVersion: charthouse.dev/v1
kind: Scenario
metadata: {name: bad}
spec:
${spec}`

export const readText = (text: string) =>
  Effect.runPromise(Effect.result(readStory(text, join(folder, "story.yaml"))))

/** Every problem as `line:column words`, or `file:line:column words` in another file. */
export const problemsOf = async (text: string): Promise<ReadonlyArray<string>> => {
  const result = await readText(text)
  if (result._tag === "Success") return []
  return result.failure.message
    .split("\n")
    .map((line) => line.replace(`${folder}/story.yaml:`, "").replace(`${folder}/`, ""))
}

export const storyWithWeb = (steps: string, more = ""): string =>
  story(`${more}  start: web.yaml\n  steps:\n${steps}`)
