import { isFields } from "../meta/fields.ts"
import { forbiddenField, invalidField, unsupportedValue, requiredValue } from "../validation/fieldErrors.ts"
import { withSchemaDefaults } from "./schemaDefaults.ts"
import { compilePattern } from "./compilePattern.ts"
import { pruneUnknownFields } from "./pruneUnknownFields.ts"
import { valuesSchema, type OpenApiSchema } from "./openApiSchema.ts"
import { schemaErrors } from "./validateValue.ts"
import { dequal } from "dequal/lite"
import type { FieldError, FieldErrors } from "../validation/fieldErrors.ts"

/**
 * Unsupported parts of a schema, and parts that make it non-structural.
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/validation.go and
 * pkg/apis/apiextensions/validation/validation.go (specStandardValidatorV3).
 */
export const structuralSchemaErrors = (schema: OpenApiSchema, path: string): FieldErrors => {
  const errors = [...unsupportedParts(schema, path), ...structureProblems(schema, { path, level: "root" })]
  return errors.length > 0 ? errors : defaultProblems(schema, path)
}

/** The place of a schema: the root, the items of a list, or a field or the values of a map. */
type Level = "root" | "item" | "field"

/** The schemas of fields, items and map values, with their paths. */
const subschemas = (
  schema: OpenApiSchema,
  path: string
): ReadonlyArray<readonly [OpenApiSchema, string, Level]> => {
  const values = valuesSchema(schema)
  return [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, inner]) => [inner, `${path}.properties[${name}]`, "field"] as const
    ),
    ...(schema.items === undefined ? [] : [[schema.items, `${path}.items`, "item"] as const]),
    ...(values === undefined ? [] : [[values, `${path}.additionalProperties`, "field"] as const])
  ]
}

/** The schemas in allOf, anyOf, oneOf and not, which upstream calls junctors, with their paths. */
const junctorSchemas = (
  schema: OpenApiSchema,
  path: string
): ReadonlyArray<readonly [OpenApiSchema, string]> => [
  ...(["allOf", "anyOf", "oneOf"] as const).flatMap((junctor) =>
    (schema[junctor] ?? []).map((inner, index) => [inner, `${path}.${junctor}[${index}]`] as const)
  ),
  ...(schema.not === undefined ? [] : [[schema.not, `${path}.not`] as const])
]

const types = ["array", "boolean", "integer", "number", "object", "string"]
const neverSupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]

const unsupportedParts = (schema: OpenApiSchema, path: string): FieldErrors => {
  const { type = "", uniqueItems = false, properties = {}, additionalProperties } = schema
  const errors: Array<FieldError> = []
  for (const field of neverSupported) {
    if (Object.hasOwn(schema, field))
      errors.push(forbiddenField(`${path}.${field}`, `${field} is not supported`))
  }
  if (type === "null") {
    errors.push(forbiddenField(`${path}.type`, "type cannot be set to null, use nullable as an alternative"))
  } else if (type !== "" && !types.includes(type)) errors.push(unsupportedValue(`${path}.type`, type, types))
  if (Array.isArray(schema.items)) {
    errors.push(forbiddenField(`${path}.items`, "items must be a schema object and not an array"))
  }
  if (uniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
    errors.push(forbiddenField(`${path}.uniqueItems`, why))
  }
  if (
    Object.keys(properties).length > 0 &&
    additionalProperties !== undefined &&
    additionalProperties !== true
  ) {
    const why = "additionalProperties and properties are mutual exclusive"
    errors.push(forbiddenField(`${path}.additionalProperties`, why))
  }
  const innerSchemas = [...subschemas(schema, path), ...junctorSchemas(schema, path)]
  return [...errors, ...innerSchemas.flatMap(([inner, innerPath]) => unsupportedParts(inner, innerPath))]
}

/** What makes a schema non-structural, apart from unsupported parts. */
const structureProblems = (
  schema: OpenApiSchema,
  { path, level }: { readonly path: string; readonly level: Level }
): FieldErrors => {
  const { type = "", items, additionalProperties, pattern } = schema
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true
  const isUntyped = isIntOrString || schema["x-kubernetes-preserve-unknown-fields"] === true
  const errors: Array<FieldError> = []
  if (type === "array" && items === undefined)
    errors.push(requiredValue(`${path}.items`, "must be specified"))
  if (level === "root" && additionalProperties !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, "must not be used at the root"))
  }
  if (isEmbedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true"
    errors.push(type === "" ? requiredValue(`${path}.type`, why) : invalidField(`${path}.type`, type, why))
  } else if (type === "" && !isUntyped) errors.push(requiredValue(`${path}.type`, missingTypeRules[level]))
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalidField(`${path}.type`, type, "must be object at the root"))
  }
  if (level === "root") errors.push(...rootProblems(schema, path))
  if (pattern !== undefined && compilePattern(pattern) === undefined) {
    errors.push(invalidField(`${path}.pattern`, pattern, "must be a valid regular expression, but isn't"))
  }
  errors.push(...listProblems(schema, path))
  return [
    ...errors,
    ...subschemas(schema, path).flatMap(([inner, innerPath, innerLevel]) =>
      structureProblems(inner, { path: innerPath, level: innerLevel })
    ),
    // An int-or-string may name its two types in anyOf.
    ...(isIntOrString
      ? []
      : junctorSchemas(schema, path).flatMap(([inner, innerPath]) => nestedProblems(inner, innerPath)))
  ]
}

const missingTypeRules: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields"
}

const rootProblems = ({ properties = {} }: OpenApiSchema, path: string): FieldErrors => {
  const { apiVersion, kind, metadata } = properties
  const errors = Object.entries({ kind, apiVersion }).flatMap(([name, schema]) =>
    schema === undefined || schema.type === "string"
      ? []
      : [invalidField(`${path}.properties[${name}].type`, schema.type ?? "", "must be string")]
  )
  if (metadata === undefined) return errors
  const metadataPath = `${path}.properties[metadata]`
  if (metadata.type !== "object")
    errors.push(invalidField(`${metadataPath}.type`, metadata.type ?? "", "must be object"))
  const { type: _type, properties: metadataProperties = {}, ...others } = metadata
  const names = Object.keys(metadataProperties).filter((name) => name !== "name" && name !== "generateName")
  const why =
    "must not specify anything other than name and generateName, but metadata is implicitly specified"
  return names.length > 0 || Object.keys(others).some((field) => field !== "description")
    ? [...errors, forbiddenField(metadataPath, why)]
    : errors
}

const listProblems = (schema: OpenApiSchema, path: string): FieldErrors => {
  const { type, "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": keys = [] } = schema
  if (listType === undefined) return []
  const listTypePath = `${path}.x-kubernetes-list-type`
  if (!["atomic", "set", "map"].includes(listType)) {
    return [unsupportedValue(listTypePath, listType, ["atomic", "set", "map"])]
  }
  if (type !== "array")
    return [invalidField(`${path}.type`, type ?? "", "must be array if x-kubernetes-list-type is specified")]
  if (listType === "map" && keys.length === 0) {
    const why = "must not be empty if x-kubernetes-list-type is map"
    return [requiredValue(`${path}.x-kubernetes-list-map-keys`, why)]
  }
  return []
}

/** Fields that are forbidden inside a junctor: allOf, anyOf, oneOf and not. */
const nestedForbidden: ReadonlyArray<
  readonly [keyof OpenApiSchema | "title" | "description" | "externalDocs", string]
> = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["externalDocs", "must be undefined to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"]
]

const nestedProblems = (schema: OpenApiSchema, path: string): FieldErrors => {
  const forbiddenFields = nestedForbidden.filter(([field]) => {
    const value: unknown = Object.hasOwn(schema, field) ? Reflect.get(schema, field) : undefined
    return value !== undefined && value !== false && value !== ""
  })
  const innerSchemas = [...subschemas(schema, path), ...junctorSchemas(schema, path)]
  return [
    ...forbiddenFields.map(([field, why]) => forbiddenField(`${path}.${field}`, why)),
    ...innerSchemas.flatMap(([inner, innerPath]) => nestedProblems(inner, innerPath))
  ]
}

const defaultProblems = (schema: OpenApiSchema, path: string): FieldErrors => {
  const { default: value } = schema
  const ownErrors = value === undefined ? [] : defaultValueProblems(value, schema, `${path}.default`)
  return [
    ...ownErrors,
    ...subschemas(schema, path).flatMap(([inner, innerPath]) => defaultProblems(inner, innerPath))
  ]
}

const defaultValueProblems = (value: unknown, schema: OpenApiSchema, path: string): FieldErrors => {
  const prunedValue = isFields(value) ? pruneUnknownFields(value, schema) : value
  if (!dequal(prunedValue, value)) return [invalidField(path, value, "must not have unknown fields")]
  const complete = isFields(value) ? withSchemaDefaults(value, schema) : value
  return schemaErrors(complete, schema).map((error) => ({
    ...error,
    field: error.field === "" ? path : `${path}.${error.field}`
  }))
}
