import { deepFreeze } from "../meta/deepFreeze.ts"

/**
 * Every function returns the same reference if nothing changes, so that Pods of one template share one spec.
 */

/** Go cannot tell an empty string from a missing one, except behind a pointer. */
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ""

export const fillDefaults = <T extends object>(object: T, defaults: Partial<T>): T =>
  fillFields(object, defaults, isMissing)

const isNull = (value: unknown): boolean => value === undefined || value === null

/** For fields that are pointers in Go: an empty string stays. */
export const fillPointers = <T extends object>(object: T, defaults: Partial<T>): T =>
  fillFields(object, defaults, isNull)

const fillFields = <T extends object>(
  object: T,
  defaults: Partial<T>,
  needsDefault: (value: unknown) => boolean
): T => {
  let filled: T | undefined
  for (const key in defaults) {
    const value = defaults[key]
    if (value === undefined || !needsDefault(object[key]) || object[key] === value) continue
    filled ??= { ...object }
    filled[key] = value
  }
  return filled ?? object
}

export const withField = <T extends object, K extends keyof T>(object: T, key: K, value: T[K]): T =>
  object[key] === value ? object : { ...object, [key]: value }

export const changeField = <T extends object, K extends keyof T>(
  object: T,
  key: K,
  change: (value: NonNullable<T[K]>) => T[K]
): T => {
  const value = object[key]
  return value === undefined || value === null ? object : withField(object, key, change(value))
}

export const changeEach = <T>(list: Array<T>, change: (item: T) => T): Array<T> => {
  let changed: Array<T> | undefined
  for (const [index, item] of list.entries()) {
    const changedItem = change(item)
    if (changedItem === item) continue
    changed ??= [...list]
    changed[index] = changedItem
  }
  return changed ?? list
}

/** The change must be idempotent. A frozen object must be frozen deeply, as stored objects are. */
export const memoizeChange = <T extends object>(change: (object: T) => T): ((object: T) => T) => {
  const results = new WeakMap<T, T>()
  return (object) => {
    const cached = results.get(object)
    if (cached !== undefined) return cached
    const changed = change(object)
    if (!Object.isFrozen(object)) return changed
    deepFreeze(changed)
    results.set(object, changed)
    results.set(changed, changed)
    return changed
  }
}

/** Every empty map and list equals a missing one; quantities compare as texts. */
export const isEqualIgnoringEmpty = (a: unknown, b: unknown): boolean => {
  if (a === b || (isMissingOrEmpty(a) && isMissingOrEmpty(b))) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [entriesOf(a), entriesOf(b)]
  for (const key of left.keys()) if (!isEqualIgnoringEmpty(left.get(key), right.get(key))) return false
  for (const key of right.keys()) if (!left.has(key) && !isMissingOrEmpty(right.get(key))) return false
  return true
}

const entriesOf = (object: object): ReadonlyMap<string, unknown> => new Map(Object.entries(object))

const isMissingOrEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
