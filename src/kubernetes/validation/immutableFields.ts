import { isSameValue } from "../meta/semanticEquality.ts"
import { immutableField, noErrors, type FieldErrors } from "./fieldErrors.ts"
import { isSemanticallyEqual } from "./structuralSharing.ts"

/**
 * Refuses a change. Unlike Kubernetes, the message shows an object with the API's field names, not those of Go structs.
 * Source: staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go (ValidateImmutableField).
 */
export const validateUnchanged = (value: unknown, old: unknown, path: string): FieldErrors =>
  isUnchanged(value, old) ? noErrors : [immutableField(path, value)]

/**
 * Whether two values are equal, apart from the notation of quantities and from empty lists and maps that are missing.
 */
export const isUnchanged = (value: unknown, old: unknown): boolean => isSameValue(value, old)

/** Refuses a change of any of the fields of a spec, in the order given. */
export const validateFixedFields = <T extends object>(
  spec: T,
  old: T,
  { path, fields }: { readonly path: string; readonly fields: ReadonlyArray<keyof T & string> }
): FieldErrors => fields.flatMap((field) => validateUnchanged(spec[field], old[field], `${path}.${field}`))

/** The lines of a difference. Unlike Kubernetes, it is JSON per field, not a diff of Go structs. */
export const describeChange = (before: object, after: object): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const updated = new Map<string, unknown>(Object.entries(after))
  const stored = new Map<string, unknown>(Object.entries(before))
  for (const field of [...new Set([...stored.keys(), ...updated.keys()])].sort()) {
    const [storedValue, updatedValue] = [stored.get(field), updated.get(field)]
    // Values are the same that differ in empty lists and maps alone, or in the notation of quantities alone.
    if (isSemanticallyEqual(updatedValue, storedValue) || isUnchanged(updatedValue, storedValue)) continue
    if (storedValue !== undefined) lines.push(`- ${field}: ${JSON.stringify(storedValue)}`)
    if (updatedValue !== undefined) lines.push(`+ ${field}: ${JSON.stringify(updatedValue)}`)
  }
  return lines
}
