import { isFields } from "../meta/fields.ts"
import { forbiddenField, invalidField, unsupportedValue, requiredValue } from "../validation/fieldErrors.ts"
import { withSchemaDefaults } from "./schemaDefaults.ts"
import { compilePattern } from "./compilePattern.ts"
import { pruneUnknownFields } from "./pruneUnknownFields.ts"
import { propertySchema, additionalPropertiesSchema, type OpenApiSchema } from "./openApiSchema.ts"
import { schemaErrors } from "./validateValue.ts"
import { dequal } from "dequal/lite"
import type { FieldError, FieldErrors } from "../validation/fieldErrors.ts"

/**
 * Source: apiextensions-apiserver/pkg/apiserver/schema/validation.go,
 * pkg/apis/apiextensions/validation/validation.go.
 */
export const structuralSchemaErrors = (schema: OpenApiSchema, path: string): FieldErrors => {
  const errors = [
    ...unsupportedPartErrors(schema, path),
    ...structureProblems(schema, { path, level: "root" }),
    ...junctorSchemas(schema, path).flatMap(([inner, innerPath]) =>
      undefinedPartErrors(inner, { path: innerPath, definition: schema, definitionPath: path })
    )
  ]
  return errors.length > 0 ? errors : defaultProblems(schema, path)
}

/** What the schema describes: a resource, an item of a list, or a field. */
type Level = "root" | "item" | "field"

const subschemas = (
  schema: OpenApiSchema,
  path: string
): ReadonlyArray<readonly [schema: OpenApiSchema, path: string, level: Level]> => {
  const values = additionalPropertiesSchema(schema)
  return [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, inner]) => [inner, `${path}.properties[${name}]`, "field"] as const
    ),
    ...(schema.items === undefined ? [] : [[schema.items, `${path}.items`, "item"] as const]),
    ...(values === undefined ? [] : [[values, `${path}.additionalProperties`, "field"] as const])
  ]
}

/** Upstream calls allOf, anyOf, oneOf and not junctors. */
const junctorSchemas = (
  schema: OpenApiSchema,
  path: string
): ReadonlyArray<readonly [schema: OpenApiSchema, path: string]> => [
  ...(["allOf", "anyOf", "oneOf"] as const).flatMap((junctor) =>
    (schema[junctor] ?? []).map((inner, index) => [inner, `${path}.${junctor}[${index}]`] as const)
  ),
  ...(schema.not === undefined ? [] : [[schema.not, `${path}.not`] as const])
]

const types = ["array", "boolean", "integer", "number", "object", "string"]
const unsupportedFields = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref"
]

const unsupportedPartErrors = (schema: OpenApiSchema, path: string): FieldErrors => {
  const { type = "", uniqueItems = false, properties = {}, additionalProperties } = schema
  const errors: Array<FieldError> = []
  for (const field of unsupportedFields) {
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
  return [...errors, ...innerSchemas.flatMap(([inner, innerPath]) => unsupportedPartErrors(inner, innerPath))]
}

const structureProblems = (
  schema: OpenApiSchema,
  { path, level }: { readonly path: string; readonly level: Level }
): FieldErrors => {
  const { type = "", items, additionalProperties } = schema
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true
  const preservesUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true
  const errors: Array<FieldError> = []
  if (type === "array" && items === undefined)
    errors.push(requiredValue(`${path}.items`, "must be specified"))
  if (level === "root" && additionalProperties !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, "must not be used at the root"))
  }
  for (const [extension, isSet] of [
    ["x-kubernetes-preserve-unknown-fields", preservesUnknown],
    ["x-kubernetes-embedded-resource", isEmbedded]
  ] as const) {
    const why = "must be false if x-kubernetes-int-or-string is true"
    if (isIntOrString && isSet) errors.push(invalidField(`${path}.${extension}`, true, why))
  }
  if (isEmbedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true"
    errors.push(type === "" ? requiredValue(`${path}.type`, why) : invalidField(`${path}.type`, type, why))
  } else if (type === "" && !isIntOrString && !preservesUnknown)
    errors.push(requiredValue(`${path}.type`, missingTypeRules[level]))
  if (isEmbedded && additionalProperties !== undefined) {
    const why = "must not be used if x-kubernetes-embedded-resource is set"
    errors.push(forbiddenField(`${path}.additionalProperties`, why))
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalidField(`${path}.type`, type, "must be object at the root"))
  }
  if (level === "root" || isEmbedded) errors.push(...resourceProblems(schema, { path, level }))
  if (isEmbedded && !preservesUnknown && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
    errors.push(requiredValue(`${path}.properties`, why))
  }
  errors.push(...patternProblems(schema, path), ...listProblems(schema, path))
  return [
    ...errors,
    ...subschemas(schema, path).flatMap(([inner, innerPath, innerLevel]) =>
      structureProblems(inner, { path: innerPath, level: innerLevel })
    ),
    ...junctorProblems(schema, path)
  ]
}

const patternProblems = ({ pattern }: OpenApiSchema, path: string): FieldErrors =>
  pattern === undefined || compilePattern(pattern) !== undefined
    ? []
    : [invalidField(`${path}.pattern`, pattern, "must be a valid regular expression, but isn't")]

const missingTypeRules: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields"
}

const resourceProblems = (
  { properties = {} }: OpenApiSchema,
  { path, level }: { readonly path: string; readonly level: Level }
): FieldErrors => {
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
  if (level !== "root") return errors
  const { type: _type, properties: metadataProperties = {}, ...others } = metadata
  const names = Object.keys(metadataProperties).filter((name) => name !== "name" && name !== "generateName")
  const why =
    "must not specify anything other than name and generateName, but metadata is implicitly specified"
  return names.length > 0 || Object.keys(others).some((field) => field !== "description")
    ? [...errors, forbiddenField(metadataPath, why)]
    : errors
}

const listTypes = ["atomic", "set", "map"]

const listProblems = (schema: OpenApiSchema, path: string): FieldErrors => {
  const { type = "", "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": keys = [] } = schema
  const errors: Array<FieldError> = []
  const listTypePath = `${path}.x-kubernetes-list-type`
  if (listType !== undefined && type !== "array") {
    const why = "must be array if x-kubernetes-list-type is specified"
    errors.push(type === "" ? requiredValue(`${path}.type`, why) : invalidField(`${path}.type`, type, why))
  }
  if (listType !== undefined && !listTypes.includes(listType))
    errors.push(unsupportedValue(listTypePath, listType, listTypes))
  if (keys.length > 0 && listType !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty"
    errors.push(
      listType === undefined ? requiredValue(listTypePath, why) : invalidField(listTypePath, listType, why)
    )
  }
  return listType === "map" ? [...errors, ...mapKeyProblems(schema, path)] : errors
}

const mapKeyProblems = (
  { items, "x-kubernetes-list-map-keys": keys = [] }: OpenApiSchema,
  path: string
): FieldErrors => {
  const keysPath = `${path}.x-kubernetes-list-map-keys`
  const errors: Array<FieldError> = []
  if (keys.length === 0)
    errors.push(requiredValue(keysPath, "must not be empty if x-kubernetes-list-type is map"))
  if (items === undefined) {
    errors.push(requiredValue(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"))
    return errors
  }
  const { type = "", required = [] } = items
  if (type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    return [...errors, invalidField(`${path}.items.type`, type, why)]
  }
  for (const [index, key] of keys.entries()) {
    const property = propertySchema(items, key)
    const propertyPath = `${path}.items.properties[${key}]`
    if (property === undefined)
      errors.push(invalidField(keysPath, keys, "entries must all be names of item properties"))
    else if (property.type === "array" || property.type === "object") {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      // Kubernetes shows the type of the items, not of the property.
      errors.push(invalidField(`${propertyPath}.type`, type, why))
    }
    if (keys.indexOf(key) < index)
      errors.push(invalidField(keysPath, keys, "must not contain duplicate entries"))
    const subject = "this property is in x-kubernetes-list-map-keys, so it"
    if (property !== undefined && property.default === undefined && !required.includes(key)) {
      const why = `${subject} must have a default or be a required property`
      errors.push(requiredValue(`${propertyPath}.default`, why))
    }
    if (property?.nullable === true)
      errors.push(forbiddenField(`${propertyPath}.nullable`, `${subject} cannot be nullable`))
  }
  return errors
}

const forbiddenInJunctors: ReadonlyArray<
  readonly [
    field: keyof OpenApiSchema | "title" | "description" | "externalDocs" | "x-kubernetes-validations",
    rule: string
  ]
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
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"]
]

/**
 * The anyOf of an int-or-string is the only junctor that may name types, even without
 * x-kubernetes-int-or-string.
 */
const isIntOrStringChoice = (schema: OpenApiSchema | undefined): boolean =>
  dequal(schema?.anyOf, [{ type: "integer" }, { type: "string" }])

const junctorProblems = (schema: OpenApiSchema, path: string): FieldErrors =>
  junctorSchemas(isIntOrStringChoice(schema) ? { ...schema, anyOf: [] } : schema, path).flatMap(
    ([inner, innerPath]) => {
      const isAllowedChoice = inner === schema.allOf?.[0] && isIntOrStringChoice(inner)
      return junctorSchemaProblems(isAllowedChoice ? { ...inner, anyOf: [] } : inner, innerPath)
    }
  )

const junctorSchemaProblems = (schema: OpenApiSchema, path: string): FieldErrors => {
  const forbiddenFields = forbiddenInJunctors.filter(([field]) => {
    const value: unknown = Object.hasOwn(schema, field) ? Reflect.get(schema, field) : undefined
    // An empty default counts too.
    if (field === "default") return value !== undefined && value !== null
    const isEmpty = value === undefined || value === false || value === ""
    return !isEmpty && !(Array.isArray(value) && value.length === 0)
  })
  // Values of maps are refused altogether.
  const { additionalProperties: _values, ...withoutValues } = schema
  const innerSchemas = [...subschemas(withoutValues, path), ...junctorSchemas(schema, path)]
  return [
    ...patternProblems(schema, path),
    ...forbiddenFields.map(([field, why]) => forbiddenField(`${path}.${field}`, why)),
    ...(propertySchema(schema, "metadata") === undefined
      ? []
      : [forbiddenField(`${path}.properties[metadata]`, "must not be specified in a nested context")]),
    ...innerSchemas.flatMap(([inner, innerPath]) => junctorSchemaProblems(inner, innerPath))
  ]
}

/**
 * Parts in a junctor of the root that the schema does not define. As in Kubernetes, deeper junctors
 * are not searched.
 */
const undefinedPartErrors = (
  schema: OpenApiSchema,
  {
    path,
    definition,
    definitionPath
  }: {
    readonly path: string
    readonly definition: OpenApiSchema | undefined
    readonly definitionPath: string
  }
): FieldErrors => {
  if (definition === undefined) return [requiredValue(definitionPath, `because it is defined in ${path}`)]
  return [
    ...junctorSchemas(schema, path).flatMap(([inner, innerPath]) =>
      undefinedPartErrors(inner, { path: innerPath, definition, definitionPath })
    ),
    ...(schema.items === undefined
      ? []
      : undefinedPartErrors(schema.items, {
          path: `${path}.items`,
          definition: definition.items,
          definitionPath: `${definitionPath}.items`
        })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      undefinedPartErrors(inner, {
        path: `${path}.properties[${name}]`,
        definition: propertySchema(definition, name),
        definitionPath: `${definitionPath}.properties[${name}]`
      })
    )
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
