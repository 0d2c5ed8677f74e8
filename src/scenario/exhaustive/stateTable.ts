/**
 * All states found so far, each once, numbered in the order in which they were found. A state is three numbers of 32
 * bits: flat arrays and a hash of our own, since a million small objects would be slow and large.
 */
export interface StateTable {
  /** The number of a state, found now or before. */
  readonly add: (first: number, second: number, third: number, parent: number) => number
  readonly count: () => number
  readonly first: (index: number) => number
  readonly second: (index: number) => number
  readonly third: (index: number) => number
  /** The state from which it was found; -1 for the beginning. */
  readonly parent: (index: number) => number
}

const roomFirst = 1 << 14
const words = 4

export const makeStateTable = (): StateTable => {
  let room = roomFirst
  let states = new Int32Array(room * words)
  /** State numbers by hash, one more than they are: 0 is an empty place. */
  let places = new Int32Array(room * 2)
  let count = 0

  const word = (index: number, place: number): number => states[index * words + place] ?? 0

  const grow = (): void => {
    room *= 2
    const larger = new Int32Array(room * words)
    larger.set(states)
    states = larger
    places = new Int32Array(room * 2)
    const mask = places.length - 1
    for (let index = 0; index < count; index += 1) {
      let place = hash(word(index, 0), word(index, 1), word(index, 2)) & mask
      while (places[place] !== 0) place = (place + 1) & mask
      places[place] = index + 1
    }
  }

  return {
    add: (first, second, third, parent) => {
      const mask = places.length - 1
      let place = hash(first, second, third) & mask
      for (let known = places[place] ?? 0; known !== 0; known = places[place] ?? 0) {
        const at = (known - 1) * words
        if (states[at] === first && states[at + 1] === second && states[at + 2] === third) return known - 1
        place = (place + 1) & mask
      }
      const at = count * words
      states[at] = first
      states[at + 1] = second
      states[at + 2] = third
      states[at + 3] = parent
      count += 1
      places[place] = count
      if (count === room) grow()
      return count - 1
    },
    count: () => count,
    first: (index) => word(index, 0),
    second: (index) => word(index, 1),
    third: (index) => word(index, 2),
    parent: (index) => word(index, 3)
  }
}

/** Mixes three numbers so that near ones come to lie far apart (the finalizer of MurmurHash3). */
const hash = (first: number, second: number, third: number): number => {
  let mixed = first ^ Math.imul(second, 0x9e3779b1) ^ Math.imul(third, 0x85ebca77)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
