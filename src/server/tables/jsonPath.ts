import { isFields } from "../../kubernetes/meta/fields.ts"

/**
 * Evaluates a simple JSONPath: fields, indexes, wildcards and equality filters, such as `.spec.parts[0].name`,
 * `.status.conditions[?(@.type=="Ready")].status` and `.metadata.labels['a.b/c']`.
 *
 * Source: staging/src/k8s.io/client-go/util/jsonpath.
 */
export const evaluateJsonPath = (object: unknown, path: string): ReadonlyArray<unknown> => {
  const steps = readSteps(path)
  if (steps === undefined) return []
  return steps.reduce<ReadonlyArray<unknown>>((values, step) => values.flatMap(step), [object])
}

type Step = (value: unknown) => ReadonlyArray<unknown>

const parsedPaths = new Map<string, ReadonlyArray<Step> | undefined>()
const parsedPathsMax = 1000

const readSteps = (path: string): ReadonlyArray<Step> | undefined => {
  if (parsedPaths.has(path)) return parsedPaths.get(path)
  const steps = parse(path)
  if (parsedPaths.size < parsedPathsMax) parsedPaths.set(path, steps)
  return steps
}

const stepPattern =
  /\.((?:\\.|[^.[\]\\])+)|\[['"]([^'"]*)['"]\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\(@\.([\w.-]+)\s*==\s*['"]?([^'")]*)['"]?\)\]/y

const parse = (path: string): ReadonlyArray<Step> | undefined => {
  const steps: Array<Step> = []
  stepPattern.lastIndex = 0
  while (stepPattern.lastIndex < path.length) {
    const match = stepPattern.exec(path)
    if (match === null) return undefined
    steps.push(stepOf(match))
  }
  return steps
}

const stepOf = ([, field, quoted, position, wildcard, name, expected]: RegExpExecArray): Step => {
  if (wildcard !== undefined || field === "*") return elementsOf
  if (name !== undefined) {
    const inner = name.split(".")
    return (value) => elementsOf(value).filter((element) => String(valueBelow(element, inner)) === expected)
  }
  if (position !== undefined) {
    return (value) => (Array.isArray(value) ? value.slice(Number(position)).slice(0, 1) : [])
  }
  const key = quoted ?? (field ?? "").replaceAll(/\\(.)/g, "$1")
  return (value) => (isFields(value) && Object.hasOwn(value, key) ? [value[key]] : [])
}

const elementsOf: Step = (value) =>
  Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []

const valueBelow = (value: unknown, names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (inner, name) => (isFields(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value
  )
