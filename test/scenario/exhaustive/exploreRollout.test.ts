import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { exploreRollout, exploreStates, whyTooLarge } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { builtInStrategies } from "../../../machines/deployment.ts"
import { blueGreen } from "../../machines/blueGreen.ts"
import { claimAbout, rolled, stored, verdicts } from "./worlds.ts"
import type { RolloutModel } from "../../../src/plan/exhaustive/exploreRollout.ts"

const proved = (...about: ReadonlyArray<string>) => Object.fromEntries(about.map((it) => [it, "proved"]))
const allOfRolling = proved("ceiling", "floor", "rules", "end")

describe("what is proved of a rollout", () => {
  const v1 = stored({ version: "v1" })
  const v2 = stored({ version: "v2" })
  const rows: ReadonlyArray<{
    readonly why: string
    readonly world: Omit<RolloutModel, "failures">
    readonly claims: Readonly<Record<string, string>>
    /** The fewest available without a failure. */
    readonly fewest: number
  }> = [
    {
      why: "a rolling update keeps its amounts",
      world: { from: v1, next: v2 },
      claims: allOfRolling,
      fewest: 3
    },
    { why: "so does a Deployment that is new", world: { next: v1 }, claims: allOfRolling, fewest: 0 },
    { why: "nothing to do is done", world: { from: v1, next: v1 }, claims: allOfRolling, fewest: 3 },
    {
      why: "growing while another version comes never takes any away",
      world: { from: stored({ replicas: 2 }), next: stored({ replicas: 4, version: "v2", unavailable: 0 }) },
      claims: allOfRolling,
      fewest: 2
    },
    {
      why: "shrinking goes to the new size and its floor, and no further",
      world: { from: stored({ replicas: 5 }), next: stored({ replicas: 3, version: "v2", unavailable: 1 }) },
      claims: allOfRolling,
      fewest: 2
    },
    {
      why: "scaling to nothing",
      world: { from: v1, next: stored({ replicas: 0, version: "v2" }) },
      claims: allOfRolling,
      fewest: 0
    },
    {
      why: "another minReadySeconds for the same version makes Pods wait anew",
      world: { from: v1, next: stored({ version: "v1", minReadySeconds: 30 }) },
      claims: allOfRolling,
      fewest: 0
    },
    {
      why: "and none lets those go on that wait",
      world: { from: stored({ minReadySeconds: 30 }), next: stored({ version: "v2" }) },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "old ReplicaSets are cleaned up at once without a history",
      world: { from: v1, next: stored({ version: "v2", historyLimit: 0 }) },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "Recreate starts nothing new beside what is old",
      world: { from: v1, next: stored({ version: "v2", strategy: "Recreate" }) },
      claims: proved("recreate", "rules", "end"),
      fewest: 0
    },
    {
      why: "a paused Deployment stays as it is",
      world: { from: v1, next: stored({ version: "v2", paused: true }) },
      claims: proved("ceiling", "floor", "paused", "rules", "end"),
      fewest: 3
    },
    {
      why: "what was paused runs all the same, and goes on from there",
      world: { from: stored({ paused: true }), next: v2 },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "one that stays paused stays as it is",
      world: { from: stored({ paused: true }), next: stored({ version: "v2", paused: true }) },
      claims: proved("ceiling", "floor", "paused", "rules", "end"),
      fewest: 3
    },
    {
      why: "a strategy of somebody's own that takes no amounts promises nothing of Pods, and ends",
      world: {
        from: v1,
        next: { ...v2, spec: { ...v2.spec, strategy: { type: "BlueGreen" } } },
        strategies: [...builtInStrategies, blueGreen]
      },
      claims: proved("rules", "end"),
      fewest: 3
    }
  ]
  it.each(rows)("$why", ({ world, claims, fewest }) => {
    const found = exploreRollout({ ...world, failures: 1 })
    expect(verdicts(found)).toEqual(claims)
    expect(found.extremes[0]?.availableFewest).toBe(fewest)
  })

  it("with any amounts the floor is kept, less one for each failure", () => {
    const world = fc.record({
      replicas: fc.integer({ min: 1, max: 4 }),
      surge: fc.integer({ min: 0, max: 3 }),
      unavailable: fc.integer({ min: 0, max: 4 }),
      minReadySeconds: fc.constantFrom(0, 5)
    })
    fc.assert(
      fc.property(world, fc.integer({ min: 0, max: 2 }), (traits, failures) => {
        fc.pre(traits.surge + traits.unavailable > 0)
        const found = rolled(traits, { failures })
        expect(verdicts(found)).toEqual(allOfRolling)
        for (const [lost, { availableFewest }] of found.extremes.entries())
          expect(availableFewest).toBeGreaterThanOrEqual((found.availableMin ?? 0) - lost)
      }),
      { seed: 5, numRuns: 25 }
    )
  })
})

describe("what must not be", () => {
  const never = (fewer: number) => ({
    text: `available<${fewer}`,
    violation: ({ available }: { readonly available: number }) =>
      available < fewer ? `${available} available` : undefined
  })
  const half = { replicas: 4, surge: 0, unavailable: "50%" }

  it("is shown by the fewest steps that lead to it", () => {
    const found = rolled(half, { failures: 0, invariants: [never(3), never(2)] })
    const [atMostOneMissing, atMostTwoMissing] = found.claims.filter(({ about }) => about === "invariant")
    expect(atMostTwoMissing?.verdict).toBe("proved")
    expect(atMostOneMissing?.counterexample).toMatchObject({
      sums: "2 available",
      broken: "available<3",
      steps: [
        { who: "Deployment", available: 4, pods: 4 },
        { who: "Deployment", available: 4, pods: 4 },
        { what: "deleted 2 Pods", available: 2, pods: 2 }
      ]
    })
  })

  it("may be so from the beginning", () => {
    const found = rolled(half, { invariants: [never(5)] })
    expect(claimAbout(found, "invariant").counterexample?.steps).toEqual([])
  })
})

it("the shortest way to the fewest available begins where the rollout begins and ends there", () => {
  const found = rolled({ replicas: 3, surge: 1, unavailable: 1 }, { failures: 2 })
  expect(found.extremes.map(({ worst }) => worst.steps.at(-1)?.available)).toEqual([2, 1, 0])
  expect(
    found.extremes.map(({ worst }) => worst.steps.filter(({ who }) => who.startsWith("a Pod")).length)
  ).toEqual([0, 1, 2])
})

it("nothing is proved where not every state was seen, and what was found is said all the same", () => {
  const found = rolled({ replicas: 4, surge: 1, unavailable: 1 }, { statesMax: 1000 })
  expect(found.isWhole).toBe(false)
  expect(new Set(Object.values(verdicts(found)))).toEqual(new Set(["unproved"]))
  const early = rolled(
    { replicas: 4, surge: 1, unavailable: 1 },
    { statesMax: 1000, invariants: [{ text: "always", violation: () => "so" }] }
  )
  expect(claimAbout(early, "invariant").verdict).toBe("broken")
})

it("the same world is explored the same way", () => {
  const world = { replicas: 3, surge: 2, unavailable: 1 }
  expect(rolled(world)).toEqual(rolled(world))
})

it.each([
  { replicas: 12, why: undefined },
  { replicas: 13, why: "it has 13 replicas, and every order can be explored for 12 at the most" }
])("a Deployment of $replicas is refused before it is explored, or not", ({ replicas, why }) => {
  expect(whyTooLarge(stored({ replicas }))).toBe(why)
})

describe("what a small world leaves out decides nothing", () => {
  /** All sizes, Pods and reports that are reached; Pods on their way out aside. */
  const reached = (world: RolloutModel): ReadonlySet<string> => {
    const { table } = exploreStates(world).found
    const states = new Set<string>()
    for (let state = 0; state < table.count(); state += 1) {
      const broods = [table.first(state), table.second(state)].map((it) => ({
        ...unpackCounts(it),
        stopping: 0
      }))
      states.add(JSON.stringify(broods))
    }
    return states
  }
  it.each([
    { why: "a rolling update", traits: { replicas: 2, surge: 1, unavailable: 0 }, failures: 0 },
    {
      why: "with Pods that wait",
      traits: { replicas: 2, surge: 0, unavailable: 1, minReadySeconds: 5 },
      failures: 0
    },
    { why: "Recreate", traits: { replicas: 2, strategy: "Recreate" }, failures: 1 }
  ])("every word of every status and every Pod that stops: $why", ({ traits, failures }) => {
    const world = {
      from: stored({ version: "v1", ...traits }),
      next: stored({ version: "v2", ...traits }),
      failures
    }
    const little = reached(world)
    expect(reached({ ...world, statusDetail: "everything" })).toEqual(little)
    expect(little.size).toBeGreaterThan(20)
  })
})
