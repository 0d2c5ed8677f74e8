/** A state is three 32-bit numbers in flat arrays, since a million small objects would be slow and large. */
export interface StateTable {
  /** Returns the state's number. `parent`: the state from which it was found, or -1. */
  readonly add: (first: number, second: number, rest: number, parent: number) => number
  readonly count: () => number
  readonly firstCounts: (index: number) => number
  readonly secondCounts: (index: number) => number
  readonly rest: (index: number) => number
  /** The initial state has the parent -1. */
  readonly parent: (index: number) => number
}

const initialCapacity = 1 << 14
/** Three numbers and the parent. */
const wordsPerState = 4

export const makeStateTable = (): StateTable => {
  let capacity = initialCapacity
  let states = new Int32Array(capacity * wordsPerState)
  /** State numbers plus one, by hash; 0 is an empty bucket. */
  let buckets = new Int32Array(capacity * 2)
  let count = 0

  const wordAt = (index: number, position: number): number => states[index * wordsPerState + position] ?? 0

  const grow = (): void => {
    capacity *= 2
    const larger = new Int32Array(capacity * wordsPerState)
    larger.set(states)
    states = larger
    buckets = new Int32Array(capacity * 2)
    const mask = buckets.length - 1
    for (let index = 0; index < count; index += 1) {
      let bucket = hash(wordAt(index, 0), wordAt(index, 1), wordAt(index, 2)) & mask
      while (buckets[bucket] !== 0) bucket = (bucket + 1) & mask
      buckets[bucket] = index + 1
    }
  }

  return {
    add: (first, second, rest, parent) => {
      const mask = buckets.length - 1
      let bucket = hash(first, second, rest) & mask
      for (let entry = buckets[bucket] ?? 0; entry !== 0; entry = buckets[bucket] ?? 0) {
        const at = (entry - 1) * wordsPerState
        if (states[at] === first && states[at + 1] === second && states[at + 2] === rest) return entry - 1
        bucket = (bucket + 1) & mask
      }
      const at = count * wordsPerState
      states[at] = first
      states[at + 1] = second
      states[at + 2] = rest
      states[at + 3] = parent
      count += 1
      buckets[bucket] = count
      if (count === capacity) grow()
      return count - 1
    },
    count: () => count,
    firstCounts: (index) => wordAt(index, 0),
    secondCounts: (index) => wordAt(index, 1),
    rest: (index) => wordAt(index, 2),
    parent: (index) => wordAt(index, 3)
  }
}

const hash = (first: number, second: number, rest: number): number => {
  let mixed = first ^ Math.imul(second, 0x9e3779b1) ^ Math.imul(rest, 0x85ebca77)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
