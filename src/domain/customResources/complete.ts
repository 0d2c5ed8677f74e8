import { isFields, type Fields } from "../fields.ts"
import { propertyOf, typeAndMetadata, valuesSchema, type Schema } from "./schema.ts"

/**
 * An object with the defaults of its schema filled in, and without nulls where none may be. The same object where
 * nothing was missing.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting (Default,
 * PruneNonNullableNullsWithoutDefaults).
 */
export const completed = <F extends Fields>(object: F, schema: Schema | undefined): F =>
  // What is filled in are fields of the schema: an object stays one of its kind.
  schema === undefined ? object : (completedFields(object, schema, typeAndMetadata) as F)

const none: ReadonlySet<string> = new Set()

const completedValue = (value: unknown, schema: Schema): unknown => {
  if (Array.isArray(value)) return completedItems(value, schema.items)
  return isFields(value) ? completedFields(value, schema, none) : value
}

const completedItems = (
  items: ReadonlyArray<unknown>,
  schema: Schema | undefined
): ReadonlyArray<unknown> => {
  if (schema === undefined) return items
  const complete = items.map((item) => {
    const isFilled = item === null && schema.nullable !== true && schema.default !== undefined
    return completedValue(isFilled ? schema.default : item, schema)
  })
  return complete.every((item, index) => item === items[index]) ? items : complete
}

const completedFields = (fields: Fields, schema: Schema, except: ReadonlySet<string>): Fields => {
  const { properties = {} } = schema
  const values = valuesSchema(schema)
  let isSame = true
  const present = Object.entries(fields).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      const known = except.has(name) ? undefined : (propertyOf(schema, name) ?? values)
      if (known === undefined) return [[name, value]]
      const isLeftOut = value === null && known.nullable !== true
      if (isLeftOut && known.default === undefined) {
        isSame = false
        return []
      }
      const next = completedValue(isLeftOut ? known.default : value, known)
      if (next !== value) isSame = false
      return [[name, next]]
    }
  )
  const missing = Object.entries(properties).filter(
    ([name, known]) => known.default !== undefined && !except.has(name) && !Object.hasOwn(fields, name)
  )
  if (isSame && missing.length === 0) return fields
  const filled = missing.map(([name, known]) => [name, completedValue(known.default, known)] as const)
  return Object.fromEntries([...present, ...filled])
}
