import { openApiKinds, type Kind } from "../../src/kubernetes/meta/kinds.ts"
import { attributesOf, bodyModels, bodyTypes, modelNames, modelOf, type Attribute } from "./models.ts"
import { isQuantity, isBytes } from "./missingTypes.ts"

/**
 * Every field of every served kind and its type.
 *
 * A type is a word: `int32`, `int64`, `double`, `boolean`, `string`, `time`, `microTime`, `quantity`,
 * `intOrString`, `byte`, `any`, the name of another type, or one of these behind `list:` or `map:`.
 */
interface WireTypes {
  /** The type of a kind, by `group/version/Kind`. */
  readonly roots: Readonly<Record<string, string>>
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export const readWireTypes = async (): Promise<WireTypes> => {
  const types: Record<string, Record<string, string>> = {}
  const pending = [...openApiKinds.map(modelOf), ...bodyModels, "V1DeleteOptions"]
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
  const roots = Object.fromEntries(
    [...openApiKinds, ...bodyTypes].map((type) => [rootKey(type), typeName(modelOf(type))])
  )
  return { roots, types: sorted }
}

const rootKey = (kind: Pick<Kind, "group" | "version" | "kind">): string =>
  `${kind.group}/${kind.version}/${kind.kind}`

/** `V1PodSpec` is `PodSpec`; what would not be unique keeps its prefix. */
export const typeName = (model: string): string => (/^V1[A-Z]/.test(model) ? model.slice(2) : model)

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
  if (type === "string" && isQuantity(field)) return { text: "quantity" }
  if (type === "string" && (format === "byte" || isBytes(field))) return { text: "byte" }
  if (type === "number") return { text: format }
  if (type === "Date") return { text: "time" }
  if (type === "V1MicroTime") return { text: "microTime" }
  if (type === "IntOrString") return { text: "intOrString" }
  if (type === "string" || type === "boolean" || type === "any") return { text: type }
  if (!modelNames.has(type)) throw new Error(`${field} has the unknown type ${type}`)
  return { text: typeName(type), model: type }
}
