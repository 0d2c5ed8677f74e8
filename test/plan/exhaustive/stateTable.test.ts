import fc from "fast-check"
import { expect, it } from "vitest"
import { findCycle, makeEdges } from "../../../src/plan/exhaustive/edges.ts"
import { makeStateTable } from "../../../src/plan/exhaustive/stateTable.ts"
import { packCounts, unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"

it("states are numbered in the order in which they are added", () => {
  const table = makeStateTable()
  const count = 40_000
  for (let state = 0; state < count; state += 1) {
    expect(table.add(state % 7, Math.floor(state / 7), state % 3 === 0 ? -1 : 5, state - 1)).toBe(state)
  }
  expect(table.add(3, 1428, -1, 17)).toBe(9999)
  expect(table.count()).toBe(count)
  expect([
    table.olderCounts(9999),
    table.newerCounts(9999),
    table.objectsAndFailures(9999),
    table.parent(9999)
  ]).toEqual([3, 1428, -1, 9998])
})

const count = fc.integer({ min: 0, max: 15 })
const podCounts = fc.record({
  specReplicas: count,
  unready: count,
  ready: count,
  available: count,
  stopping: count,
  reportedPods: count,
  reportedAvailable: count
})

it("Pod counts are unpacked as they were packed", () => {
  fc.assert(
    fc.property(podCounts, (it) => {
      expect(unpackCounts(packCounts(it))).toEqual(it)
    }),
    { seed: 3, numRuns: 200 }
  )
  expect(() => packCounts({ ...unpackCounts(0), stopping: 16 })).toThrow("16 is no count of at most 15")
})

const edgesOf = (targetsByState: ReadonlyArray<ReadonlyArray<number>>) => {
  const edges = makeEdges()
  for (const targets of targetsByState) {
    edges.beginState()
    for (const target of targets) edges.add(target)
  }
  return edges
}

it.each([
  { why: "a line", targetsByState: [[1], [2], []], cycle: undefined },
  { why: "two paths to one end", targetsByState: [[1, 2], [3], [3], []], cycle: undefined },
  { why: "a self-loop", targetsByState: [[1], [1]], cycle: [1] },
  {
    why: "a cycle with an entry and an exit",
    targetsByState: [[1], [2], [3, 4], [1], [5], []],
    cycle: [1, 2, 3]
  },
  {
    why: "states that lead into a cycle are no part of it",
    targetsByState: [[2, 1], [], [3], [2, 1]],
    cycle: [2, 3]
  }
])("a cycle is found: $why", ({ targetsByState, cycle }) => {
  expect(findCycle(edgesOf(targetsByState), targetsByState.length)).toEqual(cycle)
})

it("a cycle of many states is found", () => {
  const states = 300_000
  const targetsByState = Array.from({ length: states }, (_, state) => [(state + 1) % states])
  expect(findCycle(edgesOf(targetsByState), states)).toHaveLength(states)
})

it("edges to later states alone have no cycle, and one edge back makes one", () => {
  const later = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 2, maxLength: 40 })
  fc.assert(
    fc.property(later, fc.nat(), (drawn, nat) => {
      const states = drawn.length
      const targetsByState = drawn.map((targets, state) => [
        ...(state + 1 < states ? [state + 1] : []),
        ...targets.map((target) => state + 1 + (target % states)).filter((target) => target < states)
      ])
      expect(findCycle(edgesOf(targetsByState), states)).toBeUndefined()
      const back = nat % states
      targetsByState.at(-1)?.push(back)
      const cycle = findCycle(edgesOf(targetsByState), states)
      expect(cycle?.[0]).toBeGreaterThanOrEqual(back)
      for (const [index, state] of (cycle ?? []).entries())
        expect(targetsByState[state]).toContain(cycle?.[(index + 1) % cycle.length])
    }),
    { seed: 8, numRuns: 100 }
  )
})
