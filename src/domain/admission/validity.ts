import { noErrors, type FieldErrors } from "./fieldErrors.ts"

/**
 * A check that remembers which frozen objects passed it, so that a spec shared by ten thousand Pods is
 * checked once. Only success is remembered: errors carry the path at which the object was found.
 */
export const rememberedCheck = <T extends object>(
  check: (object: T, path: string) => FieldErrors
): ((object: T, path: string) => FieldErrors) => {
  const passed = new WeakSet<T>()
  return (object, path) => {
    if (passed.has(object)) return noErrors
    const errors = check(object, path)
    if (errors.length === 0 && Object.isFrozen(object)) passed.add(object)
    return errors
  }
}
