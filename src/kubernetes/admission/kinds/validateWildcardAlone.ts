import { invalidField, noErrors, type FieldErrors } from "../../validation/fieldErrors.ts"

export const validateWildcardAlone = (
  items: ReadonlyArray<string>,
  path: string,
  pluralNoun: string
): FieldErrors =>
  items.length > 1 && items.includes("*")
    ? [invalidField(path, items, `if '*' is present, must not specify other ${pluralNoun}`)]
    : noErrors
