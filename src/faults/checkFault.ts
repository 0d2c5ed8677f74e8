import { findingText, schemaFindings } from "../behaviours/findings.ts"
import { isFields } from "../domain/fields.ts"
import { formatDuration } from "../domain/durations.ts"
import { faultHint, faultSchemas, isFaultName } from "./faultSchemas.ts"
import { FaultRefused } from "./faultWorld.ts"
import type { Fields } from "../domain/fields.ts"
import type { Fault } from "./fault.ts"

/** Validates a fault given in code, whose times may be in milliseconds. */
export const checkFault = (given: unknown): Fault | FaultRefused =>
  readFault(isFields(given) ? asWritten(given) : given)

/** Validates a fault as files have it. */
export const readFault = (given: unknown): Fault | FaultRefused => {
  if (!isFields(given)) {
    const why = 'a fault is a map of fields, such as { fault: "nodeLost", node: "node-1" }'
    return new FaultRefused({ fault: Array.isArray(given) ? "[…]" : String(given), why })
  }
  const { fault: name } = given
  if (!isFaultName(name)) {
    return new FaultRefused({ fault: String(name), why: `there is no such fault: ${faultHint(name)}` })
  }
  const findings = schemaFindings(faultSchemas[name], given, [])
  // The schema has passed.
  if (findings.length === 0) return given as object as Fault
  return new FaultRefused({ fault: name, why: findings.map(findingText).join("; ") })
}

/** As JSON would have it, with durations as text: code may set a field to undefined. */
const asWritten = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === undefined) return []
      if (typeof value === "number" && Number.isFinite(value) && times.has(name)) {
        return [[name, formatDuration(value)]]
      }
      return [[name, isFields(value) ? asWritten(value) : value]]
    })
  )

const times: ReadonlySet<string> = new Set(["for", "by", "ready", "unready"])
