import { isFields } from "./fields.ts"
import { parseQuantity } from "./amounts/quantity.ts"

/**
 * An empty list or map equals a missing one. The names of fields tell maps and quantities from other values. Only
 * quantities of a Pod's spec are known. Source: semantic.go.
 */
export const isSemanticallyEqual = (a: unknown, b: unknown): boolean => isSame(a, b, "", isSameQuantity)

/** `field`: the name of the field that holds both values. */
export const isFieldSemanticallyEqual = (field: string, a: unknown, b: unknown): boolean =>
  isSame(a, b, field, isSameQuantity)

/**
 * Like `isSemanticallyEqual`, but a quantity in another unit is a change. Source: etcd3/store.go (GuaranteedUpdate).
 */
export const isEqualAsStored = (a: unknown, b: unknown): boolean => isSame(a, b, "", isNeverSameQuantity)

type CompareQuantities = (a: unknown, b: unknown) => boolean

const isSameQuantity: CompareQuantities = (a, b) => canonicalQuantityText(a) === canonicalQuantityText(b)
const isNeverSameQuantity: CompareQuantities = () => false

const isSame = (a: unknown, b: unknown, field: string, isSameAmount: CompareQuantities): boolean => {
  if (a === b) return true
  if (isEmptyValue(field, a) && isEmptyValue(field, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index], "", isSameAmount))
  if (!isFields(a) || !isFields(b)) return podQuantityFields.has(field) && isSameAmount(a, b)
  const isQuantityMap = podQuantityMapFields.has(field)
  for (const key in a) {
    if (a[key] === b[key]) continue
    if (isQuantityMap ? !isSameAmount(a[key], b[key]) : !isSame(a[key], b[key], key, isSameAmount))
      return false
  }
  for (const key in b) if (!Object.hasOwn(a, key) && !isEmptyValue(key, b[key])) return false
  return true
}

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

export const isEmptyValue = (field: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" && mapFields.has(field) && Object.keys(value).length === 0)

export const podQuantityMapFields: ReadonlySet<string> = new Set(["limits", "overhead", "requests"])
export const podQuantityFields: ReadonlySet<string> = new Set(["divisor", "sizeLimit"])

/** Equal quantities give equal texts; other values give their JSON. */
export const canonicalQuantityText = (value: unknown): string => {
  const quantity = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined
  return JSON.stringify(quantity === undefined ? value : `${quantity.nanos}n`)
}
