import { isFields } from "../../domain/fields.ts"

/**
 * Evaluates a simple JSONPath: fields, indexes, wildcards and equality filters, such as `.spec.parts[0].name`,
 * `.status.conditions[?(@.type=="Ready")].status` and `.metadata.labels['a.b/c']`.
 *
 * Source: staging/src/k8s.io/client-go/util/jsonpath.
 */
export const found = (object: unknown, path: string): ReadonlyArray<unknown> => {
  const steps = readSteps(path)
  if (steps === undefined) return []
  return steps.reduce<ReadonlyArray<unknown>>((values, step) => values.flatMap(step), [object])
}

type Step = (value: unknown) => ReadonlyArray<unknown>

const known = new Map<string, ReadonlyArray<Step> | undefined>()
const knownMax = 1000

const readSteps = (path: string): ReadonlyArray<Step> | undefined => {
  if (known.has(path)) return known.get(path)
  const steps = parse(path)
  if (known.size < knownMax) known.set(path, steps)
  return steps
}

/** A field, a quoted field, an index, a wildcard or a filter. */
const token =
  /\.((?:\\.|[^.[\]\\])+)|\[['"]([^'"]*)['"]\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\(@\.([\w.-]+)\s*==\s*['"]?([^'")]*)['"]?\)\]/y

const parse = (path: string): ReadonlyArray<Step> | undefined => {
  const steps: Array<Step> = []
  token.lastIndex = 0
  while (token.lastIndex < path.length) {
    const match = token.exec(path)
    if (match === null) return undefined
    steps.push(stepOf(match))
  }
  return steps
}

const stepOf = ([, field, quoted, position, every, name, wanted]: RegExpExecArray): Step => {
  if (every !== undefined || field === "*") return elementsOf
  if (name !== undefined) {
    const inner = name.split(".")
    return (value) => elementsOf(value).filter((element) => String(below(element, inner)) === wanted)
  }
  if (position !== undefined) {
    return (value) => (Array.isArray(value) ? value.slice(Number(position)).slice(0, 1) : [])
  }
  const key = quoted ?? (field ?? "").replaceAll(/\\(.)/g, "$1")
  return (value) => (isFields(value) && Object.hasOwn(value, key) ? [value[key]] : [])
}

const elementsOf: Step = (value) =>
  Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []

const below = (value: unknown, names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (inner, name) => (isFields(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value
  )
