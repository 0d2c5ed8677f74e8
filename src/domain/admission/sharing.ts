import { deepFreeze } from "../freeze.ts"

/**
 * Changing objects without losing what they share. Everything here gives back the very same reference where
 * nothing changes, so that ten thousand Pods of one template keep one spec.
 */

/** An object on its way in, where nothing is promised to be there. */
export type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Go cannot tell an empty text from none, except behind a pointer. */
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ""

/** The object with what it lacks filled in; the same object where it lacks nothing. */
export const fill = <T extends object>(object: T, defaults: Partial<T>): T => {
  let filled: T | undefined
  for (const key in defaults) {
    const value = defaults[key]
    if (value === undefined || !isMissing(object[key]) || object[key] === value) continue
    filled ??= { ...object }
    filled[key] = value
  }
  return filled ?? object
}

/** The object with one field replaced; the same object where the field holds that value already. */
export const withField = <T extends object, K extends keyof T>(object: T, key: K, value: T[K]): T =>
  object[key] === value ? object : { ...object, [key]: value }

/** The object with one field changed where the object has it. */
export const changeField = <T extends object, K extends keyof T>(
  object: T,
  key: K,
  change: (value: NonNullable<T[K]>) => T[K]
): T => {
  const value = object[key]
  return value === undefined || value === null ? object : withField(object, key, change(value))
}

/** The list with every item changed; the same list where no item changes. */
export const changeEach = <T>(list: Array<T>, change: (item: T) => T): Array<T> => {
  let changed: Array<T> | undefined
  for (const [index, item] of list.entries()) {
    const next = change(item)
    if (next === item) continue
    changed ??= [...list]
    changed[index] = next
  }
  return changed ?? list
}

/**
 * A change that remembers what it made of a frozen object, so that the next caller with the same object pays
 * a look-up. What it makes is frozen as well, and known to need no further change: the change must be
 * idempotent. Frozen means frozen all the way down, as every stored object is.
 */
export const rememberedChange = <T extends object>(change: (object: T) => T): ((object: T) => T) => {
  const known = new WeakMap<T, T>()
  return (object) => {
    const before = known.get(object)
    if (before !== undefined) return before
    const changed = change(object)
    if (!Object.isFrozen(object)) return changed
    deepFreeze(changed)
    known.set(object, changed)
    known.set(changed, changed)
    return changed
  }
}

/** True when both are the same to Kubernetes: no list, an empty list and no value are one. */
export const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b || (isNothing(a) && isNothing(b))) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [entriesOf(a), entriesOf(b)]
  for (const key of left.keys()) if (!isSame(left.get(key), right.get(key))) return false
  for (const key of right.keys()) if (!left.has(key) && !isNothing(right.get(key))) return false
  return true
}

const entriesOf = (object: object): ReadonlyMap<string, unknown> => new Map(Object.entries(object))

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
