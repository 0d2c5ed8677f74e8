/** Caches values that are computed from immutable objects. */
export interface RecentValues<Key extends object, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => void
}

/**
 * Keeps the latest values: between half and all of `sizeMax`, in the unit of `sizeOf`. Histories and recordings keep
 * old objects alive, which would keep the values in an unbounded cache.
 */
export const makeRecentValues = <Key extends object, Value>(options: {
  readonly sizeMax: number
  readonly sizeOf: (value: Value) => number
}): RecentValues<Key, Value> => {
  const { sizeMax, sizeOf } = options
  let recent = new WeakMap<Key, Value>()
  let previous = new WeakMap<Key, Value>()
  let size = 0
  return {
    get: (key) => recent.get(key) ?? previous.get(key),
    set: (key, value) => {
      size += sizeOf(value)
      if (size > sizeMax / 2) {
        previous = recent
        recent = new WeakMap()
        size = sizeOf(value)
      }
      recent.set(key, value)
    }
  }
}
