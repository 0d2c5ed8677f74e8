/** Transitions between states in flat arrays, ordered by the state that they leave. */
export interface Edges {
  readonly beginState: () => void
  readonly add: (target: number) => void
  readonly count: () => number
  /** A state's edges end where the next state's begin. */
  readonly firstEdgeOf: (state: number) => number
  readonly targetAt: (index: number) => number
}

const initialCapacity = 1 << 14

export const makeEdges = (): Edges => {
  let targets = new Int32Array(initialCapacity)
  let firstEdges = new Int32Array(initialCapacity)
  let count = 0
  let stateCount = 0
  return {
    beginState: () => {
      if (stateCount === firstEdges.length) firstEdges = doubled(firstEdges)
      firstEdges[stateCount] = count
      stateCount += 1
    },
    add: (target) => {
      if (count === targets.length) targets = doubled(targets)
      targets[count] = target
      count += 1
    },
    count: () => count,
    firstEdgeOf: (state) => (state < stateCount ? (firstEdges[state] ?? 0) : count),
    targetAt: (index) => targets[index] ?? 0
  }
}

const doubled = (array: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** Uses Kahn's algorithm; undefined if there is no cycle. */
export const findCycle = (edges: Edges, stateCount: number): ReadonlyArray<number> | undefined => {
  const incomingCounts = new Int32Array(stateCount)
  for (let edge = 0; edge < edges.count(); edge += 1) {
    const target = edges.targetAt(edge)
    incomingCounts[target] = (incomingCounts[target] ?? 0) + 1
  }
  const removedStates = new Int32Array(stateCount)
  let removedCount = 0
  for (let state = 0; state < stateCount; state += 1) {
    if (incomingCounts[state] !== 0) continue
    removedStates[removedCount] = state
    removedCount += 1
  }
  for (let index = 0; index < removedCount; index += 1) {
    const state = removedStates[index] ?? 0
    const end = edges.firstEdgeOf(state + 1)
    for (let edge = edges.firstEdgeOf(state); edge < end; edge += 1) {
      const target = edges.targetAt(edge)
      const remaining = (incomingCounts[target] ?? 0) - 1
      incomingCounts[target] = remaining
      if (remaining !== 0) continue
      removedStates[removedCount] = target
      removedCount += 1
    }
  }
  return removedCount === stateCount ? undefined : cycleAmong(edges, incomingCounts)
}

const cycleAmong = (edges: Edges, incomingCounts: Int32Array): ReadonlyArray<number> => {
  const predecessor = new Int32Array(incomingCounts.length).fill(-1)
  for (const [state, remaining] of incomingCounts.entries()) {
    if (remaining === 0) continue
    const end = edges.firstEdgeOf(state + 1)
    for (let edge = edges.firstEdgeOf(state); edge < end; edge += 1) {
      const target = edges.targetAt(edge)
      if (predecessor[target] === -1) predecessor[target] = state
    }
  }
  const path: Array<number> = []
  const positions = new Map<number, number>()
  let state = incomingCounts.findIndex((remaining) => remaining > 0)
  while (!positions.has(state)) {
    positions.set(state, path.length)
    path.push(state)
    state = predecessor[state] ?? -1
  }
  const cycle = path.slice(positions.get(state)).reverse()
  // The state found first has the shortest way into the cycle.
  const first = cycle.indexOf(cycle.reduce((least, next) => Math.min(least, next)))
  return [...cycle.slice(first), ...cycle.slice(0, first)]
}
