import { findingText } from "../../behaviours/findings.ts"
import { isFields } from "../../domain/fields.ts"
import { judgeStory } from "./judgeStory.ts"
import { nowhere } from "../../manifests/manifest.ts"
import { storyApiVersion } from "./storySchema.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { Fields } from "../../domain/fields.ts"
import type { Story } from "./story.ts"

/**
 * What is wrong with a story that somebody wrote in code, where the compiler may have looked at it or not: told by the
 * path of the field, as a file's would be.
 */
export const storyProblems = (story: Story): ReadonlyArray<string> => {
  if (!isFields(story)) return [`a story must be an object, not ${JSON.stringify(story)}`]
  const { name, ...spec } = story
  const value = {
    apiVersion: storyApiVersion,
    kind: "Scenario",
    metadata: { name },
    spec: withoutHoles(spec)
  }
  const document = { document: 1, ...nowhere, value, repeated: [], placeOf: () => nowhere }
  const { findings, problems } = judgeStory(value, { file: "story", files: new Map(), document })
  return [...unlistedIn(story), ...findings.map(problemOf), ...problems.map(({ message }) => message)]
}

/** Where a file may have one object, code has a list of one. */
const unlistedIn = ({ start, steps }: Fields): ReadonlyArray<string> => {
  const applied = Array.isArray(steps)
    ? steps.map(
        (step: unknown, index) =>
          [`steps[${index}].apply`, isFields(step) ? step["apply"] : undefined] as const
      )
    : []
  return [["start", start] as const, ...applied].flatMap(([path, value]) =>
    isFields(value) ? [`${path} must be a list of objects`] : []
  )
}

/** Whoever writes code has neither metadata nor a spec. */
const problemOf = (finding: Finding): string =>
  findingText({ ...finding, path: finding.path.slice(finding.path.length > 1 ? 1 : 0) })

/** For a predicate stands a line that may be said anywhere; what is undefined was left out. */
const withoutHoles = (value: unknown): unknown => {
  if (typeof value === "function") return "deployment/none is gone"
  if (Array.isArray(value)) return value.map(withoutHoles)
  if (!isFields(value)) return value
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(fields.map(([field, inner]) => [field, withoutHoles(inner)]))
}
