import type { Edges } from "./edges.ts"

/**
 * States that follow one another and come back to the first, which is the first of them that was found; undefined where
 * every way comes to an end. States that nothing leads to any more are taken away until none is left (Kahn): each of
 * those that stay has another before it, and going back among them must come round.
 */
export const circleIn = (edges: Edges, states: number): ReadonlyArray<number> | undefined => {
  const into = new Int32Array(states)
  for (let place = 0; place < edges.count(); place += 1) {
    const target = edges.targetAt(place)
    into[target] = (into[target] ?? 0) + 1
  }
  const taken = new Int32Array(states)
  let ready = 0
  for (let state = 0; state < states; state += 1) {
    if (into[state] !== 0) continue
    taken[ready] = state
    ready += 1
  }
  for (let next = 0; next < ready; next += 1) {
    const state = taken[next] ?? 0
    const end = edges.placeOf(state + 1)
    for (let place = edges.placeOf(state); place < end; place += 1) {
      const target = edges.targetAt(place)
      const left = (into[target] ?? 0) - 1
      into[target] = left
      if (left !== 0) continue
      taken[ready] = target
      ready += 1
    }
  }
  return ready === states ? undefined : roundFrom(edges, into)
}

/** Goes back from one of the states that stayed until one comes again. */
const roundFrom = (edges: Edges, into: Int32Array): ReadonlyArray<number> => {
  const before = new Int32Array(into.length).fill(-1)
  for (const [state, left] of into.entries()) {
    if (left === 0) continue
    const end = edges.placeOf(state + 1)
    for (let place = edges.placeOf(state); place < end; place += 1) {
      const target = edges.targetAt(place)
      if (before[target] === -1) before[target] = state
    }
  }
  const way: Array<number> = []
  const places = new Map<number, number>()
  let at = into.findIndex((left) => left > 0)
  while (!places.has(at)) {
    places.set(at, way.length)
    way.push(at)
    at = before[at] ?? -1
  }
  const round = way.slice(places.get(at)).reverse()
  const first = round.indexOf(Math.min(...round))
  return [...round.slice(first), ...round.slice(0, first)]
}
