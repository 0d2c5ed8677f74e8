import { invalidField, noErrors, type FieldErrors } from "../../validation/fieldErrors.ts"

/** `what`: the items' name in the message, in the plural. */
export const validateWildcardAlone = (
  items: ReadonlyArray<string>,
  path: string,
  what: string
): FieldErrors =>
  items.length > 1 && items.includes("*")
    ? [invalidField(path, items, `if '*' is present, must not specify other ${what}`)]
    : noErrors
