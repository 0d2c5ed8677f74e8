import { compareTexts } from "./compareTexts.ts"
import { isFields } from "../fields.ts"

/** Sorts keys as Go does. A JavaScript object cannot be sorted so: it lists `9` before `10`. */
export const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item)).join(",")}]`
  if (!isFields(value)) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => compareTexts(a, b))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${sortedJson(field)}`).join(",")}}`
}
