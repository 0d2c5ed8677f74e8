import { memoizeUpTo } from "../../meta/text/memoizeUpTo.ts"
import { compareTexts } from "../../meta/text/compareTexts.ts"
import { isFields } from "../../meta/fields.ts"
import type { FieldPath, FieldSet, PathElement } from "./fieldSet.ts"

/** The caches have limits, because clients choose names and keys. */
const cachedElementsMax = 4096
const cachedKeyFieldsMax = 64

/** The length of `f:`, `k:`, `v:` and `i:`. */
export const elementPrefixLength = 2

/**
 * Equal elements are one string, because map look-ups are then faster. Source:
 * sigs.k8s.io/structured-merge-diff/fieldpath (element.go, serialize-pe.go).
 */
export const fieldElement = memoizeUpTo(cachedElementsMax, (name: string): PathElement => `f:${name}`)

export const singleKeyElement = (field: string, value: string): PathElement => elementByValue(field)(value)

const elementByValue = memoizeUpTo(cachedKeyFieldsMax, (field: string) =>
  memoizeUpTo(cachedElementsMax, (value: string) => keyElement([[field, value]]))
)

export const keyElement = (key: ReadonlyArray<readonly [field: string, value: unknown]>): PathElement =>
  `k:{${key.map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`).join(",")}}`

export const valueElement = (value: unknown): PathElement => `v:${JSON.stringify(value)}`

export const canonicalElement = (text: string): PathElement | undefined => {
  if (text.startsWith("f:")) return text
  const value = parseJsonOrUndefined(text.slice(elementPrefixLength))
  if (text.startsWith("i:")) return typeof value === "number" ? `i:${value}` : undefined
  if (text.startsWith("v:")) return value === undefined ? undefined : valueElement(value)
  if (!text.startsWith("k:") || !isFields(value)) return undefined
  return keyElement(Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b)))
}

export const parseJsonOrUndefined = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  return value
}

export const sortedChildren = (set: FieldSet): ReadonlyArray<readonly [PathElement, FieldSet]> =>
  [...set.children].toSorted(([a], [b]) => compareElements(a, b))

const compareElements = (a: PathElement, b: PathElement): number => {
  if (a.startsWith("f:") && b.startsWith("f:")) return compareTexts(a, b)
  // The types sort as field names, keys, values and list indexes.
  const byType = "fkvi".indexOf(a.charAt(0)) - "fkvi".indexOf(b.charAt(0))
  if (byType !== 0) return byType
  const [left, right] = [
    parseJsonOrUndefined(a.slice(elementPrefixLength)),
    parseJsonOrUndefined(b.slice(elementPrefixLength))
  ]
  return a.startsWith("k:") ? compareKeys(left, right) : compareValues(left, right)
}

const compareKeys = (a: unknown, b: unknown): number => {
  const [left, right] = [Object.entries(Object(a)), Object.entries(Object(b))]
  const orders = left.map(([name, value], index) => {
    const [otherName, otherValue] = right[index] ?? [""]
    return compareTexts(name, otherName) || compareValues(value, otherValue)
  })
  return orders.find((order) => order !== 0) ?? left.length - right.length
}

const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b)
  const ranks = ["number", "string", "boolean", "object"]
  const byType = ranks.indexOf(typeof a) - ranks.indexOf(typeof b)
  return byType === 0 ? compareTexts(JSON.stringify(a), JSON.stringify(b)) : byType
}

/** For example `.spec.template.spec.containers[name="app"].image`. */
export const pathElementsText = (path: FieldPath): string => path.map(elementText).join("")

const elementText = (element: PathElement): string => {
  const text = element.slice(elementPrefixLength)
  if (element.startsWith("f:")) return `.${text}`
  if (element.startsWith("k:")) {
    const key = Object.entries(Object(parseJsonOrUndefined(text)))
    return `[${key.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`
  }
  return element.startsWith("v:") ? `[=${text}]` : `[${text}]`
}

/** At each level the owned elements come first. */
export const fieldPathsOf = (set: FieldSet): ReadonlyArray<FieldPath> => {
  const paths: Array<FieldPath> = []
  const visit = (node: FieldSet, pathOfNode: FieldPath): void => {
    const children = sortedChildren(node)
    for (const [element, { owned }] of children) if (owned) paths.push([...pathOfNode, element])
    for (const [element, child] of children) visit(child, [...pathOfNode, element])
  }
  visit(set, [])
  return paths
}
