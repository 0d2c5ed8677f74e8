import { isFields } from "../../domain/fields.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"

/**
 * The value without its parts that have findings; undefined if the value itself has one. List items keep their
 * index.
 */
export const soundPart = (value: unknown, path: FieldPath, findings: ReadonlyArray<Finding>): unknown => {
  const ownFindings = findings.filter((item) => path.every((part, index) => item.path[index] === part))
  if (ownFindings.length === 0) return value
  if (ownFindings.some((item) => item.path.length === path.length)) return undefined
  if (Array.isArray(value))
    return value.map((item: unknown, index): unknown => soundPart(item, [...path, index], ownFindings))
  if (!isFields(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [
    name,
    soundPart(item, [...path, name], ownFindings)
  ])
  return Object.fromEntries(fields.filter(([, item]) => item !== undefined))
}
