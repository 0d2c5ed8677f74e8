import { formatFieldPath, type DocumentPath } from "../meta/text/fieldPath.ts"
import { isFields, type Fields } from "../meta/fields.ts"
import { propertySchema, implicitFields, valuesSchema, type OpenApiSchema } from "./openApiSchema.ts"

interface UnknownField {
  /** The path as text: `spec.replica`. */
  readonly name: string
  readonly path: DocumentPath
}

/**
 * Removes fields that the schema does not define, and adds them to `unknownFields`. Unchanged parts are shared.
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export const pruneUnknownFields = (
  object: Fields,
  schema: OpenApiSchema | undefined,
  unknownFields: Array<UnknownField> = []
): Fields =>
  schema === undefined ? object : pruneFields(object, { schema, path: [], isRoot: true, unknownFields })

interface PruneOptions {
  readonly schema: OpenApiSchema | undefined
  readonly path: DocumentPath
  /** Whether apiVersion, kind and metadata are implicit. */
  readonly isRoot: boolean
  readonly unknownFields: Array<UnknownField>
}

const pruneValue = (
  value: unknown,
  { schema, path, unknownFields }: Omit<PruneOptions, "isRoot">
): unknown => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const results = items.map((item, index) =>
      pruneValue(item, { schema: schema?.items, path: [...path, index], unknownFields })
    )
    return results.every((item, index) => item === items[index]) ? items : results
  }
  if (!isFields(value)) return value
  const isRoot = schema?.["x-kubernetes-embedded-resource"] === true
  return pruneFields(value, { schema, path, isRoot, unknownFields })
}

const pruneFields = (fields: Fields, { schema = {}, path, isRoot, unknownFields }: PruneOptions): Fields => {
  const preservesUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true
  let isSame = true
  const results = Object.entries(fields).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (isRoot && implicitFields.has(name)) return [[name, value]]
      const fieldPath = [...path, name]
      const property = propertySchema(schema, name) ?? valuesSchema(schema)
      if (property !== undefined) {
        const next = pruneValue(value, { schema: property, path: fieldPath, unknownFields })
        if (next !== value) isSame = false
        return [[name, next]]
      }
      if (preservesUnknown || schema.additionalProperties === true) return [[name, value]]
      unknownFields.push({ name: formatFieldPath(fieldPath), path: fieldPath })
      isSame = false
      return []
    }
  )
  return isSame ? fields : Object.fromEntries(results)
}
