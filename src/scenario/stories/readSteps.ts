import type * as Schema from "effect/Schema"
import { isFields, type Fields } from "../../domain/fields.ts"
import {
  deedNames,
  deedSchemas,
  isDeedName,
  randomFaultSchemas,
  stepFaultSchemas,
  timedFaultSchemas
} from "./storySchema.ts"
import { faultHint, faultNames, isFaultName } from "../../faults/faultSchemas.ts"
import { nearest } from "../../domain/nearest.ts"
import { schemaFindings } from "../../behaviours/findings.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"

/** What is wrong with the fields of one step, whatever comes before it. */
export const stepFindings = (value: unknown, path: FieldPath): ReadonlyArray<Finding> => {
  const at = (message: string, ...below: FieldPath): Finding => ({
    path: [...path, ...below],
    message,
    aim: below.length === 0 ? "value" : "name"
  })
  if (!isFields(value)) return [at("must be a map of fields: when, and one deed or fault")]
  const [deed, second] = deedsOf(value)
  if (deed === undefined) return [deedless(value, at)]
  if (second !== undefined)
    return [at(`is too much beside ${deed}: a step does one thing, so make it two steps`, second)]
  const times = ["at", "after", "when"].filter((name) => name in value)
  const [time, other] = times
  return [
    ...(other === undefined
      ? []
      : [at(`contradicts ${time ?? ""}: a step has one of at, after and when`, other)]),
    ...(!("within" in value) || "when" in value || "waitFor" in value
      ? []
      : [
          at("is how long to wait, and this step waits for nothing: it goes with when and waitFor", "within")
        ]),
    ...(isDeedName(deed)
      ? schemaFindings(deedSchemas[deed], value, path)
      : faultFindings(value, path, stepFaultSchemas))
  ]
}

/** What a step says that it does: one thing, where it is as it should be. */
export const deedsOf = (step: Fields): ReadonlyArray<string> =>
  Object.keys(step).filter((name) => deedNames.includes(name))

/** What is wrong with a fault that comes at a time of its own, or that may be drawn from the seed. */
export const loneFaultFindings = (
  value: unknown,
  path: FieldPath,
  kind: "timed" | "random"
): ReadonlyArray<Finding> =>
  isFields(value)
    ? faultFindings(value, path, kind === "timed" ? timedFaultSchemas : randomFaultSchemas)
    : [{ path, message: "must be a map of fields: fault, and what belongs to it", aim: "value" }]

const faultFindings = (
  value: Fields,
  path: FieldPath,
  schemas: Readonly<Record<string, Schema.Top>>
): ReadonlyArray<Finding> => {
  const name = value["fault"]
  const schema = isFaultName(name) ? schemas[name] : undefined
  if (schema !== undefined) return schemaFindings(schema, value, path)
  const what = name === undefined || name === null ? "is required" : `${JSON.stringify(name)} is not known`
  return [{ path: [...path, "fault"], message: `${what}; ${faultHint(name)}`, aim: "value" }]
}

const deedless = (value: Fields, at: (message: string, ...below: FieldPath) => Finding): Finding => {
  for (const name of Object.keys(value)) {
    if (["at", "after", "when", "within"].includes(name)) continue
    const meant = nearest(name, [...deedNames, ...faultNames])
    if (meant === undefined) continue
    return faultNames.includes(meant)
      ? at(`is not a deed; a fault is written fault: ${meant}`, name)
      : at(`is not a deed; did you mean ${meant}?`, name)
  }
  return at(`does nothing: a step has one of ${deedNames.join(", ")}`)
}
