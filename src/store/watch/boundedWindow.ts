/** The latest items, by ascending `numberOf`. `add` returns the item that was dropped for the new one. */
export interface BoundedWindow<A> {
  readonly add: (item: A) => A | undefined
  readonly remove: (item: A) => boolean
  /** The items with higher numbers. */
  readonly after: (number: number) => ReadonlyArray<A>
  readonly all: () => ReadonlyArray<A>
}

const slicesPerWindow = 16

export const makeBoundedWindow = <A>(options: {
  readonly lengthMax: number
  readonly numberOf: (item: A) => number
  readonly initialItems?: ReadonlyArray<A>
}): BoundedWindow<A> => {
  const { lengthMax, numberOf } = options
  let items = [...(options.initialItems ?? [])]
  let start = 0
  return {
    add: (item) => {
      items.push(item)
      if (items.length - start <= lengthMax) return undefined
      const droppedItem = items[start]
      start += 1
      // Slicing copies all items, so it is done seldom.
      if (start > lengthMax / slicesPerWindow) {
        items = items.slice(start)
        start = 0
      }
      return droppedItem
    },
    remove: (item) => {
      const index = items.lastIndexOf(item)
      if (index < start) return false
      items.splice(index, 1)
      return true
    },
    after: (number) => {
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
