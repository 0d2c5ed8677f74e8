import { sortedJson } from "../meta/text/sortedJson.ts"
import { dequal } from "dequal/lite"
import {
  duplicateValue,
  invalidField,
  unsupportedValue,
  requiredValue,
  valueTooLong,
  tooManyItems
} from "../validation/fieldErrors.ts"
import { isFields, type Fields } from "../meta/fields.ts"
import { matchesFormat } from "./formats.ts"
import { compilePattern } from "./compilePattern.ts"
import { propertySchema, additionalPropertiesSchema, type OpenApiSchema } from "./openApiSchema.ts"
import { goQuote } from "../meta/text/goQuote.ts"
import type { FieldError, FieldErrors } from "../validation/fieldErrors.ts"

/**
 * Values that equal those of `old` are not validated, because the schema may have become stricter.
 * Source: k8s.io/kube-openapi/pkg/validation/validate,
 * apiextensions-apiserver/pkg/apiserver/validation (validation.go, ratcheting.go).
 */
export const schemaErrors = (
  value: unknown,
  schema: OpenApiSchema,
  { path = "", old }: { readonly path?: string; readonly old?: unknown } = {}
): FieldErrors => errorsAt(path, value, schema, old)

/** An options object would be allocated for each value. */
const errorsAt = (path: string, value: unknown, schema: OpenApiSchema, old?: unknown): FieldErrors => {
  if (old !== undefined && dequal(value, old)) return []
  if (value === null || value === undefined) {
    return schema.nullable === true || typesOf(schema).length === 0 ? [] : [wrongType(schema, path, "null")]
  }
  return [
    ...typeProblems(value, schema, path),
    ...junctorProblems(value, schema, path),
    ...(typeof value === "string" ? textProblems(value, schema, path) : []),
    ...(typeof value === "number" ? numberProblems(value, schema, path) : []),
    ...(Array.isArray(value) ? listProblems(value, schema, path, old) : []),
    ...enumProblems(value, schema, path),
    ...(isFields(value) ? fieldsProblems(value, schema, path, old) : [])
  ]
}

const typesOf = (schema: OpenApiSchema): ReadonlyArray<string> => {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"]
  return schema.type === undefined || schema.type === "" ? [] : [schema.type]
}

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const bodyMessage = (path: string, rest: string): string => `${path} in body ${rest}`

const wrongType = (schema: OpenApiSchema, path: string, found: string): FieldError => ({
  type: "FieldValueTypeInvalid",
  field: path,
  value: found,
  detail: bodyMessage(path, `must be of type ${typesOf(schema).join(",")}: ${JSON.stringify(found)}`)
})

const typeProblems = (value: unknown, schema: OpenApiSchema, path: string): FieldErrors => {
  const types = typesOf(schema)
  const actual = typeOf(value)
  const isAllowed =
    types.length === 0 || types.includes(actual) || (actual === "integer" && types.includes("number"))
  return isAllowed ? [] : [wrongType(schema, path, actual)]
}

const textProblems = (text: string, schema: OpenApiSchema, path: string): ReadonlyArray<FieldError> => {
  const { maxLength = Infinity, minLength = 0, pattern, format } = schema
  const length = charactersIn(text)
  const errors: Array<FieldError> = []
  if (length > maxLength) errors.push(valueTooLong(path, maxLength))
  if (length < minLength) {
    errors.push(invalidField(path, text, bodyMessage(path, `should be at least ${minLength} chars long`)))
  }
  if (pattern !== undefined && compilePattern(pattern)?.(text) === false) {
    errors.push(invalidField(path, text, bodyMessage(path, `should match '${pattern}'`)))
  }
  if (format !== undefined && !matchesFormat(text, format)) {
    const detail = bodyMessage(path, `must be of type ${format}: ${goQuote(text)}`)
    errors.push({ type: "FieldValueTypeInvalid", field: path, value: text, detail })
  }
  return errors
}

/** Counts Unicode code points, as Go does. */
const charactersIn = (text: string): number => {
  let count = 0
  for (const _character of text) count += 1
  return count
}

const numberProblems = (number: number, schema: OpenApiSchema, path: string): FieldErrors => {
  const { multipleOf = 0, maximum = Infinity, minimum = -Infinity } = schema
  const { exclusiveMaximum = false, exclusiveMinimum = false } = schema
  const problem = (rest: string): FieldError => invalidField(path, number, bodyMessage(path, rest))
  const errors: Array<FieldError> = []
  if (multipleOf > 0 && !isMultiple(number, multipleOf)) {
    errors.push(problem(`should be a multiple of ${multipleOf}`))
  }
  if (exclusiveMaximum ? number >= maximum : number > maximum) {
    errors.push(problem(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`))
  }
  if (exclusiveMinimum ? number <= minimum : number < minimum) {
    errors.push(problem(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`))
  }
  return errors
}

/** As in Kubernetes, with a tolerance: most decimal fractions are inexact in binary. */
const isMultiple = (number: number, divisor: number): boolean => {
  const quotient = divisor < 1 ? (1 / divisor) * number : number / divisor
  const whole = Math.trunc(quotient)
  return quotient === whole || Math.abs(quotient - whole) / Math.abs(quotient + whole) < 1e-9
}

const enumProblems = (value: unknown, { enum: allowed }: OpenApiSchema, path: string): FieldErrors => {
  if (allowed === undefined || allowed.some((option) => dequal(option, value))) return []
  return [
    unsupportedValue(
      path,
      value,
      allowed.map((option) => (typeof option === "string" ? option : JSON.stringify(option)))
    )
  ]
}

const listProblems = (
  items: ReadonlyArray<unknown>,
  schema: OpenApiSchema,
  path: string,
  old: unknown
): FieldErrors => {
  const { minItems = 0, maxItems = Infinity, items: itemSchema } = schema
  const errors: Array<FieldError> = []
  if (itemSchema !== undefined) {
    const oldItemOf = oldItemsByKeys(old, schema)
    for (const [index, item] of items.entries()) {
      errors.push(...errorsAt(`${path}[${index}]`, item, itemSchema, oldItemOf(item)))
    }
  }
  if (items.length < minItems) {
    errors.push(invalidField(path, items.length, bodyMessage(path, `should have at least ${minItems} items`)))
  }
  if (items.length > maxItems) {
    errors.push(tooManyItems(path, { actual: items.length, max: maxItems }))
  }
  return errors
}

/** Only items of keyed lists have counterparts in `old`. */
const oldItemsByKeys = (old: unknown, schema: OpenApiSchema): ((item: unknown) => unknown) => {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = schema
  if (type !== "map" || !Array.isArray(old)) return () => undefined
  const textOf = (item: unknown): string => JSON.stringify(keysOf(item, keys))
  const oldItems = new Map(old.map((item: unknown) => [textOf(item), item]))
  return (item) => oldItems.get(textOf(item))
}

const fieldsProblems = (fields: Fields, schema: OpenApiSchema, path: string, old: unknown): FieldErrors => {
  const { minProperties = 0, maxProperties = Infinity, required: requiredNames = [] } = schema
  const count = Object.keys(fields).length
  const errors: Array<FieldError> = []
  const pathOf = (name: string): string => (path === "" ? name : `${path}.${name}`)
  if (count < minProperties) {
    errors.push(
      invalidField(path, count, bodyMessage(path, `should have at least ${minProperties} properties`))
    )
  }
  if (count > maxProperties) {
    errors.push(tooManyItems(path, { actual: count, max: maxProperties }))
  }
  for (const name of requiredNames) if (!Object.hasOwn(fields, name)) errors.push(requiredValue(pathOf(name)))
  const values = additionalPropertiesSchema(schema)
  for (const [name, value] of Object.entries(fields)) {
    const property = propertySchema(schema, name) ?? values
    const oldValue = isFields(old) ? old[name] : undefined
    if (property !== undefined) errors.push(...errorsAt(pathOf(name), value, property, oldValue))
  }
  return errors
}

/** Errors of junctors (allOf, anyOf, oneOf, not) have no field, which Go prints as `<nil>`. */
const junctorField = "<nil>"

const junctorProblems = (value: unknown, schema: OpenApiSchema, path: string): FieldErrors => {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema
  const junctorError = (rest: string): FieldError =>
    invalidField(junctorField, "", `${JSON.stringify(path)} must ${rest}`)
  const errors: Array<FieldError> = []
  // The anyOf of an int-or-string only repeats its two types.
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true
  if (anyOf.length > 0 && !isIntOrString) {
    const outcomes = anyOf.map((option) => errorsAt(path, value, option))
    if (outcomes.every((outcome) => outcome.length > 0)) {
      errors.push(junctorError("validate at least one schema (anyOf)"), ...fewestErrors(outcomes))
    }
  }
  if (oneOf.length > 0) {
    const outcomes = oneOf.map((option) => errorsAt(path, value, option))
    const valid = outcomes.filter((outcome) => outcome.length === 0).length
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`
    if (valid !== 1) {
      errors.push(
        junctorError(`validate one and only one schema (oneOf). ${found}`),
        ...fewestErrors(outcomes)
      )
    }
  }
  const allOfErrors = allOf.flatMap((option) => errorsAt(path, value, option))
  if (allOfErrors.length > 0) errors.push(junctorError("validate all the schemas (allOf)"), ...allOfErrors)
  if (not !== undefined && errorsAt(path, value, not).length === 0) {
    errors.push(junctorError("not validate the schema (not)"))
  }
  return errors
}

const fewestErrors = (outcomes: ReadonlyArray<FieldErrors>): FieldErrors =>
  outcomes.reduce((best, outcome) => (outcome.length < best.length ? outcome : best))

/** Source: apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go. */
export const listTypeErrors = (value: unknown, schema: OpenApiSchema, path = ""): FieldErrors => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const { items: itemSchema = {} } = schema
    const nestedErrors = items.flatMap((item, index) => listTypeErrors(item, itemSchema, `${path}[${index}]`))
    return [...duplicatesIn(items, schema, path), ...nestedErrors]
  }
  if (!isFields(value)) return []
  const values = additionalPropertiesSchema(schema)
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = propertySchema(schema, name) ?? values
    return property === undefined
      ? []
      : listTypeErrors(inner, property, path === "" ? name : `${path}.${name}`)
  })
}

const duplicatesIn = (items: ReadonlyArray<unknown>, schema: OpenApiSchema, path: string): FieldErrors => {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = schema
  if (type !== "set" && type !== "map") return []
  const nonObjectIndex = type === "map" ? items.findIndex((item) => item !== null && !isFields(item)) : -1
  if (nonObjectIndex !== -1) {
    const detail = "must be an object for an array of list-type map"
    return [invalidField(`${path}[${nonObjectIndex}]`, items[nonObjectIndex], detail)]
  }
  const counts = new Map<string, number>()
  return items.flatMap((item, index) => {
    const identity = type === "set" ? item : keysOf(item, keys)
    const text = sortedJson(identity)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    // Each repeated value is reported once.
    return count === 2 ? [duplicateValue(`${path}[${index}]`, identity)] : []
  })
}

const keysOf = (item: unknown, keys: ReadonlyArray<string>): Fields =>
  Object.fromEntries(
    keys.flatMap((key) => (isFields(item) && Object.hasOwn(item, key) ? [[key, item[key]] as const] : []))
  )
