import { formatFieldPath, type DocumentPath } from "../meta/text/fieldPath.ts"
import { isFields, type Fields } from "../meta/fields.ts"
import {
  propertySchema,
  implicitFields,
  additionalPropertiesSchema,
  type OpenApiSchema
} from "./openApiSchema.ts"

interface UnknownField {
  /** For example `spec.replica`. */
  readonly name: string
  readonly path: DocumentPath
}

/**
 * Adds removed fields to `unknownFields`; unchanged parts are shared. Source:
 * apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export const pruneUnknownFields = (
  object: Fields,
  schema: OpenApiSchema | undefined,
  unknownFields: Array<UnknownField> = []
): Fields =>
  schema === undefined
    ? object
    : pruneFields(object, {
        schema,
        path: [],
        isRoot: true,
        keepsUnknown: keepsUnknownFields(schema),
        unknownFields
      })

interface PruneOptions {
  readonly schema: OpenApiSchema | undefined
  readonly path: DocumentPath
  /** Whether apiVersion, kind and metadata are implicit. */
  readonly isRoot: boolean
  /** Whether the schema or its list keeps unknown fields. */
  readonly keepsUnknown: boolean
  readonly unknownFields: Array<UnknownField>
}

const keepsUnknownFields = (schema: OpenApiSchema | undefined): boolean =>
  schema?.["x-kubernetes-preserve-unknown-fields"] === true

const pruneValue = (
  value: unknown,
  { schema, path, unknownFields }: Pick<PruneOptions, "schema" | "path" | "unknownFields">,
  keepsItemFields = false
): unknown => {
  const isKeeping = keepsItemFields || keepsUnknownFields(schema)
  if (Array.isArray(value)) {
    // A list that keeps unknown fields keeps its items whole if they have no schema.
    if (isKeeping && schema?.items === undefined) return value
    const items: ReadonlyArray<unknown> = value
    const results = items.map((item, index) =>
      pruneValue(item, { schema: schema?.items, path: [...path, index], unknownFields }, isKeeping)
    )
    return results.every((item, index) => item === items[index]) ? items : results
  }
  if (!isFields(value)) return value
  const isRoot = schema?.["x-kubernetes-embedded-resource"] === true
  return pruneFields(value, { schema, path, isRoot, keepsUnknown: isKeeping, unknownFields })
}

/** The schema of any value, which as in Kubernetes defines no fields. */
const anyValue: OpenApiSchema = {}

const pruneFields = (fields: Fields, options: PruneOptions): Fields => {
  const { schema = {}, path, isRoot, unknownFields } = options
  const otherFields = schema.additionalProperties === true ? anyValue : additionalPropertiesSchema(schema)
  let isSame = true
  const results = Object.entries(fields).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (isRoot && implicitFields.has(name)) return [[name, value]]
      const fieldPath = [...path, name]
      const property = propertySchema(schema, name) ?? otherFields
      if (property !== undefined) {
        const next = pruneValue(value, { schema: property, path: fieldPath, unknownFields })
        if (next !== value) isSame = false
        return [[name, next]]
      }
      if (options.keepsUnknown) return [[name, value]]
      unknownFields.push({ name: formatFieldPath(fieldPath), path: fieldPath })
      isSame = false
      return []
    }
  )
  return isSame ? fields : Object.fromEntries(results)
}
