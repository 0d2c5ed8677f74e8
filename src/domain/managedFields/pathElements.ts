import { compareTexts } from "../compareTexts.ts"
import { isFields } from "../fields.ts"
import type { FieldPath, FieldSet, PathElement } from "./fieldSet.ts"

/**
 * How the steps of a path are written, ordered and shown to people.
 *
 * Source: sigs.k8s.io/structured-merge-diff/fieldpath (element.go, serialize-pe.go), value (value.go).
 */
export const fieldElement = (name: string): PathElement => {
  const known = fieldElements.get(name)
  if (known !== undefined) return known
  if (fieldElements.size >= elementsMax) fieldElements.clear()
  const element = `f:${name}`
  fieldElements.set(name, element)
  return element
}

/** By names, which are few: the same text for the same field is found faster. Names of clients could be many. */
const fieldElements = new Map<string, PathElement>()
const elementsMax = 4096

/** The element of a list with this value in its only key field. */
export const singleKeyElement = (field: string, value: string): PathElement => {
  const known = keyElements.get(field)?.get(value)
  if (known !== undefined) return known
  const element = keyElement([[field, value]])
  if (keyElements.size >= keyFieldsMax) keyElements.clear()
  const ofField = keyElements.get(field) ?? new Map<string, PathElement>()
  if (ofField.size >= elementsMax) ofField.clear()
  keyElements.set(field, ofField.set(value, element))
  return element
}

/** By key field and its value. Custom resources have key fields of their own. */
const keyFieldsMax = 64
const keyElements = new Map<string, Map<string, PathElement>>()

/** The element of a list with these values in its key fields, which are in alphabetical order. */
export const keyElement = (key: ReadonlyArray<readonly [field: string, value: unknown]>): PathElement =>
  `k:{${key.map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`).join(",")}}`

/** The element of a set. */
export const valueElement = (value: unknown): PathElement => `v:${JSON.stringify(value)}`

/** A step as it was written by anyone, in the one form that we compare; undefined where it is none. */
export const canonicalElement = (text: string): PathElement | undefined => {
  if (text.startsWith("f:")) return text
  const value = parsedJson(text.slice(2))
  if (text.startsWith("i:")) return typeof value === "number" ? `i:${value}` : undefined
  if (text.startsWith("v:")) return value === undefined ? undefined : valueElement(value)
  if (!text.startsWith("k:") || !isFields(value)) return undefined
  return keyElement(Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b)))
}

/** What a text of JSON says; undefined where it is none. */
export const parsedJson = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Then it says nothing.
  }
  return value
}

/** The places below a place, in the order in which they are written: names, then keys, then values. */
export const orderedChildren = (set: FieldSet): ReadonlyArray<readonly [PathElement, FieldSet]> =>
  [...set.children].toSorted(([a], [b]) => compareElements(a, b))

const compareElements = (a: PathElement, b: PathElement): number => {
  if (a.startsWith("f:") && b.startsWith("f:")) return compareTexts(a, b)
  const byType = "fkvi".indexOf(a.charAt(0)) - "fkvi".indexOf(b.charAt(0))
  if (byType !== 0) return byType
  const [left, right] = [parsedJson(a.slice(2)), parsedJson(b.slice(2))]
  return a.startsWith("k:") ? compareKeys(left, right) : compareValues(left, right)
}

const compareKeys = (a: unknown, b: unknown): number => {
  const [left, right] = [Object.entries(Object(a)), Object.entries(Object(b))]
  const orders = left.map(([name, value], place) => {
    const [otherName, otherValue] = right[place] ?? [""]
    return compareTexts(name, otherName) || compareValues(value, otherValue)
  })
  return orders.find((order) => order !== 0) ?? left.length - right.length
}

/** Numbers before texts before truth values before all else. */
const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b)
  const ranks = ["number", "string", "boolean", "object"]
  const byType = ranks.indexOf(typeof a) - ranks.indexOf(typeof b)
  return byType === 0 ? compareTexts(JSON.stringify(a), JSON.stringify(b)) : byType
}

/** A path as messages name it: `.spec.template.spec.containers[name="app"].image`. */
export const pathText = (path: FieldPath): string => path.map(elementText).join("")

const elementText = (element: PathElement): string => {
  const text = element.slice(2)
  if (element.startsWith("f:")) return `.${text}`
  if (element.startsWith("k:")) {
    const key = Object.entries(Object(parsedJson(text)))
    return `[${key.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`
  }
  return element.startsWith("v:") ? `[=${text}]` : `[${text}]`
}

/** The paths of a set: at each level first what is owned there, then what is owned further below. */
export const pathsOf = (set: FieldSet): ReadonlyArray<FieldPath> => {
  const paths: Array<FieldPath> = []
  const visit = (place: FieldSet, above: FieldPath): void => {
    const children = orderedChildren(place)
    for (const [element, { owned }] of children) if (owned) paths.push([...above, element])
    for (const [element, child] of children) visit(child, [...above, element])
  }
  visit(set, [])
  return paths
}
