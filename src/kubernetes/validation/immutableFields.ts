import { isSemanticallyEqual } from "../meta/semanticEquality.ts"
import { immutableField, noErrors, type FieldErrors } from "./fieldErrors.ts"
import { isEqualIgnoringEmpty } from "./structuralSharing.ts"

/**
 * Unlike Kubernetes, the message shows the API's field names, not those of Go structs. Source: objectmeta.go
 * (ValidateImmutableField).
 */
export const validateUnchanged = (value: unknown, old: unknown, path: string): FieldErrors =>
  isUnchanged(value, old) ? noErrors : [immutableField(path, value)]

export const isUnchanged = (value: unknown, old: unknown): boolean => isSemanticallyEqual(value, old)

export const validateUnchangedFields = <T extends object>(
  spec: T,
  old: T,
  { path, fields }: { readonly path: string; readonly fields: ReadonlyArray<keyof T & string> }
): FieldErrors => fields.flatMap((field) => validateUnchanged(spec[field], old[field], `${path}.${field}`))

/** Unlike Kubernetes, the difference is JSON per field, not a diff of Go structs. */
export const describeChange = (before: object, after: object): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const updated = new Map<string, unknown>(Object.entries(after))
  const stored = new Map<string, unknown>(Object.entries(before))
  for (const field of [...new Set([...stored.keys(), ...updated.keys()])].sort()) {
    const [storedValue, updatedValue] = [stored.get(field), updated.get(field)]
    // Differences in empty lists and maps alone, or in the notation of quantities alone, do not count.
    if (isEqualIgnoringEmpty(updatedValue, storedValue) || isUnchanged(updatedValue, storedValue)) continue
    if (storedValue !== undefined) lines.push(`- ${field}: ${JSON.stringify(storedValue)}`)
    if (updatedValue !== undefined) lines.push(`+ ${field}: ${JSON.stringify(updatedValue)}`)
  }
  return lines
}
