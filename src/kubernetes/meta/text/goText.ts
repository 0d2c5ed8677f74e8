import { isFields } from "../fields.ts"

/** As Go prints a value with `%v`. */
export const goText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`
  if (isFields(value)) {
    const keys = Object.keys(value).toSorted()
    return `map[${keys.map((key) => `${key}:${goText(value[key])}`).join(" ")}]`
  }
  if (typeof value === "string") return value
  return value === null ? "<nil>" : JSON.stringify(value)
}
