import type { IntOrPercent } from "../meta/amounts/intOrPercent.ts"
import { invalidField, noErrors, validateNonNegative, type FieldErrors } from "./fieldErrors.ts"

/** Source: apps/validation/validation.go (ValidatePositiveIntOrPercent, IsNotMoreThan100Percent). */

const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' " +
  "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

export const validateIntOrPercent = (value: IntOrPercent, path: string): FieldErrors => {
  if (typeof value === "number") return validateNonNegative(path, value)
  return percentOf(value) === undefined ? [invalidField(path, value, percentRule)] : noErrors
}

export const validateAtMost100Percent = (value: IntOrPercent, path: string): FieldErrors =>
  (percentOf(value) ?? 0) > 100 ? [invalidField(path, value, "must not be greater than 100%")] : noErrors

export const percentOf = (value: IntOrPercent): number | undefined => {
  const digits = /^([0-9]+)%$/.exec(String(value))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The number of Pods or percent; other text counts as 0. */
export const numberOfIntOrPercent = (value: IntOrPercent): number =>
  percentOf(value) ?? (/^[-+]?\d+$/.test(String(value)) ? Number(value) : 0)
