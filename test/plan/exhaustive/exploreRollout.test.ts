import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { exploreRollout, exploreStates, whyTooLarge } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { claimAbout, exploredRollout, storedDeployment, verdicts } from "./exploredRollouts.ts"
import type { RolloutModel } from "../../../src/plan/exhaustive/exploreRollout.ts"

const proved = (...about: ReadonlyArray<string>) => Object.fromEntries(about.map((it) => [it, "proved"]))
const allOfRolling = proved("ceiling", "floor", "rules", "end")

describe("the claims of an explored rollout", () => {
  const v1 = storedDeployment({ version: "v1" })
  const v2 = storedDeployment({ version: "v2" })
  const rows: ReadonlyArray<{
    readonly why: string
    readonly model: Omit<RolloutModel, "failuresMax">
    readonly claims: Readonly<Record<string, string>>
    /** Fewest available Pods without a failure. */
    readonly fewest: number
  }> = [
    {
      why: "a rolling update keeps its ceiling and floor",
      model: { from: v1, next: v2 },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "a new Deployment keeps its ceiling and floor",
      model: { next: v1 },
      claims: allOfRolling,
      fewest: 0
    },
    {
      why: "an unchanged Deployment is complete",
      model: { from: v1, next: v1 },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "a rollout that also grows keeps the old floor",
      model: {
        from: storedDeployment({ replicas: 2 }),
        next: storedDeployment({ replicas: 4, version: "v2", unavailable: 0 })
      },
      claims: allOfRolling,
      fewest: 2
    },
    {
      why: "a rollout that also shrinks keeps the new floor",
      model: {
        from: storedDeployment({ replicas: 5 }),
        next: storedDeployment({ replicas: 3, version: "v2", unavailable: 1 })
      },
      claims: allOfRolling,
      fewest: 2
    },
    {
      why: "scaling to 0 ends",
      model: { from: v1, next: storedDeployment({ replicas: 0, version: "v2" }) },
      claims: allOfRolling,
      fewest: 0
    },
    {
      why: "a larger minReadySeconds makes Pods unavailable again",
      model: { from: v1, next: storedDeployment({ version: "v1", minReadySeconds: 30 }) },
      claims: allOfRolling,
      fewest: 0
    },
    {
      why: "minReadySeconds removed makes waiting Pods available",
      model: { from: storedDeployment({ minReadySeconds: 30 }), next: storedDeployment({ version: "v2" }) },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "revisionHistoryLimit 0 deletes old ReplicaSets",
      model: { from: v1, next: storedDeployment({ version: "v2", historyLimit: 0 }) },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "Recreate creates no new Pod beside old ones",
      model: { from: v1, next: storedDeployment({ version: "v2", strategy: "Recreate" }) },
      claims: proved("recreate", "rules", "end"),
      fewest: 0
    },
    {
      why: "a paused Deployment stays as it is",
      model: { from: v1, next: storedDeployment({ version: "v2", paused: true }) },
      claims: proved("ceiling", "floor", "paused", "rules", "end"),
      fewest: 3
    },
    {
      why: "a Deployment that was paused rolls out",
      model: { from: storedDeployment({ paused: true }), next: v2 },
      claims: allOfRolling,
      fewest: 3
    },
    {
      why: "a Deployment that stays paused stays as it is",
      model: {
        from: storedDeployment({ paused: true }),
        next: storedDeployment({ version: "v2", paused: true })
      },
      claims: proved("ceiling", "floor", "paused", "rules", "end"),
      fewest: 3
    },
    {
      why: "a custom strategy without bounds has no ceiling and floor, and ends",
      model: {
        from: v1,
        next: { ...v2, spec: { ...v2.spec, strategy: { type: "BlueGreen" } } },
        strategies: [...builtInStrategies, blueGreen]
      },
      claims: proved("rules", "end"),
      fewest: 3
    }
  ]
  it.each(rows)("$why", ({ model, claims, fewest }) => {
    const found = exploreRollout({ ...model, failuresMax: 1 })
    expect(verdicts(found)).toEqual(claims)
    expect(found.extremes[0]?.availableFewest).toBe(fewest)
  })

  it("with any bounds the floor is kept, less one for each failure", () => {
    const model = fc.record({
      replicas: fc.integer({ min: 1, max: 4 }),
      surge: fc.integer({ min: 0, max: 3 }),
      unavailable: fc.integer({ min: 0, max: 4 }),
      minReadySeconds: fc.constantFrom(0, 5)
    })
    fc.assert(
      fc.property(model, fc.integer({ min: 0, max: 2 }), (traits, failuresMax) => {
        fc.pre(traits.surge + traits.unavailable > 0)
        const found = exploredRollout(traits, { failuresMax })
        expect(verdicts(found)).toEqual(allOfRolling)
        for (const [lost, { availableFewest }] of found.extremes.entries())
          expect(availableFewest).toBeGreaterThanOrEqual((found.availableMin ?? 0) - lost)
      }),
      { seed: 5, numRuns: 25 }
    )
  })
})

describe("an invariant", () => {
  const never = (fewer: number) => ({
    text: `available<${fewer}`,
    violation: ({ available }: { readonly available: number }) =>
      available < fewer ? `${available} available` : undefined
  })
  const half = { replicas: 4, surge: 0, unavailable: "50%" }

  it("has a shortest counterexample", () => {
    const found = exploredRollout(half, { failuresMax: 0, invariants: [never(3), never(2)] })
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

  it("may be violated in the initial state", () => {
    const found = exploredRollout(half, { invariants: [never(5)] })
    expect(claimAbout(found, "invariant").counterexample?.steps).toEqual([])
  })
})

it("the path to the fewest available ends with the fewest available and has one failure more each", () => {
  const found = exploredRollout({ replicas: 3, surge: 1, unavailable: 1 }, { failuresMax: 2 })
  expect(found.extremes.map(({ worst }) => worst.steps.at(-1)?.available)).toEqual([2, 1, 0])
  expect(
    found.extremes.map(({ worst }) => worst.steps.filter(({ who }) => who.startsWith("a Pod")).length)
  ).toEqual([0, 1, 2])
})

it("nothing is proved when statesMax is reached, but counterexamples are reported", () => {
  const found = exploredRollout({ replicas: 4, surge: 1, unavailable: 1 }, { statesMax: 1000 })
  expect(found.isWhole).toBe(false)
  expect(new Set(Object.values(verdicts(found)))).toEqual(new Set(["unproved"]))
  const early = exploredRollout(
    { replicas: 4, surge: 1, unavailable: 1 },
    { statesMax: 1000, invariants: [{ text: "always", violation: () => "so" }] }
  )
  expect(claimAbout(early, "invariant").verdict).toBe("broken")
})

it("the same rollout is explored with the same result", () => {
  const model = { replicas: 3, surge: 2, unavailable: 1 }
  expect(exploredRollout(model)).toEqual(exploredRollout(model))
})

it.each([
  { replicas: 12, why: undefined },
  { replicas: 13, why: "it has 13 replicas, and every order can be explored for 12 at the most" }
])("a Deployment of $replicas replicas is refused when it is too large", ({ replicas, why }) => {
  expect(whyTooLarge(storedDeployment({ replicas }))).toBe(why)
})

describe("the reduced status of the model", () => {
  /** All reached sizes, Pods and reported counts, without terminating Pods. */
  const reached = (model: RolloutModel): ReadonlySet<string> => {
    const { table } = exploreStates(model).result
    const states = new Set<string>()
    for (let state = 0; state < table.count(); state += 1) {
      const broods = [table.olderCounts(state), table.newerCounts(state)].map((it) => ({
        ...unpackCounts(it),
        stopping: 0
      }))
      states.add(JSON.stringify(broods))
    }
    return states
  }
  it.each([
    { why: "a rolling update", traits: { replicas: 2, surge: 1, unavailable: 0 }, failuresMax: 0 },
    {
      why: "with minReadySeconds",
      traits: { replicas: 2, surge: 0, unavailable: 1, minReadySeconds: 5 },
      failuresMax: 0
    },
    { why: "Recreate", traits: { replicas: 2, strategy: "Recreate" }, failuresMax: 1 }
  ])("reaches the same states as the full status and terminating Pods: $why", ({ traits, failuresMax }) => {
    const model = {
      from: storedDeployment({ version: "v1", ...traits }),
      next: storedDeployment({ version: "v2", ...traits }),
      failuresMax
    }
    const little = reached(model)
    expect(reached({ ...model, statusDetail: "everything" })).toEqual(little)
    expect(little.size).toBeGreaterThan(20)
  })
})
