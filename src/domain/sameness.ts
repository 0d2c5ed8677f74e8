import { isFields } from "./fields.ts"
import { parseQuantity } from "./quantity.ts"

/**
 * When two values are the same to Kubernetes: no list and an empty one are, no map and an empty one are, and amounts
 * are compared by value. Our objects carry no types, so what is a map or an amount is known by the field's name.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/api/equality/semantic.go.
 */
export const isSameValue = (a: unknown, b: unknown, field = ""): boolean => {
  if (a === b) return true
  if (isNothing(field, a) && isNothing(field, b)) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, place) => isSameValue(item, b[place]))
  }
  if (!isFields(a) || !isFields(b)) return quantityFields.has(field) && quantityText(a) === quantityText(b)
  const amounts = quantityMaps.has(field)
  for (const key in a) {
    if (a[key] === b[key]) continue
    if (amounts ? quantityText(a[key]) !== quantityText(b[key]) : !isSameValue(a[key], b[key], key))
      return false
  }
  for (const key in b) if (!Object.hasOwn(a, key) && !isNothing(key, b[key])) return false
  return true
}

/** Fields that are maps in Kubernetes: an empty one is the same as none. Elsewhere `{}` is a struct that is there. */
const mapFields: ReadonlySet<string> = new Set([
  "annotations",
  "binaryData",
  "data",
  "labels",
  "limits",
  "matchLabels",
  "nodeSelector",
  "overhead",
  "requests"
])

/** Whether a field's value says no more than the field left out. */
export const isNothing = (field: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" && mapFields.has(field) && Object.keys(value).length === 0)

/** Maps whose values are amounts, and fields that are amounts themselves. */
export const quantityMaps: ReadonlySet<string> = new Set(["limits", "overhead", "requests"])
export const quantityFields: ReadonlySet<string> = new Set(["divisor", "sizeLimit"])

/** One text for all ways to write an amount; what is no amount is left as it is. */
export const quantityText = (value: unknown): string => {
  const quantity = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined
  return JSON.stringify(quantity === undefined ? value : `${quantity.nanos}n`)
}
