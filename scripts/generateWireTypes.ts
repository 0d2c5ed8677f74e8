import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { allKinds, type Kind } from "../src/domain/kinds.ts"

/**
 * Writes `src/generated/wireTypes.json`: every field of every served kind and its type, read from the model
 * classes that the Kubernetes project generates for its JavaScript client.
 *
 * A type is a word: `int32`, `int64`, `double`, `boolean`, `string`, `time`, `quantity`, `intOrString`,
 * `byte`, `any`, the name of another type, or one of these behind `list:` or `map:`.
 */
interface Attribute {
  readonly baseName: string
  readonly type: string
  readonly format: string
}

/** The models say `string` for quantities, so those fields are listed here: `Type.field`. */
const quantityFields: ReadonlySet<string> = new Set([
  "ContainerStatus.allocatedResources",
  "EmptyDirVolumeSource.sizeLimit",
  "LimitRangeItem.default",
  "LimitRangeItem.defaultRequest",
  "LimitRangeItem.max",
  "LimitRangeItem.maxLimitRequestRatio",
  "LimitRangeItem.min",
  "NodeAllocatableResourceClaimStatus.resources",
  "NodeStatus.allocatable",
  "NodeStatus.capacity",
  "PersistentVolumeClaimStatus.allocatedResources",
  "PersistentVolumeClaimStatus.capacity",
  "PersistentVolumeSpec.capacity",
  "PodSpec.overhead",
  "PodStatus.allocatedResources",
  "ResourceFieldSelector.divisor",
  "ResourceQuotaSpec.hard",
  "ResourceQuotaStatus.hard",
  "ResourceQuotaStatus.used",
  "ResourceRequirements.limits",
  "ResourceRequirements.requests",
  "V2MetricTarget.averageValue",
  "V2MetricTarget.value",
  "V2MetricValueStatus.averageValue",
  "V2MetricValueStatus.value",
  "V2HPAScalingRules.tolerance",
  "VolumeResourceRequirements.limits",
  "VolumeResourceRequirements.requests"
])

/** Maps of base64 text, which the models call maps of strings. */
const byteFields: ReadonlySet<string> = new Set(["Secret.data", "ConfigMap.binaryData"])

const models = join(
  dirname(createRequire(import.meta.url).resolve("@kubernetes/client-node/package.json")),
  "dist/gen/models"
)

const modelNames: ReadonlySet<string> = new Set(
  readdirSync(models)
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.slice(0, -".js".length))
)

const generate = async (): Promise<void> => {
  const types: Record<string, Record<string, string>> = {}
  const pending = allKinds.map(rootModel)
  for (let model = pending.pop(); model !== undefined; model = pending.pop()) {
    const name = typeName(model)
    if (types[name] !== undefined) continue
    const fields: Record<string, string> = {}
    types[name] = fields
    for (const attribute of await attributesOf(model)) {
      const word = typeWord(name, attribute)
      fields[attribute.baseName] = word.text
      if (word.model !== undefined) pending.push(word.model)
    }
  }
  const sorted = Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1)))
  const roots = Object.fromEntries(allKinds.map((kind) => [rootKey(kind), typeName(rootModel(kind))]))
  const folder = join(import.meta.dirname, "../src/generated")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "wireTypes.json"), `${JSON.stringify({ roots, types: sorted })}\n`)
}

const rootKey = (kind: Kind): string => `${kind.group}/${kind.version}/${kind.kind}`

const rootModel = (kind: Kind): string => {
  const version = kind.version.toUpperCase()
  const found = [`${version}${kind.kind}`, `Core${version}${kind.kind}`].find((name) => modelNames.has(name))
  if (found === undefined) throw new Error(`no model for ${kind.kind}`)
  return found
}

/** `V1PodSpec` is `PodSpec`; what would not be unique keeps its prefix. */
const typeName = (model: string): string => (/^V1[A-Z]/.test(model) ? model.slice(2) : model)

const attributesOf = async (model: string): Promise<ReadonlyArray<Attribute>> => {
  const module: Record<string, { readonly getAttributeTypeMap: () => ReadonlyArray<Attribute> }> =
    await import(pathToFileURL(join(models, `${model}.js`)).href)
  const found = module[model]
  if (found === undefined) throw new Error(`${model}.js does not export ${model}`)
  return found.getAttributeTypeMap()
}

interface TypeWord {
  readonly text: string
  readonly model?: string
}

const typeWord = (owner: string, attribute: Attribute): TypeWord => {
  const { type, format } = attribute
  const prefixed = (prefix: string, inner: string): TypeWord => {
    const word = typeWord(owner, { ...attribute, type: inner })
    return { ...word, text: `${prefix}${word.text}` }
  }
  if (type.startsWith("Array<")) return prefixed("list:", type.slice("Array<".length, -1))
  const value = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1]
  if (value !== undefined) return prefixed("map:", value)
  const field = `${owner}.${attribute.baseName}`
  if (type === "string" && quantityFields.has(field)) return { text: "quantity" }
  if (type === "string" && (format === "byte" || byteFields.has(field))) return { text: "byte" }
  if (type === "number") return { text: format }
  if (type === "Date" || type === "V1MicroTime") return { text: "time" }
  if (type === "IntOrString") return { text: "intOrString" }
  if (type === "string" || type === "boolean" || type === "any") return { text: type }
  if (!modelNames.has(type)) throw new Error(`${field} has the unknown type ${type}`)
  return { text: typeName(type), model: type }
}

await generate()
