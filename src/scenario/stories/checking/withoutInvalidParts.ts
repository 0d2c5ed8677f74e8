import { isFields } from "../../../kubernetes/meta/fields.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"

/** Invalid list items become undefined, so that the others keep their index. */
export const withoutInvalidParts = (
  value: unknown,
  path: DocumentPath,
  findings: ReadonlyArray<SchemaFinding>
): unknown => {
  const inner = findings.filter((finding) => path.every((part, index) => finding.path[index] === part))
  if (inner.length === 0) return value
  if (inner.some((finding) => finding.path.length === path.length)) return undefined
  if (Array.isArray(value))
    return value.map((item: unknown, index): unknown => withoutInvalidParts(item, [...path, index], inner))
  if (!isFields(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [
    name,
    withoutInvalidParts(item, [...path, name], inner)
  ])
  return Object.fromEntries(fields.filter(([, item]) => item !== undefined))
}
