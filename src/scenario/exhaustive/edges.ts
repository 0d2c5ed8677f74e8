/** The transitions between states in flat arrays, ordered by the state they start from. */
export interface Edges {
  /** Makes the edges that follow start from the next state. */
  readonly begin: () => void
  readonly add: (target: number) => void
  readonly count: () => number
  /** The index of a state's first edge; its edges end where those of the next state begin. */
  readonly firstEdgeOf: (state: number) => number
  readonly targetAt: (place: number) => number
}

const roomFirst = 1 << 14

export const makeEdges = (): Edges => {
  let targets = new Int32Array(roomFirst)
  let firstEdges = new Int32Array(roomFirst)
  let count = 0
  let states = 0
  return {
    begin: () => {
      if (states === firstEdges.length) firstEdges = doubled(firstEdges)
      firstEdges[states] = count
      states += 1
    },
    add: (target) => {
      if (count === targets.length) targets = doubled(targets)
      targets[count] = target
      count += 1
    },
    count: () => count,
    firstEdgeOf: (state) => (state < states ? (firstEdges[state] ?? 0) : count),
    targetAt: (place) => targets[place] ?? 0
  }
}

const doubled = (array: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}
