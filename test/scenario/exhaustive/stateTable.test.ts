import fc from "fast-check"
import { expect, it } from "vitest"
import { findCycle, makeEdges } from "../../../src/plan/exhaustive/edges.ts"
import { makeStateTable } from "../../../src/plan/exhaustive/stateTable.ts"
import { packCounts, unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"

it("states are numbered in the order in which they were found, however many there are", () => {
  const table = makeStateTable()
  const count = 40_000
  for (let state = 0; state < count; state += 1) {
    expect(table.add(state % 7, Math.floor(state / 7), state % 3 === 0 ? -1 : 5, state - 1)).toBe(state)
  }
  expect(table.add(3, 1428, -1, 17)).toBe(9999)
  expect(table.count()).toBe(count)
  expect([table.first(9999), table.second(9999), table.third(9999), table.parent(9999)]).toEqual([
    3, 1428, -1, 9998
  ])
})

const count = fc.integer({ min: 0, max: 15 })
const brood = fc.record({
  specReplicas: count,
  unready: count,
  ready: count,
  available: count,
  stopping: count,
  reportedPods: count,
  reportedAvailable: count
})

it("a brood comes out as it went in", () => {
  fc.assert(
    fc.property(brood, (it) => {
      expect(unpackCounts(packCounts(it))).toEqual(it)
    }),
    { seed: 3, numRuns: 200 }
  )
  expect(() => packCounts({ ...unpackCounts(0), stopping: 16 })).toThrow("16 is no count of at most 15")
})

const edgesOf = (following: ReadonlyArray<ReadonlyArray<number>>) => {
  const edges = makeEdges()
  for (const targets of following) {
    edges.beginState()
    for (const target of targets) edges.add(target)
  }
  return edges
}

it.each([
  { why: "a line", following: [[1], [2], []], circle: undefined },
  { why: "two ways to one end", following: [[1, 2], [3], [3], []], circle: undefined },
  { why: "a state that follows itself", following: [[1], [1]], circle: [1] },
  {
    why: "a circle with a way in and a way out",
    following: [[1], [2], [3, 4], [1], [5], []],
    circle: [1, 2, 3]
  },
  {
    why: "the states behind a circle are no part of it",
    following: [[2, 1], [], [3], [2, 1]],
    circle: [2, 3]
  }
])("what goes round is found: $why", ({ following, circle }) => {
  expect(findCycle(edgesOf(following), following.length)).toEqual(circle)
})

it("where every way leads to a later state nothing goes round, and one step back makes it so", () => {
  const later = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 2, maxLength: 40 })
  fc.assert(
    fc.property(later, fc.nat(), (drawn, nat) => {
      const states = drawn.length
      const following = drawn.map((targets, state) => [
        ...(state + 1 < states ? [state + 1] : []),
        ...targets.map((target) => state + 1 + (target % states)).filter((target) => target < states)
      ])
      expect(findCycle(edgesOf(following), states)).toBeUndefined()
      const back = nat % states
      following.at(-1)?.push(back)
      const circle = findCycle(edgesOf(following), states)
      expect(circle?.[0]).toBeGreaterThanOrEqual(back)
      for (const [index, state] of (circle ?? []).entries())
        expect(following[state]).toContain(circle?.[(index + 1) % circle.length])
    }),
    { seed: 8, numRuns: 100 }
  )
})
