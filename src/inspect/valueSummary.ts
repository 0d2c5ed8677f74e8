export type ValueSummary =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<ValueSummary>
  | { readonly [field: string]: ValueSummary }

/** Deeper values are shown as `…`. */
const depthMax = 4
/** An actor may observe thousands of Pods. */
const itemsMax = 10
// Longer values are cut, so that an event stays readable.
const fieldsMax = 24
const textMax = 160

/** These fields may be secret or are large. */
const hiddenFields = new Set([
  "annotations",
  "args",
  "binaryData",
  "data",
  "env",
  "envFrom",
  "spec",
  "stringData",
  "template"
])

export const summarizeValue = (value: unknown, depth = depthMax): ValueSummary | undefined => {
  switch (typeof value) {
    case "string":
      return value.length > textMax ? `${value.slice(0, textMax)}…` : value
    case "number":
      return Number.isFinite(value) ? value : String(value)
    case "boolean":
      return value
    case "bigint":
      return String(value)
    case "object":
      return value === null ? null : summarizeObject(value, depth)
    default:
      return undefined
  }
}

const summarizeObject = (value: object, depth: number): ValueSummary => {
  if (value instanceof Error) return summarizeValue(`${value.name}: ${value.message}`) ?? ""
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} of ${value.size}`
  const actorId = actorIdOf(value)
  if (actorId !== undefined) return actorSummary(actorId)
  const name = nameOfObject(value)
  if (name !== undefined) return name
  if (depth === 0) return "…"
  if (Array.isArray(value)) return summarizeItems(value, depth)
  return isPlain(value) ? summarizeFields(value, depth) : (value.constructor?.name ?? "object")
}

/** XState's own JSON form of an actor reference. */
export const actorSummary = (id: string): ValueSummary => ({ xstate$$type: 1, id })

export const readField = (value: object, field: string): unknown => Reflect.get(value, field)

const actorIdOf = (value: object): string | undefined => {
  const id = readField(value, "id")
  return typeof readField(value, "sessionId") === "string" && typeof id === "string" ? id : undefined
}

/** `Deployment default/web` for anything with metadata. */
const nameOfObject = (value: object): string | undefined => {
  const metadata = readField(value, "metadata")
  if (typeof metadata !== "object" || metadata === null) return undefined
  const kind = readField(value, "kind")
  const namespace = readField(metadata, "namespace")
  const name = readField(metadata, "name")
  const key = [namespace, name].filter((part) => typeof part === "string").join("/")
  return `${typeof kind === "string" ? kind : "object"} ${key}`.trimEnd()
}

const summarizeItems = (items: ReadonlyArray<unknown>, depth: number): ValueSummary => {
  const summaries = items.slice(0, itemsMax).map((item) => summarizeValue(item, depth - 1) ?? null)
  return items.length > itemsMax ? [...summaries, `… and ${items.length - itemsMax} more`] : summaries
}

const summarizeFields = (record: object, depth: number): ValueSummary => {
  const fields: Array<[string, ValueSummary]> = []
  for (const [field, value] of Object.entries(record)) {
    if (hiddenFields.has(field)) continue
    const summary = summarizeValue(value, depth - 1)
    if (summary === undefined) continue
    if (fields.length === fieldsMax) return Object.fromEntries([...fields, ["…", "cut short"]])
    fields.push([field, summary])
  }
  return Object.fromEntries(fields)
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
