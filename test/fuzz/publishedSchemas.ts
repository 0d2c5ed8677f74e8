import { openApiDocuments } from "../../src/generated/openApiDocuments.ts"
import { readEmbeddedFile } from "../../src/platform/embeddedFile.ts"
import type { Kind } from "../../src/kubernetes/meta/kinds.ts"

interface Schema {
  readonly $ref?: string
  readonly allOf?: ReadonlyArray<Schema>
  readonly type?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<string>
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema
}

type Fields = Readonly<Record<string, unknown>>

export type Path = ReadonlyArray<string | number>

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const documents = await Promise.all(
  Object.values(openApiDocuments.v3).map(async ({ load }): Promise<Document> =>
    JSON.parse((await readEmbeddedFile(load)).plain.toString())
  )
)

const schemas = new Map<string, Schema>(
  documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {}))
)

const nameOf = ({ $ref = "" }: Schema): string => $ref.split("/").at(-1) ?? ""

const resolved = (schema: Schema): Schema => {
  const [first] = schema.allOf ?? []
  if (first !== undefined) return resolved(first)
  return schema.$ref === undefined ? schema : (schemas.get(nameOf(schema)) ?? {})
}

const typeNameOf = (schema: Schema): string => nameOf(schema.allOf?.[0] ?? schema)

export const schemaOf = ({ group, version, kind }: Kind): Schema | undefined => {
  const [head = "core"] = group === "" ? [] : group.split(".")
  const suffix = `.${head}.${version}.${kind}`
  const name = [...schemas.keys()].find((it) => it.endsWith(suffix))
  return name === undefined ? undefined : schemas.get(name)
}

/** Values for strings that are validated; other strings are "a". */
const meaningful: Readonly<Record<string, string>> = {
  apiVersion: "v1",
  kind: "Pod",
  namespace: "default",
  uid: "11111111-2222-3333-4444-555555555555",
  protocol: "TCP",
  path: "/a",
  mountPath: "/a",
  operator: "Exists",
  effect: "NoSchedule",
  topologyKey: "kubernetes.io/hostname",
  key: "example.com/a",
  status: "True",
  conditionType: "example.com/a",
  reason: "Because"
}

/** The smallest value of a type: only required fields, one item per list. */
export const plainValue = (schema: Schema, field = "", depth = 0): unknown => {
  const type = resolved(schema)
  const name = typeNameOf(schema)
  if (name.endsWith(".Quantity") || name.endsWith(".IntOrString")) return "1"
  if (type.enum !== undefined) return type.enum[0]
  if (type.format === "date-time") {
    return name.endsWith(".MicroTime") ? "2026-01-01T00:00:00.000000Z" : "2026-01-01T00:00:00Z"
  }
  if (type.format === "byte") return "YQ=="
  if (type.type === "integer" || type.type === "number") return 1
  if (type.type === "boolean") return true
  if (type.type === "array") {
    return depth > 12 || type.items === undefined ? [] : [plainValue(type.items, field, depth + 1)]
  }
  if (type.type === "string") return meaningful[field] ?? "a"
  if (type.additionalProperties !== undefined) {
    return { "example.com/a": plainValue(type.additionalProperties, "", depth + 1) }
  }
  const { properties = {}, required = [] } = type
  return Object.fromEntries(
    required.map((it) => [it, depth > 12 ? {} : plainValue(properties[it] ?? {}, it, depth + 1)])
  )
}

export interface MissingField {
  readonly path: Path
  readonly value: unknown
}

/** Metadata that clients cannot set, or that prevents deletion. */
const unset: ReadonlySet<string> = new Set(["resourceVersion", "uid", "deletionTimestamp", "finalizers"])

/** The missing fields of an object, those at the top first. */
export const missingFields = (object: Fields, schema: Schema): ReadonlyArray<MissingField> => {
  const found: Array<MissingField> = []
  const visit = (value: unknown, type: Schema, path: Path): void => {
    if (Array.isArray(value)) {
      value.forEach((item, index) => visit(item, resolved(type.items ?? {}), [...path, index]))
      return
    }
    if (typeof value !== "object" || value === null) return
    for (const [name, field] of Object.entries(type.properties ?? {})) {
      if (path[0] === "metadata" && unset.has(name)) continue
      const inside: unknown = Reflect.get(value, name)
      if (inside === undefined) found.push({ path: [...path, name], value: plainValue(field, name) })
      else visit(inside, resolved(field), [...path, name])
    }
  }
  visit(object, schema, [])
  return found.sort((a, b) => a.path.length - b.path.length)
}

export const placesIn = (object: Fields): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const visit = (value: unknown, path: Path): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, inside] of Object.entries(value)) {
      const next = [...path, Array.isArray(value) ? Number(key) : key]
      if (identity.has(next.join("."))) continue
      found.push(next)
      visit(inside, next)
    }
  }
  visit(object, [])
  return found
}

const identity: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "metadata.name"])

export const valueAt = (object: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    object
  )

/** The object with another value at a path; `undefined` removes it. */
export const withValue = (object: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(object)) {
    const items: ReadonlyArray<unknown> = object
    return items.flatMap((item, index) => {
      if (index !== key) return [item]
      const next = withValue(item, rest, value)
      return next === undefined ? [] : [next]
    })
  }
  const fields = (typeof object === "object" && object !== null ? object : {}) as Fields
  const next = withValue(fields[key], rest, value)
  const { [key]: _left, ...others } = fields
  return next === undefined ? others : { ...fields, [key]: next }
}
