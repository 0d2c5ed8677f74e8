/** What is left of a value when it is shown: plain JSON, small, and nothing a manifest keeps to itself. */
export type Summary =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Summary>
  | { readonly [field: string]: Summary }

/**
 * Deep enough for a fact of one container in what a Pod's actor has seen; what lies deeper is shown as `…`.
 */
const depthMax = 4
/** An actor may see thousands of Pods; a viewer wants to recognise the list, not to read it. */
const itemsMax = 10
const fieldsMax = 24
const textMax = 160

/**
 * Fields in which Kubernetes objects carry what is nobody's business: a Secret's data, an environment, the whole
 * manifest that `kubectl apply` leaves in an annotation.
 */
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

/**
 * A value as a viewer may see it: scalars as they are, objects of the cluster by kind and name only, lists and records
 * cut short. Undefined where there is nothing to show.
 */
export const summarise = (value: unknown, depth = depthMax): Summary | undefined => {
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
      return value === null ? null : summariseObject(value, depth)
    default:
      return undefined
  }
}

const summariseObject = (value: object, depth: number): Summary => {
  if (value instanceof Error) return summarise(`${value.name}: ${value.message}`) ?? ""
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} of ${value.size}`
  const actorId = actorIdOf(value)
  if (actorId !== undefined) return actorSummary(actorId)
  const name = nameOfObject(value)
  if (name !== undefined) return name
  if (depth === 0) return "…"
  if (Array.isArray(value)) return summariseItems(value, depth)
  return isPlain(value) ? summariseFields(value, depth) : (value.constructor?.name ?? "object")
}

/** How XState itself writes a reference to an actor as JSON. */
export const actorSummary = (id: string): Summary => ({ xstate$$type: 1, id })

/** Reads a field of an object of which nothing is known. */
export const fieldOf = (value: object, field: string): unknown => Reflect.get(value, field)

const actorIdOf = (value: object): string | undefined => {
  const id = fieldOf(value, "id")
  return typeof fieldOf(value, "sessionId") === "string" && typeof id === "string" ? id : undefined
}

/** `Deployment default/web` for anything that has the metadata of an object, stored or still a draft. */
const nameOfObject = (value: object): string | undefined => {
  const metadata = fieldOf(value, "metadata")
  if (typeof metadata !== "object" || metadata === null) return undefined
  const kind = fieldOf(value, "kind")
  const namespace = fieldOf(metadata, "namespace")
  const name = fieldOf(metadata, "name")
  const key = [namespace, name].filter((part) => typeof part === "string").join("/")
  return `${typeof kind === "string" ? kind : "object"} ${key}`.trimEnd()
}

const summariseItems = (items: ReadonlyArray<unknown>, depth: number): Summary => {
  const shown = items.slice(0, itemsMax).map((item) => summarise(item, depth - 1) ?? null)
  return items.length > itemsMax ? [...shown, `… and ${items.length - itemsMax} more`] : shown
}

const summariseFields = (record: object, depth: number): Summary => {
  const fields: Array<[string, Summary]> = []
  for (const [field, value] of Object.entries(record)) {
    if (hiddenFields.has(field)) continue
    const shown = summarise(value, depth - 1)
    if (shown === undefined) continue
    if (fields.length === fieldsMax) return Object.fromEntries([...fields, ["…", "cut short"]])
    fields.push([field, shown])
  }
  return Object.fromEntries(fields)
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
