import { dequal } from "dequal/lite"
import { duplicate, invalid, notSupported, required, tooLong, tooMany } from "../admission/fieldErrors.ts"
import { isFields, type Fields } from "../fields.ts"
import { hasFormat } from "./formats.ts"
import { readPattern } from "./patterns.ts"
import { propertyOf, valuesSchema, type Schema } from "./schema.ts"
import type { FieldError, FieldErrors } from "../admission/fieldErrors.ts"

/**
 * What is wrong with a value by its schema, in upstream's words and order: type, junctors, then what its type allows.
 *
 * Source: k8s.io/kube-openapi/pkg/validation/validate (schema.go, values.go), its errors/schema.go (the words) and
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation/validation.go (the kinds of errors).
 */
export const valueProblems = (value: unknown, schema: Schema, path = ""): FieldErrors => {
  if (value === null || value === undefined) {
    return schema.nullable === true || typesOf(schema).length === 0 ? [] : [wrongType(schema, path, "null")]
  }
  return [
    ...typeProblems(value, schema, path),
    ...junctorProblems(value, schema, path),
    ...(typeof value === "string" ? textProblems(value, schema, path) : []),
    ...(typeof value === "number" ? numberProblems(value, schema, path) : []),
    ...(Array.isArray(value) ? listProblems(value, schema, path) : []),
    ...enumProblems(value, schema, path),
    ...(isFields(value) ? fieldsProblems(value, schema, path) : [])
  ]
}

const typesOf = (schema: Schema): ReadonlyArray<string> => {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"]
  return schema.type === undefined || schema.type === "" ? [] : [schema.type]
}

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const says = (path: string, rest: string): string => `${path} in body ${rest}`

const wrongType = (schema: Schema, path: string, found: string): FieldError => ({
  type: "FieldValueTypeInvalid",
  field: path,
  value: found,
  detail: says(path, `must be of type ${typesOf(schema).join(",")}: ${JSON.stringify(found)}`)
})

const typeProblems = (value: unknown, schema: Schema, path: string): FieldErrors => {
  const types = typesOf(schema)
  const found = typeOf(value)
  const isFine =
    types.length === 0 || types.includes(found) || (found === "integer" && types.includes("number"))
  return isFine ? [] : [wrongType(schema, path, found)]
}

const textProblems = (text: string, schema: Schema, path: string): ReadonlyArray<FieldError> => {
  const { maxLength = Infinity, minLength = 0, pattern, format } = schema
  const length = charactersIn(text)
  const errors: Array<FieldError> = []
  if (length > maxLength) errors.push(tooLong(path, maxLength))
  if (length < minLength) {
    errors.push(invalid(path, text, says(path, `should be at least ${minLength} chars long`)))
  }
  if (pattern !== undefined && readPattern(pattern)?.(text) === false) {
    errors.push(invalid(path, text, says(path, `should match '${pattern}'`)))
  }
  if (format !== undefined && !hasFormat(text, format)) {
    const detail = says(path, `must be of type ${format}: ${JSON.stringify(text)}`)
    errors.push({ type: "FieldValueTypeInvalid", field: path, value: text, detail })
  }
  return errors
}

/** Characters as Go counts them: of two halves that are one, one. */
const charactersIn = (text: string): number => {
  let count = 0
  for (const _character of text) count += 1
  return count
}

const numberProblems = (number: number, schema: Schema, path: string): FieldErrors => {
  const { multipleOf = 0, maximum = Infinity, minimum = -Infinity } = schema
  const { exclusiveMaximum = false, exclusiveMinimum = false } = schema
  const problem = (rest: string): FieldError => invalid(path, number, says(path, rest))
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

/** As near as numbers with a fraction come: 0.3 is three times 0.1, although it is not quite. */
const isMultiple = (number: number, of: number): boolean => {
  const times = of < 1 ? (1 / of) * number : number / of
  const whole = Math.trunc(times)
  return times === whole || Math.abs(times - whole) / Math.abs(times + whole) < 1e-9
}

const enumProblems = (value: unknown, { enum: allowed }: Schema, path: string): FieldErrors => {
  if (allowed === undefined || allowed.some((one) => dequal(one, value))) return []
  return [
    notSupported(
      path,
      value,
      allowed.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    )
  ]
}

const listProblems = (items: ReadonlyArray<unknown>, schema: Schema, path: string): FieldErrors => {
  const { minItems = 0, maxItems = Infinity, items: itemSchema } = schema
  const errors: Array<FieldError> = []
  if (itemSchema !== undefined) {
    for (const [index, item] of items.entries()) {
      errors.push(...valueProblems(item, itemSchema, `${path}[${index}]`))
    }
  }
  if (items.length < minItems) {
    errors.push(invalid(path, items.length, says(path, `should have at least ${minItems} items`)))
  }
  if (items.length > maxItems) {
    errors.push(tooMany(path, { actual: items.length, max: maxItems }))
  }
  return errors
}

const fieldsProblems = (fields: Fields, schema: Schema, path: string): FieldErrors => {
  const { minProperties = 0, maxProperties = Infinity, required: needed = [] } = schema
  const count = Object.keys(fields).length
  const errors: Array<FieldError> = []
  const below = (name: string): string => (path === "" ? name : `${path}.${name}`)
  if (count < minProperties) {
    errors.push(invalid(path, count, says(path, `should have at least ${minProperties} properties`)))
  }
  if (count > maxProperties) {
    errors.push(tooMany(path, { actual: count, max: maxProperties }))
  }
  for (const name of needed) if (!Object.hasOwn(fields, name)) errors.push(required(below(name), ""))
  const values = valuesSchema(schema)
  for (const [name, value] of Object.entries(fields)) {
    const known = propertyOf(schema, name) ?? values
    if (known !== undefined) errors.push(...valueProblems(value, known, below(name)))
  }
  return errors
}

/** What joins schemas has no field that it could name. */
const nowhere = "<nil>"

const junctorProblems = (value: unknown, schema: Schema, path: string): FieldErrors => {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema
  const says = (rest: string): FieldError => invalid(nowhere, "", `${JSON.stringify(path)} must ${rest}`)
  const errors: Array<FieldError> = []
  const isTold = schema["x-kubernetes-int-or-string"] === true
  if (anyOf.length > 0 && !isTold) {
    const outcomes = anyOf.map((one) => valueProblems(value, one, path))
    if (outcomes.every((outcome) => outcome.length > 0)) {
      errors.push(says("validate at least one schema (anyOf)"), ...fewest(outcomes))
    }
  }
  if (oneOf.length > 0) {
    const outcomes = oneOf.map((one) => valueProblems(value, one, path))
    const valid = outcomes.filter((outcome) => outcome.length === 0).length
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`
    if (valid !== 1) {
      errors.push(says(`validate one and only one schema (oneOf). ${found}`), ...fewest(outcomes))
    }
  }
  const ofAll = allOf.flatMap((one) => valueProblems(value, one, path))
  if (ofAll.length > 0) errors.push(says("validate all the schemas (allOf)"), ...ofAll)
  if (not !== undefined && valueProblems(value, not, path).length === 0) {
    errors.push(says("not validate the schema (not)"))
  }
  return errors
}

/** The errors of the schema that came closest. */
const fewest = (outcomes: ReadonlyArray<FieldErrors>): FieldErrors =>
  outcomes.reduce((best, outcome) => (outcome.length < best.length ? outcome : best))

/**
 * Elements that occur twice in a list where each counts once.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
 */
export const repeatedElements = (value: unknown, schema: Schema, path = ""): FieldErrors => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const { items: itemSchema = {} } = schema
    const inside = items.flatMap((item, index) => repeatedElements(item, itemSchema, `${path}[${index}]`))
    return [...repeatedIn(items, schema, path), ...inside]
  }
  if (!isFields(value)) return []
  const values = valuesSchema(schema)
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = propertyOf(schema, name) ?? values
    return known === undefined ? [] : repeatedElements(inner, known, path === "" ? name : `${path}.${name}`)
  })
}

const repeatedIn = (items: ReadonlyArray<unknown>, schema: Schema, path: string): FieldErrors => {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = schema
  if (type !== "set" && type !== "map") return []
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const identity = type === "set" ? item : keysOf(item, keys)
    const text = JSON.stringify(identity)
    if (!seen.has(text)) {
      seen.add(text)
      return []
    }
    return [duplicate(`${path}[${index}]`, identity)]
  })
}

const keysOf = (item: unknown, keys: ReadonlyArray<string>): Fields =>
  Object.fromEntries(
    keys.flatMap((key) => (isFields(item) && Object.hasOwn(item, key) ? [[key, item[key]] as const] : []))
  )
