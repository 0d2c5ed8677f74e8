import { noErrors, notSupported, type FieldErrors } from "./fieldErrors.ts"

/** Requires one of the supported values. Defaults have been filled in, so a missing value is an error. */
export const oneOf = (
  value: string | undefined,
  supported: ReadonlyArray<string>,
  path: string
): FieldErrors => (supported.includes(value ?? "") ? noErrors : [notSupported(path, value, supported)])
