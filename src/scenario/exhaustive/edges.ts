/** Which states follow which, in flat arrays: those of one state after those of another. */
export interface Edges {
  /** Says that what is added from now on follows the next state. */
  readonly begin: () => void
  readonly add: (target: number) => void
  readonly count: () => number
  /** The place of the first that follows a state; those of the next state begin where its own end. */
  readonly placeOf: (state: number) => number
  readonly targetAt: (place: number) => number
}

const roomFirst = 1 << 14

export const makeEdges = (): Edges => {
  let targets = new Int32Array(roomFirst)
  let begins = new Int32Array(roomFirst)
  let count = 0
  let states = 0
  return {
    begin: () => {
      if (states === begins.length) begins = doubled(begins)
      begins[states] = count
      states += 1
    },
    add: (target) => {
      if (count === targets.length) targets = doubled(targets)
      targets[count] = target
      count += 1
    },
    count: () => count,
    placeOf: (state) => (state < states ? (begins[state] ?? 0) : count),
    targetAt: (place) => targets[place] ?? 0
  }
}

const doubled = (array: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}
