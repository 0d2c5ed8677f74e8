import { findingText, schemaFindings } from "../behaviours/schemaFindings.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import { faultNameHint, faultSchemas, isFaultName } from "./schemas/faultSchemas.ts"
import { durationFieldNames } from "./schemas/faultFields.ts"
import { FaultRefused } from "./faultRefused.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { Fault } from "./fault.ts"

/** Validates a fault given in code, where durations may be milliseconds. */
export const checkFault = (input: unknown): Fault | FaultRefused =>
  readFault(isFields(input) ? withDurationTexts(input) : input)

/** Validates a fault from JSON or YAML. */
export const readFault = (input: unknown): Fault | FaultRefused => {
  if (!isFields(input)) {
    const why = 'a fault is a map of fields, such as { fault: "nodeLost", node: "node-1" }'
    return new FaultRefused({ fault: Array.isArray(input) ? "[…]" : String(input), why })
  }
  const { fault: name } = input
  if (!isFaultName(name)) {
    return new FaultRefused({ fault: String(name), why: `there is no such fault: ${faultNameHint(name)}` })
  }
  const findings = schemaFindings(faultSchemas[name], input)
  if (findings.length === 0) return input as object as Fault
  return new FaultRefused({ fault: name, why: findings.map(findingText).join("; ") })
}

const withDurationTexts = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === undefined) return []
      if (typeof value === "number" && Number.isFinite(value) && durationFields.has(name)) {
        return [[name, formatDuration(value)]]
      }
      return [[name, isFields(value) ? withDurationTexts(value) : value]]
    })
  )

const durationFields: ReadonlySet<string> = new Set(durationFieldNames)
