import { stringify } from "yaml"
import { behaviourApiVersion } from "../../../behaviours/behaviour.ts"
import type { Story } from "../story.ts"

export const storyYaml = (story: Story): string => {
  const spec = Object.fromEntries(
    fieldsInOrder.flatMap((field) => (story[field] === undefined ? [] : [[field, story[field]]]))
  )
  const document = { apiVersion: behaviourApiVersion, kind: "Scenario", metadata: { name: story.name }, spec }
  const withPlaceholders = (_key: unknown, value: unknown): unknown =>
    typeof value === "function" ? "(a predicate of TypeScript)" : value
  return stringify(document, withPlaceholders, {
    lineWidth: 100,
    // Newlines as `\n`, so that no line of a string looks like YAML.
    doubleQuotedMinMultiLineLength: Infinity,
    aliasDuplicateObjects: false
  })
}

/** YAML cannot express predicates. */
export const isExpressibleInYaml = (story: Story): boolean => {
  let hasPredicate = false
  JSON.stringify(story, (_key, value: unknown) => {
    hasPredicate ||= typeof value === "function"
    return value
  })
  return !hasPredicate
}

const fieldsInOrder = [
  "description",
  "seed",
  "nodes",
  "startTime",
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
