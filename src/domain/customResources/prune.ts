import { isFields, type Fields } from "../fields.ts"
import { propertyOf, typeAndMetadata, valuesSchema, type Schema } from "./schema.ts"

type Path = ReadonlyArray<string | number>

/** A field that no schema knows, and where it was. */
interface Stray {
  readonly name: string
  readonly path: Path
}

/**
 * An object without the fields that its schema does not know; what is left is shared with it.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export const pruned = (object: Fields, schema: Schema | undefined, strays: Array<Stray> = []): Fields =>
  schema === undefined ? object : prunedFields(object, { schema, path: [], isRoot: true, strays })

interface Pruning {
  readonly schema: Schema | undefined
  readonly path: Path
  /** Whether it has a type and metadata of its own. */
  readonly isRoot: boolean
  readonly strays: Array<Stray>
}

const prunedValue = (value: unknown, { schema, path, strays }: Omit<Pruning, "isRoot">): unknown => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const kept = items.map((item, index) =>
      prunedValue(item, { schema: schema?.items, path: [...path, index], strays })
    )
    return kept.every((item, index) => item === items[index]) ? items : kept
  }
  if (!isFields(value)) return value
  const isRoot = schema?.["x-kubernetes-embedded-resource"] === true
  return prunedFields(value, { schema, path, isRoot, strays })
}

const prunedFields = (fields: Fields, { schema = {}, path, isRoot, strays }: Pruning): Fields => {
  const keepsAll = schema["x-kubernetes-preserve-unknown-fields"] === true
  let isSame = true
  const kept = Object.entries(fields).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (isRoot && typeAndMetadata.has(name)) return [[name, value]]
    const below = [...path, name]
    const known = propertyOf(schema, name) ?? valuesSchema(schema)
    if (known !== undefined) {
      const next = prunedValue(value, { schema: known, path: below, strays })
      if (next !== value) isSame = false
      return [[name, next]]
    }
    if (keepsAll || schema.additionalProperties === true) return [[name, value]]
    strays.push({ name: pathText(below), path: below })
    isSame = false
    return []
  })
  return isSame ? fields : Object.fromEntries(kept)
}

/** `spec.parts[2].name`. */
const pathText = (path: Path): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("")
