import { noErrors, type FieldErrors } from "./fieldErrors.ts"

/** Memoizes success alone, because errors contain the path. */
export const memoizeCheck = <T extends object>(
  check: (object: T, path: string) => FieldErrors
): ((object: T, path: string) => FieldErrors) => {
  const validObjects = new WeakSet<T>()
  return (object, path) => {
    if (validObjects.has(object)) return noErrors
    const errors = check(object, path)
    if (errors.length === 0 && Object.isFrozen(object)) validObjects.add(object)
    return errors
  }
}
