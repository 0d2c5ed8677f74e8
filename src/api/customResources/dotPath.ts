import { isFields, type Fields } from "../../domain/fields.ts"

/** A path of fields as `.spec.replicas` writes it. */
const partsOf = (path: string): ReadonlyArray<string> => path.split(".").filter((part) => part !== "")

/** What is at a path of fields; undefined where nothing is. */
export const valueAt = (object: unknown, path: string): unknown =>
  partsOf(path).reduce<unknown>(
    (value, part) => (isFields(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    object
  )

/** The object with another value at a path of fields. */
export const withValueAt = (object: Fields, path: string, value: unknown): Fields => {
  const [first, ...rest] = partsOf(path)
  if (first === undefined) return object
  const inner = Object.hasOwn(object, first) ? object[first] : undefined
  const next = rest.length === 0 ? value : withValueAt(isFields(inner) ? inner : {}, rest.join("."), value)
  return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== first), [first, next]])
}
