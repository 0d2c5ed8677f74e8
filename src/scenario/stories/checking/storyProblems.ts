import { findingText } from "../../../behaviours/schemaFindings.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { checkStory } from "./checkStory.ts"
import { noPosition } from "../../../manifests/manifestDocument.ts"
import { storyApiVersion } from "../reading/storySchema.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { Fields } from "../../../kubernetes/meta/fields.ts"
import type { Story } from "../story.ts"

/** Programs may pass any value. */
export const storyProblems = (story: Story): ReadonlyArray<string> => {
  if (!isFields(story)) return [`a story must be an object, not ${JSON.stringify(story)}`]
  const { name, ...spec } = story
  const value = {
    apiVersion: storyApiVersion,
    kind: "Scenario",
    metadata: { name },
    spec: toPlainData(spec)
  }
  // A document without a text has no duplicate fields and no positions.
  const documentNumber = 1
  const document = {
    document: documentNumber,
    ...noPosition,
    value,
    duplicates: [],
    placeOf: () => noPosition
  }
  const { findings, problems } = checkStory(value, { file: "story", files: new Map(), document })
  return [...listProblems(story), ...findings.map(problemText), ...problems.map(({ message }) => message)]
}

/** YAML allows a single object where TypeScript needs a list. */
const listProblems = ({ start, steps }: Fields): ReadonlyArray<string> => {
  const appliedValues = Array.isArray(steps)
    ? steps.map(
        (step: unknown, index) =>
          [`steps[${index}].apply`, isFields(step) ? step["apply"] : undefined] as const
      )
    : []
  return [["start", start] as const, ...appliedValues].flatMap(([path, value]) =>
    isFields(value) ? [`${path} must be a list of objects`] : []
  )
}

/** The story of a program has no `spec`. */
const problemText = (finding: SchemaFinding): string =>
  findingText({ ...finding, path: finding.path.slice(finding.path.length > 1 ? 1 : 0) })

/** YAML has no predicates: each becomes a valid condition. */
const toPlainData = (value: unknown): unknown => {
  if (typeof value === "function") return "deployment/none is gone"
  if (Array.isArray(value)) return value.map(toPlainData)
  if (!isFields(value)) return value
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(fields.map(([field, inner]) => [field, toPlainData(inner)]))
}
