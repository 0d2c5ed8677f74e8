import { isFields, type Fields } from "../meta/fields.ts"
import {
  propertySchema,
  implicitFields,
  additionalPropertiesSchema,
  type OpenApiSchema
} from "./openApiSchema.ts"

/**
 * Also drops invalid nulls; returns the same object if nothing changes. Source:
 * apiextensions-apiserver/pkg/apiserver/schema/defaulting.
 */
export const withSchemaDefaults = <F extends Fields>(object: F, schema: OpenApiSchema | undefined): F =>
  // Defaults only add fields, so the object keeps its type.
  schema === undefined ? object : (defaultFields(object, schema, implicitFields) as F)

const noNames: ReadonlySet<string> = new Set()

const defaultValue = (value: unknown, schema: OpenApiSchema): unknown => {
  if (Array.isArray(value)) return defaultItems(value, schema.items)
  return isFields(value) ? defaultFields(value, schema, noNames) : value
}

const defaultItems = (
  items: ReadonlyArray<unknown>,
  schema: OpenApiSchema | undefined
): ReadonlyArray<unknown> => {
  if (schema === undefined) return items
  const result = items.map((item) => {
    const hasDefault = item === null && schema.nullable !== true && schema.default !== undefined
    return defaultValue(hasDefault ? schema.default : item, schema)
  })
  return result.every((item, index) => item === items[index]) ? items : result
}

const defaultFields = (
  fields: Fields,
  schema: OpenApiSchema,
  fieldsWithoutDefaults: ReadonlySet<string>
): Fields => {
  const { properties = {} } = schema
  const values = additionalPropertiesSchema(schema)
  let isSame = true
  const entries = Object.entries(fields).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      const property = fieldsWithoutDefaults.has(name) ? undefined : (propertySchema(schema, name) ?? values)
      if (property === undefined) return [[name, value]]
      const isNullRefused = value === null && property.nullable !== true
      if (isNullRefused && property.default === undefined) {
        isSame = false
        return []
      }
      const next = defaultValue(isNullRefused ? property.default : value, property)
      if (next !== value) isSame = false
      return [[name, next]]
    }
  )
  const missing = Object.entries(properties).filter(
    ([name, property]) =>
      property.default !== undefined && !fieldsWithoutDefaults.has(name) && !Object.hasOwn(fields, name)
  )
  if (isSame && missing.length === 0) return fields
  const defaults = missing.map(
    ([name, property]) => [name, defaultValue(property.default, property)] as const
  )
  return Object.fromEntries([...entries, ...defaults])
}
