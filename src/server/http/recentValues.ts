/** A cache of values that were computed from immutable objects. */
export interface RecentValues<Key extends object, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => void
}

/**
 * Keeps the values that were added last: between half of `sizeMax` and all of it, in the unit of `sizeOf` (characters,
 * bytes, or just 1 for each). Without a bound, an old version of an object, which lives on in histories and recordings
 * though no client reads it, would keep its value as well.
 */
export const makeRecentValues = <Key extends object, Value>(options: {
  readonly sizeMax: number
  readonly sizeOf: (value: Value) => number
}): RecentValues<Key, Value> => {
  const { sizeMax, sizeOf } = options
  let recent = new WeakMap<Key, Value>()
  let earlier = new WeakMap<Key, Value>()
  let size = 0
  return {
    get: (key) => recent.get(key) ?? earlier.get(key),
    set: (key, value) => {
      size += sizeOf(value)
      if (size > sizeMax / 2) {
        earlier = recent
        recent = new WeakMap()
        size = sizeOf(value)
      }
      recent.set(key, value)
    }
  }
}
