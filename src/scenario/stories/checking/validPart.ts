import { isFields } from "../../../kubernetes/meta/fields.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"

/**
 * The value without its parts that have findings; undefined if the value itself has one. List items keep their
 * index.
 */
export const validPart = (
  value: unknown,
  path: DocumentPath,
  findings: ReadonlyArray<SchemaFinding>
): unknown => {
  const ownFindings = findings.filter((item) => path.every((part, index) => item.path[index] === part))
  if (ownFindings.length === 0) return value
  if (ownFindings.some((item) => item.path.length === path.length)) return undefined
  if (Array.isArray(value))
    return value.map((item: unknown, index): unknown => validPart(item, [...path, index], ownFindings))
  if (!isFields(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [
    name,
    validPart(item, [...path, name], ownFindings)
  ])
  return Object.fromEntries(fields.filter(([, item]) => item !== undefined))
}
