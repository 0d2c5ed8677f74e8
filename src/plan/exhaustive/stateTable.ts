/** A state is three 32-bit numbers in flat arrays, since a million small objects would be slow and large. */
export interface StateTable {
  /** Returns the state's number. `parent`: the state from which it was found. */
  readonly add: (
    olderCounts: number,
    newerCounts: number,
    objectsAndFailures: number,
    parent: number
  ) => number
  readonly count: () => number
  readonly olderCounts: (index: number) => number
  readonly newerCounts: (index: number) => number
  readonly objectsAndFailures: (index: number) => number
  readonly parent: (index: number) => number
}

/** The parent of the initial state. */
export const noParentState = -1

const initialCapacity = 1 << 14
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
    add: (olderCounts, newerCounts, objectsAndFailures, parent) => {
      const mask = buckets.length - 1
      let bucket = hash(olderCounts, newerCounts, objectsAndFailures) & mask
      for (let entry = buckets[bucket] ?? 0; entry !== 0; entry = buckets[bucket] ?? 0) {
        const at = (entry - 1) * wordsPerState
        if (
          states[at] === olderCounts &&
          states[at + 1] === newerCounts &&
          states[at + 2] === objectsAndFailures
        )
          return entry - 1
        bucket = (bucket + 1) & mask
      }
      const at = count * wordsPerState
      states[at] = olderCounts
      states[at + 1] = newerCounts
      states[at + 2] = objectsAndFailures
      states[at + 3] = parent
      count += 1
      buckets[bucket] = count
      if (count === capacity) grow()
      return count - 1
    },
    count: () => count,
    olderCounts: (index) => wordAt(index, 0),
    newerCounts: (index) => wordAt(index, 1),
    objectsAndFailures: (index) => wordAt(index, 2),
    parent: (index) => wordAt(index, 3)
  }
}

const hash = (olderCounts: number, newerCounts: number, objectsAndFailures: number): number => {
  let mixed = olderCounts ^ Math.imul(newerCounts, 0x9e3779b1) ^ Math.imul(objectsAndFailures, 0x85ebca77)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
