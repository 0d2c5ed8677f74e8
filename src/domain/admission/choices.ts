import { noErrors, notSupported, type FieldErrors } from "./fieldErrors.ts"

/** A field that says one of a few words. A default has filled it in by now, so that it says something. */
export const oneOf = (
  value: string | undefined,
  supported: ReadonlyArray<string>,
  path: string
): FieldErrors => (supported.includes(value ?? "") ? noErrors : [notSupported(path, value, supported)])
