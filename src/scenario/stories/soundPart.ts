import { isFields } from "../../domain/fields.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"

/**
 * What is left of a value when all is taken out in which something was found; undefined where that is the value itself.
 * Of a list nothing moves up.
 */
export const soundPart = (value: unknown, path: FieldPath, findings: ReadonlyArray<Finding>): unknown => {
  const within = findings.filter((it) => path.every((part, index) => it.path[index] === part))
  if (within.length === 0) return value
  if (within.some((it) => it.path.length === path.length)) return undefined
  if (Array.isArray(value))
    return value.map((it: unknown, index): unknown => soundPart(it, [...path, index], within))
  if (!isFields(value)) return value
  const fields = Object.entries(value).map(([name, it]) => [name, soundPart(it, [...path, name], within)])
  return Object.fromEntries(fields.filter(([, it]) => it !== undefined))
}
