import { isFields } from "../../kubernetes/meta/fields.ts"

/**
 * Supports fields, indexes, wildcards and equality filters, such as `.status.conditions[?(@.type=="Ready")].status`.
 *
 * Source: client-go/util/jsonpath.
 */
export const evaluateJsonPath = (object: unknown, path: string): ReadonlyArray<unknown> => {
  const steps = stepsOf(path)
  if (steps === undefined) return []
  return steps.reduce<ReadonlyArray<unknown>>((values, step) => values.flatMap(step), [object])
}

type PathStep = (value: unknown) => ReadonlyArray<unknown>

const parsedPaths = new Map<string, ReadonlyArray<PathStep> | undefined>()
const parsedPathsMax = 1000

const stepsOf = (path: string): ReadonlyArray<PathStep> | undefined => {
  if (parsedPaths.has(path)) return parsedPaths.get(path)
  const steps = parsePath(path)
  if (parsedPaths.size < parsedPathsMax) parsedPaths.set(path, steps)
  return steps
}

/** `.field` or `.*`, `['key']`, `[0]`, `[*]`, `[?(@.path=="value")]`. */
const stepPattern =
  /\.((?:\\.|[^.[\]\\])+)|\[['"]([^'"]*)['"]\]|\[(-?\d+)\]|(\[\*\])|\[\?\(@\.([\w.-]+)\s*==\s*['"]?([^'")]*)['"]?\)\]/y

const parsePath = (path: string): ReadonlyArray<PathStep> | undefined => {
  const steps: Array<PathStep> = []
  stepPattern.lastIndex = 0
  while (stepPattern.lastIndex < path.length) {
    const match = stepPattern.exec(path)
    if (match === null) return undefined
    steps.push(toStep(match))
  }
  return steps
}

const toStep = ([, field, quotedKey, index, wildcard, filterPath, expected]: RegExpExecArray): PathStep => {
  if (wildcard !== undefined || field === "*") return elementsOf
  if (filterPath !== undefined) {
    const names = filterPath.split(".")
    return (value) => elementsOf(value).filter((element) => String(valueBelow(element, names)) === expected)
  }
  if (index !== undefined) {
    return (value) => elementAt(value, Number(index))
  }
  const key = quotedKey ?? (field ?? "").replaceAll(/\\(.)/g, "$1")
  return (value) => (isFields(value) && Object.hasOwn(value, key) ? [value[key]] : [])
}

const elementAt = (value: unknown, index: number): ReadonlyArray<unknown> => {
  const element: unknown = Array.isArray(value) ? value.at(index) : undefined
  return element === undefined ? [] : [element]
}

const elementsOf: PathStep = (value) =>
  Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []

const valueBelow = (value: unknown, names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (inner, name) => (isFields(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value
  )
