import { stringify } from "yaml"
import { behaviourApiVersion } from "../behaviours/behaviour.ts"
import type { Story } from "./stories/story.ts"

/** A story as the YAML that is read as it; undefined where it has a predicate of TypeScript in it, which is no text. */
export const storyYaml = (story: Story): string | undefined => {
  const spec = Object.fromEntries(
    fields.flatMap((field) => (story[field] === undefined ? [] : [[field, story[field]]]))
  )
  let isText = true
  JSON.stringify(spec, (_key, value: unknown) => {
    isText &&= typeof value !== "function"
    return value
  })
  if (!isText) return undefined
  const document = { apiVersion: behaviourApiVersion, kind: "Scenario", metadata: { name: story.name }, spec }
  return stringify(document, { lineWidth: 100, aliasDuplicateObjects: false })
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
  "limit"
] as const satisfies ReadonlyArray<keyof Story>
