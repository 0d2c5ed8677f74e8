import { schemaNameInPackage, type SchemaType } from "../../src/server/openapi/schemaNames.ts"
import { openApiKinds } from "../../src/kubernetes/meta/kinds.ts"
import { enumOf } from "./enums.ts"
import { mergeExtensions, structExtensions } from "./listTypes.ts"
import {
  attributesOf,
  bodyModels,
  listModelOf,
  modelNames,
  modelOf,
  textOf,
  type Attribute
} from "./models.ts"
import { anySchemaOf, isBytes, isQuantity } from "./missingTypes.ts"
import { descriptionOf, nameOf, packageOf, type Package } from "./upstreamPackages.ts"
import { typeName } from "./wireTypes.ts"
import { primitives, primitiveNames } from "./primitives.ts"
import type { JsonObject } from "../../src/server/openapi/openApiParameters.ts"
import type { OpenApiSchemas } from "../../src/server/openapi/openApiDocument.ts"

export const readSchemas = async (): Promise<OpenApiSchemas> => {
  const schemas: Record<string, JsonObject> = { ...primitives }
  const pending: Array<ModelInPackage> = [...roots()]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const name = schemaNameIn(next)
    if (schemas[name] !== undefined) continue
    const { schema, uses } = await schemaOf(next)
    schemas[name] = { ...schema, ...typesOf(next.model) }
    pending.push(...uses)
  }
  return schemas
}

interface ModelInPackage {
  readonly model: string
  /** The package whose name begins the schema's name. */
  readonly home: Package
}

const modelUsedBy = (model: string, user: Package): ModelInPackage => ({
  model,
  home: packageOf(model, user)
})
const schemaNameIn = ({ model, home }: ModelInPackage): string =>
  schemaNameInPackage(home.group, `${home.version}.${nameOf(model)}`)

const packageOfGroup = (group: string, version: string): Package => ({
  group: group === "" ? "core" : (group.split(".")[0] ?? ""),
  version
})

const kindModels = new Map(
  openApiKinds.flatMap((kind) => {
    const list = listModelOf(kind)
    const home = packageOfGroup(kind.group, kind.version)
    const lists =
      list === undefined ? [] : [{ model: list, home, type: { ...kind, kind: `${kind.kind}List` } }]
    return [{ model: modelOf(kind), home, type: kind }, ...lists].map(
      (entry) => [entry.model, entry] as const
    )
  })
)

const metaHome: Package = { group: "meta", version: "v1" }
const metaModels = ["V1DeleteOptions", "V1Status"]

const roots = (): ReadonlyArray<ModelInPackage> => [
  ...kindModels.values(),
  ...bodyModels.map((model) => modelUsedBy(model, metaHome)),
  ...metaModels.map((model) => ({ model, home: metaHome }))
]

/** The kinds that objects of this type can have. */
const typesOf = (model: string): JsonObject => {
  const kind = kindModels.get(model)?.type ?? bodyTypes.get(model)
  if (kind === undefined) return {}
  const { group, version } = kind
  return { "x-kubernetes-group-version-kind": [{ group, kind: kind.kind, version }] }
}

const bodyTypes = new Map<string, SchemaType>([
  ...openApiKinds.flatMap(({ subresources }) => subresources.map((it) => [modelOf(it), it] as const)),
  ...metaModels.map((model) => [model, { group: "", version: "v1", kind: nameOf(model) }] as const)
])

interface ReadSchema {
  readonly schema: JsonObject
  readonly uses: ReadonlyArray<ModelInPackage>
}

const schemaOf = async ({ model, home }: ModelInPackage): Promise<ReadSchema> => {
  const text = textOf(model)
  const struct = typeName(model)
  const properties: Record<string, JsonObject> = {}
  const required: Array<string> = []
  const uses: Array<ModelInPackage> = []
  for (const attribute of await attributesOf(model)) {
    const { name, baseName } = attribute
    const fieldText = text.fields.get(name)
    const read = typeSchema(attribute, { struct, home })
    // For a field of a named type, the models repeat the type's description instead of the field's.
    const declaredDescription = descriptionOf(model, { field: baseName, type: attribute.type }, home)
    const description = isNamed(attribute.type)
      ? (declaredDescription ?? fieldText?.description)
      : (fieldText?.description ?? declaredDescription)
    properties[baseName] = {
      ...(description === undefined ? {} : { description }),
      ...read.schema,
      ...mergeExtensions(struct, { field: baseName, isList: attribute.type.startsWith("Array<") })
    }
    if (fieldText?.isRequired === true) required.push(baseName)
    uses.push(...read.uses)
  }
  const schema = {
    ...(text.description === undefined ? {} : { description: text.description }),
    type: "object",
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...structExtensions(struct)
  }
  return { schema, uses }
}

const isNamed = (type: string): boolean => type === "IntOrString" || modelNames.has(type)

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
/** OpenAPI 3.0 allows nothing beside a `$ref`, so that a described reference is wrapped. */
const wrappedRef = (name: string): JsonObject => ({ allOf: [ref(name)] })
const withoutUses = (schema: JsonObject): ReadSchema => ({ schema, uses: [] })

const typeSchema = (
  attribute: Attribute,
  position: { readonly struct: string; readonly home: Package; readonly isInside?: boolean }
): ReadSchema => {
  const { type, format, baseName } = attribute
  const inner = (text: string): ReadSchema =>
    typeSchema({ ...attribute, type: text }, { ...position, isInside: true })
  if (type.startsWith("Array<")) {
    const { schema, uses } = inner(type.slice("Array<".length, -1))
    return { schema: { type: "array", items: schema }, uses }
  }
  const value = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1]
  if (value !== undefined) {
    const { schema, uses } = inner(value)
    return { schema: { type: "object", additionalProperties: schema }, uses }
  }
  const point = position.isInside === true ? ref : wrappedRef
  const field = `${position.struct}.${baseName}`
  const primitive = primitiveOf(attribute, field)
  if (primitive !== undefined) return withoutUses(point(primitive))
  if (type === "number") return withoutUses({ type: format === "double" ? "number" : "integer", format })
  if (type === "boolean") return withoutUses({ type })
  if (type === "string") return withoutUses(textSchema(field, format))
  if (!modelNames.has(type)) throw new Error(`${field} has the unknown type ${type}`)
  const used = modelUsedBy(type, position.home)
  return { schema: point(schemaNameIn(used)), uses: [used] }
}

const textSchema = (field: string, format: string): JsonObject => {
  const words = enumOf(field)
  return {
    type: "string",
    ...(format === "byte" || isBytes(field) ? { format: "byte" } : {}),
    ...(words === undefined ? {} : { enum: words })
  }
}

const primitiveOf = ({ type }: Attribute, field: string): string | undefined => {
  if (type === "string" && isQuantity(field)) return primitiveNames.quantity
  if (type === "Date") return primitiveNames.time
  if (type === "V1MicroTime") return primitiveNames.microTime
  if (type === "IntOrString") return primitiveNames.intOrString
  return type === "any" ? anySchemaOf(field) : undefined
}
