/** The latest of what has ascending numbers: what would be more than so many pushes the oldest out. */
export interface Latest<A> {
  /** Returns what is pushed out by it. */
  readonly add: (item: A) => A | undefined
  /** Strikes one out; false where it was pushed out already. */
  readonly remove: (item: A) => boolean
  /** All after a number, in order. */
  readonly after: (number: number) => ReadonlyArray<A>
  readonly all: () => ReadonlyArray<A>
}

export const makeLatest = <A>(options: {
  readonly lengthMax: number
  readonly numberOf: (item: A) => number
  /** What is there already. */
  readonly begun?: ReadonlyArray<A>
}): Latest<A> => {
  const { lengthMax, numberOf } = options
  let items = [...(options.begun ?? [])]
  let start = 0
  return {
    add: (item) => {
      items.push(item)
      if (items.length - start <= lengthMax) return undefined
      const first = items[start]
      start += 1
      // Cutting the array once per window keeps adding cheap; until then up to twice the window is held.
      if (start > lengthMax) {
        items = items.slice(start)
        start = 0
      }
      return first
    },
    remove: (item) => {
      const place = items.lastIndexOf(item)
      if (place < start) return false
      items.splice(place, 1)
      return true
    },
    after: (number) => {
      // Numbers ascend, so the first wanted one is found by halving.
      let [low, high] = [start, items.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        const item = items[middle]
        if (item === undefined || numberOf(item) <= number) low = middle + 1
        else high = middle
      }
      return items.slice(low)
    },
    all: () => items.slice(start)
  }
}
