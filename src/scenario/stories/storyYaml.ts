import { stringify } from "yaml"
import { behaviourApiVersion } from "../../behaviours/behaviour.ts"
import type { Story } from "./story.ts"

/** A story as the YAML that is read as it, where it is text throughout; a predicate of TypeScript is only named. */
export const storyYaml = (story: Story): string => {
  const spec = Object.fromEntries(
    fields.flatMap((field) => (story[field] === undefined ? [] : [[field, story[field]]]))
  )
  const document = { apiVersion: behaviourApiVersion, kind: "Scenario", metadata: { name: story.name }, spec }
  const named = (_key: unknown, value: unknown): unknown =>
    typeof value === "function" ? "(a predicate of TypeScript)" : value
  return stringify(document, named, {
    lineWidth: 100,
    // A newline in a quoted text is `\n`, so that the text begins no line of the document.
    doubleQuotedMinMultiLineLength: Infinity,
    aliasDuplicateObjects: false
  })
}

/** Whether YAML can say all of a story. */
export const isText = (story: Story): boolean => {
  let hasPredicate = false
  JSON.stringify(story, (_key, value: unknown) => {
    hasPredicate ||= typeof value === "function"
    return value
  })
  return !hasPredicate
}

/** As a person would tell it: what there is, what happens, what must hold. */
const fields = [
  "description",
  "seed",
  "nodes",
  "behaviour",
  "behaviours",
  "start",
  "steps",
  "faults",
  "weather",
  "invariants",
  "expectFailure",
  "limit"
] as const satisfies ReadonlyArray<keyof Story>
