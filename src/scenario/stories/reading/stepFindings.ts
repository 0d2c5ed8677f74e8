import type * as Schema from "effect/Schema"
import { isFields, type Fields } from "../../../kubernetes/meta/fields.ts"
import {
  storyActionNames,
  storyActionSchemas,
  isStoryAction,
  randomFaultSchemas,
  stepFaultSchemas,
  timedFaultSchemas
} from "./storySchema.ts"
import { faultNameHint, faultSchemaNames, isFaultName } from "../../../faults/faultSchemas.ts"
import { nearestWord } from "../../../kubernetes/meta/text/nearestWord.ts"
import { schemaFindings } from "../../../behaviours/schemaFindings.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"

export const stepFindings = (value: unknown, path: DocumentPath): ReadonlyArray<SchemaFinding> => {
  const finding = (message: string, ...below: DocumentPath): SchemaFinding => ({
    path: [...path, ...below],
    message,
    pointsAt: below.length === 0 ? "value" : "name"
  })
  if (!isFields(value)) return [finding("must be a map of fields: when, and one deed or fault")]
  const [action, second] = stepActions(value)
  if (action === undefined) return [missingActionFinding(value, finding)]
  if (second !== undefined)
    return [finding(`is too much beside ${action}: a step does one thing, so make it two steps`, second)]
  const times = ["at", "after", "when"].filter((name) => name in value)
  const [time, other] = times
  return [
    ...(other === undefined
      ? []
      : [finding(`contradicts ${time ?? ""}: a step has one of at, after and when`, other)]),
    ...(!("within" in value) || "when" in value || "waitFor" in value
      ? []
      : [
          finding(
            "is how long to wait, and this step waits for nothing: it goes with when and waitFor",
            "within"
          )
        ]),
    ...(isStoryAction(action)
      ? schemaFindings(storyActionSchemas[action], value, path)
      : faultFindings(value, path, stepFaultSchemas))
  ]
}

/** The action fields of a step; a valid step has one. */
export const stepActions = (step: Fields): ReadonlyArray<string> =>
  Object.keys(step).filter((name) => storyActionNames.includes(name))

/** Problems of a fault with its own time, or of one that may be drawn from the seed. */
export const faultEntryFindings = (
  value: unknown,
  path: DocumentPath,
  kind: "timed" | "random"
): ReadonlyArray<SchemaFinding> =>
  isFields(value)
    ? faultFindings(value, path, kind === "timed" ? timedFaultSchemas : randomFaultSchemas)
    : [{ path, message: "must be a map of fields: fault, and what belongs to it", pointsAt: "value" }]

const faultFindings = (
  value: Fields,
  path: DocumentPath,
  schemas: Readonly<Record<string, Schema.Top>>
): ReadonlyArray<SchemaFinding> => {
  const name = value["fault"]
  const schema = isFaultName(name) ? schemas[name] : undefined
  if (schema !== undefined) return schemaFindings(schema, value, path)
  const what = name === undefined || name === null ? "is required" : `${JSON.stringify(name)} is not known`
  return [{ path: [...path, "fault"], message: `${what}; ${faultNameHint(name)}`, pointsAt: "value" }]
}

const missingActionFinding = (
  value: Fields,
  finding: (message: string, ...below: DocumentPath) => SchemaFinding
): SchemaFinding => {
  for (const name of Object.keys(value)) {
    if (["at", "after", "when", "within"].includes(name)) continue
    const suggestion = nearestWord(name, [...storyActionNames, ...faultSchemaNames])
    if (suggestion === undefined) continue
    return faultSchemaNames.includes(suggestion)
      ? finding(`is not a deed; a fault is written fault: ${suggestion}`, name)
      : finding(`is not a deed; did you mean ${suggestion}?`, name)
  }
  return finding(`does nothing: a step has one of ${storyActionNames.join(", ")}`)
}
