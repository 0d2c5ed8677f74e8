import { aggregateText } from "../meta/text/aggregateText.ts"
import { goQuote } from "../meta/text/goQuote.ts"

/** Source: field/errors.go, errors/errors.go (NewInvalid). */
export interface FieldError {
  readonly type: FieldErrorType
  readonly field: string
  readonly value?: unknown
  readonly detail?: string | undefined
  /** Set if the value is too large to be shown. */
  readonly hidesValue?: true
}

/** The `reason` of a cause in a Status. */
type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueNotFound"
  | "FieldValueTypeInvalid"

export type FieldErrors = ReadonlyArray<FieldError>

/** Shared, so that success allocates nothing. */
export const noErrors: FieldErrors = Object.freeze([])

export const concatLists = <A>(first: ReadonlyArray<A>, second: ReadonlyArray<A>): ReadonlyArray<A> =>
  first.length === 0 ? second : second.length === 0 ? first : [...first, ...second]

export const requiredValue = (field: string, detail?: string): FieldError => ({
  type: "FieldValueRequired",
  field,
  detail
})

export const invalidField = (field: string, value: unknown, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  value,
  detail
})

export const invalidWithoutValue = (field: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  detail,
  hidesValue: true
})

export const unsupportedValue = (
  field: string,
  value: unknown,
  supported: ReadonlyArray<string>
): FieldError => ({
  type: "FieldValueNotSupported",
  field,
  value,
  detail: `supported values: ${supported.map(goQuote).join(", ")}`
})

export const duplicateValue = (field: string, value: unknown): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  value
})

export const forbiddenField = (field: string, detail: string): FieldError => ({
  type: "FieldValueForbidden",
  field,
  detail
})

export const valueTooLong = (field: string, bytesMax: number): FieldError => ({
  type: "FieldValueTooLong",
  field,
  detail: `may not be more than ${bytesMax} bytes`
})

export const tooManyItems = (
  field: string,
  counts: { readonly actual: number; readonly max: number }
): FieldError => ({
  type: "FieldValueTooMany",
  field,
  value: counts.actual,
  detail: `must have at most ${counts.max} items`
})

export const valueNotFound = (field: string, value: unknown): FieldError => ({
  type: "FieldValueNotFound",
  field,
  value
})

export const immutableField = (field: string, value: unknown): FieldError =>
  invalidField(field, value, "field is immutable")

export const validateNonNegative = (field: string, value: number | undefined): FieldErrors =>
  value !== undefined && value < 0 ? [invalidField(field, value, notNegativeDetail)] : noErrors

/** Defaults have been filled in, so a missing value is an error. */
export const validateRequiredOneOf = (
  value: string | undefined,
  supported: ReadonlyArray<string>,
  path: string
): FieldErrors => (supported.includes(value ?? "") ? noErrors : [unsupportedValue(path, value, supported)])

export const validateOptionalOneOf = (
  value: string | undefined,
  supported: ReadonlyArray<string>,
  path: string
): FieldErrors =>
  value === undefined || supported.includes(value) ? noErrors : [unsupportedValue(path, value, supported)]

export const notNegativeDetail = "must be greater than or equal to 0"

const messageStarts: Readonly<
  Record<FieldErrorType, { readonly text: string; readonly showsValue: boolean }>
> = {
  FieldValueRequired: { text: "Required value", showsValue: false },
  FieldValueInvalid: { text: "Invalid value", showsValue: true },
  FieldValueNotSupported: { text: "Unsupported value", showsValue: true },
  FieldValueDuplicate: { text: "Duplicate value", showsValue: true },
  FieldValueForbidden: { text: "Forbidden", showsValue: false },
  FieldValueTooLong: { text: "Too long", showsValue: false },
  FieldValueTooMany: { text: "Too many", showsValue: true },
  FieldValueNotFound: { text: "Not found", showsValue: true },
  FieldValueTypeInvalid: { text: "Invalid value", showsValue: true }
}

/** The `message` of a cause in a Status: the error without its field. */
export const errorBody = (error: FieldError): string => {
  const start = messageStarts[error.type]
  const value = start.showsValue && error.hidesValue !== true ? `: ${formatValue(error.value)}` : ""
  return `${start.text}${value}${error.detail === undefined || error.detail === "" ? "" : `: ${error.detail}`}`
}

const formatValue = (value: unknown): string => {
  if (typeof value === "string") return goQuote(value)
  return value === undefined ? "null" : JSON.stringify(value)
}

/** Several errors stand in brackets, duplicates appear once. */
export const invalidMessage = (options: {
  readonly groupKind: string
  readonly name: string
  readonly errors: FieldErrors
}): string => {
  const texts = [...new Set(options.errors.map((error) => `${error.field}: ${errorBody(error)}`))]
  const errorsText = aggregateText(texts)
  const objectText = `${options.groupKind} ${goQuote(options.name)} is invalid`
  return errorsText === "" ? objectText : `${objectText}: ${errorsText}`
}
