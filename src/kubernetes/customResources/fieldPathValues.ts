import { isFields, type Fields } from "../meta/fields.ts"

const fieldNamesIn = (path: string): ReadonlyArray<string> => path.split(".").filter((part) => part !== "")

/** The path is for example `.spec.replicas`. */
export const valueAtFieldPath = (object: unknown, path: string): unknown =>
  fieldNamesIn(path).reduce<unknown>(
    (value, part) => (isFields(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    object
  )

export const withValueAtFieldPath = (object: Fields, path: string, value: unknown): Fields => {
  const [first, ...rest] = fieldNamesIn(path)
  if (first === undefined) return object
  const inner = Object.hasOwn(object, first) ? object[first] : undefined
  const next =
    rest.length === 0 ? value : withValueAtFieldPath(isFields(inner) ? inner : {}, rest.join("."), value)
  return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== first), [first, next]])
}
