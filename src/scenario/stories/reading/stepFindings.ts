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
import { faultNameHint, faultSchemaNames, isFaultName } from "../../../faults/schemas/faultSchemas.ts"
import { nearestWord } from "../../../kubernetes/meta/text/nearestWord.ts"
import { schemaFindings } from "../../../behaviours/schemaFindings.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"

export const stepFindings = (value: unknown, path: DocumentPath): ReadonlyArray<SchemaFinding> => {
  const toFinding = (message: string, ...below: DocumentPath): SchemaFinding => ({
    path: [...path, ...below],
    message,
    fieldPart: below.length === 0 ? "value" : "name"
  })
  if (!isFields(value))
    return [toFinding("must be a map of fields: at, after or when, and one action or fault")]
  const [action, secondAction] = stepActions(value)
  if (action === undefined) return [missingActionFinding(value, toFinding)]
  if (secondAction !== undefined)
    return [
      toFinding(`cannot stand beside ${action}: a step does one thing, so make it two steps`, secondAction)
    ]
  const timeFields = ["at", "after", "when"].filter((name) => name in value)
  const [firstTime, secondTime] = timeFields
  return [
    ...(secondTime === undefined
      ? []
      : [toFinding(`contradicts ${firstTime ?? ""}: a step has one of at, after and when`, secondTime)]),
    ...(!("within" in value) || "when" in value || "waitFor" in value
      ? []
      : [
          toFinding(
            "is how long to wait, and this step waits for nothing: it goes with when and waitFor",
            "within"
          )
        ]),
    ...(isStoryAction(action)
      ? schemaFindings(storyActionSchemas[action], value, path)
      : faultFindings(value, path, stepFaultSchemas))
  ]
}

export const stepActions = (step: Fields): ReadonlyArray<string> =>
  Object.keys(step).filter((name) => storyActionNames.includes(name))

/** Problems of a fault in `faults` (timed) or `weather` (random). */
export const faultEntryFindings = (
  value: unknown,
  path: DocumentPath,
  kind: "timed" | "random"
): ReadonlyArray<SchemaFinding> =>
  isFields(value)
    ? faultFindings(value, path, kind === "timed" ? timedFaultSchemas : randomFaultSchemas)
    : [{ path, message: "must be a map of fields: fault, and what belongs to it", fieldPart: "value" }]

const faultFindings = (
  value: Fields,
  path: DocumentPath,
  schemas: Readonly<Record<string, Schema.Top>>
): ReadonlyArray<SchemaFinding> => {
  const name = value["fault"]
  const schema = isFaultName(name) ? schemas[name] : undefined
  if (schema !== undefined) return schemaFindings(schema, value, path)
  const what = name === undefined || name === null ? "is required" : `${JSON.stringify(name)} is not known`
  return [{ path: [...path, "fault"], message: `${what}; ${faultNameHint(name)}`, fieldPart: "value" }]
}

const missingActionFinding = (
  value: Fields,
  toFinding: (message: string, ...below: DocumentPath) => SchemaFinding
): SchemaFinding => {
  for (const name of Object.keys(value)) {
    if (["at", "after", "when", "within"].includes(name)) continue
    const suggestion = nearestWord(name, [...storyActionNames, ...faultSchemaNames])
    if (suggestion === undefined) continue
    return faultSchemaNames.includes(suggestion)
      ? toFinding(`is no action; a fault is written fault: ${suggestion}`, name)
      : toFinding(`is no action; did you mean ${suggestion}?`, name)
  }
  return toFinding(`does nothing: a step has one of ${storyActionNames.join(", ")}`)
}
