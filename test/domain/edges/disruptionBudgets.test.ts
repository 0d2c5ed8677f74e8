import { describe, expect, it } from "vitest"
import {
  requestDisruption,
  disruptionBudgetReport,
  failedDisruptionStatus,
  needsExpectedScale,
  allowsUnhealthyEviction,
  uncountedDisruptionStatus
} from "../../../src/kubernetes/policy/disruptionBudgets.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import type { DisruptionBudget, DisruptionStatus } from "../../../src/kubernetes/policy/disruptionBudgets.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const aBudget = (spec: object, status: Partial<DisruptionStatus> = {}): DisruptionBudget => ({
  ...aPod({ name: "web", generation: 3 }),
  kind: "PodDisruptionBudget",
  spec,
  status: { ...uncountedDisruptionStatus, ...status }
})

const ungenerated = (budget: DisruptionBudget): DisruptionBudget => {
  const { generation: _generation, ...metadata } = budget.metadata
  return { ...budget, metadata }
}

const readyPods = (count: number): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => aPod({ name: `p${index}`, ready: true }))

const report = (budget: DisruptionBudget, pods: ReadonlyArray<Pod>, expectedScale: number) =>
  disruptionBudgetReport({ budget, pods, expectedScale, nowMillis: startMillis })

describe("whether somebody must say how many Pods there should be", () => {
  it.each([
    { spec: { maxUnavailable: 0 }, isNeeded: true },
    { spec: { maxUnavailable: "30%" }, isNeeded: true },
    { spec: { minAvailable: "30%" }, isNeeded: true },
    { spec: { minAvailable: 3 }, isNeeded: false },
    { spec: {}, isNeeded: false }
  ])("$spec: $isNeeded", ({ spec, isNeeded }) => {
    expect(needsExpectedScale(aBudget(spec))).toBe(isNeeded)
  })
})

describe("what a budget counts", () => {
  it.each([
    {
      why: "a number counts the Pods there are",
      spec: { minAvailable: 1 },
      pods: 3,
      scale: 7,
      counts: [2, 1, 3]
    },
    {
      why: "a share of nothing spares nobody",
      spec: { minAvailable: "30%" },
      pods: 3,
      scale: 0,
      counts: [0, 0, 0]
    },
    { why: "the only one may go where none is needed", spec: {}, pods: 1, scale: 1, counts: [1, 0, 1] }
  ])("$why", ({ spec, pods, scale, counts }) => {
    const { disruptionsAllowed, desiredHealthy, expectedPods } = report(
      aBudget(spec),
      readyPods(pods),
      scale
    ).status
    expect([disruptionsAllowed, desiredHealthy, expectedPods]).toEqual(counts)
  })

  it("is nothing before anybody has counted", () => {
    expect(uncountedDisruptionStatus).toEqual({
      currentHealthy: 0,
      desiredHealthy: 0,
      disruptionsAllowed: 0,
      expectedPods: 0
    })
  })

  it("names no generation where the budget has none", () => {
    const { status } = report(ungenerated(aBudget({})), readyPods(1), 1)
    expect(status).not.toHaveProperty("observedGeneration")
    expect(status.conditions?.[0]).not.toHaveProperty("observedGeneration")
  })

  it("is told to be unknown where nobody can count", () => {
    expect(failedDisruptionStatus(aBudget({}), "no owner", startMillis).conditions).toStrictEqual([
      {
        type: "DisruptionAllowed",
        status: "False",
        reason: "SyncFailed",
        message: "no owner",
        lastTransitionTime: aTime(0)
      }
    ])
  })

  it("is said beside the conditions of others, in its place", () => {
    const others = { status: "True", lastTransitionTime: aTime(0), reason: "R", message: "" }
    const before = ["Odd", "DisruptionAllowed", "Even"].map((type) => ({ ...others, type }))
    const { conditions } = report(
      aBudget({ minAvailable: 9 }, { conditions: before }),
      readyPods(1),
      1
    ).status
    expect(conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "Odd R",
      "DisruptionAllowed InsufficientPods",
      "Even R"
    ])
  })
})

describe("an eviction", () => {
  const ask = (budget: DisruptionBudget) => requestDisruption(budget, "p0", startMillis)
  const good = { observedGeneration: 3, disruptionsAllowed: 3, currentHealthy: 5, desiredHealthy: 3 }

  it("waits for a budget that nobody has looked at, unless it cannot tell", () => {
    const { observedGeneration: _observed, ...unseen } = good
    const first = aBudget({}, unseen)
    const fresh = { ...first, metadata: { ...first.metadata, generation: 1 } }
    expect([ask(first).type, ask(fresh).type, ask(ungenerated(first)).type]).toEqual([
      "unknown",
      "unknown",
      "allowed"
    ])
  })

  it.each([
    { count: 2000, type: "allowed" },
    { count: 2001, type: "forbidden" }
  ])("is $type while $count others have not begun to go", ({ count, type }) => {
    const disruptedPods = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`q${index}`, aTime(0)])
    )
    const verdict = ask(aBudget({}, { ...good, disruptedPods }))
    expect(verdict.type).toBe(type)
    if ("why" in verdict) expect(verdict.why).toContain("DisruptedPods map too big")
  })

  it("that is not the last leaves the condition alone", () => {
    const verdict = ask(aBudget({}, { ...good, disruptedPods: { p9: aTime(-3) } }))
    expect(verdict).toStrictEqual({
      type: "allowed",
      status: {
        expectedPods: 0,
        ...good,
        disruptionsAllowed: 2,
        disruptedPods: { p9: aTime(-3), p0: aTime(0) }
      }
    })
  })

  const said = { type: "DisruptionAllowed", lastTransitionTime: aTime(0) }
  it.each([
    { why: "it is not told why", conditions: undefined, answer: "does not allow evicting pods currently" },
    {
      why: "the reason has no words",
      conditions: [{ ...said, status: "False", reason: "SyncFailed", message: "" }],
      answer: "does not allow evicting pods currently"
    },
    {
      why: "the words are those of another time",
      conditions: [{ ...said, status: "True", reason: "SyncFailed", message: "so it was" }],
      answer: "does not allow evicting pods currently"
    }
  ])("is refused without a reason where $why", ({ conditions, answer }) => {
    const status = { ...good, disruptionsAllowed: 0, ...(conditions === undefined ? {} : { conditions }) }
    expect(ask(aBudget({}, status))).toEqual({
      type: "refused",
      why: `The disruption budget web ${answer}`
    })
  })

  it("of an unready Pod is free where one ready one is all that is needed", () => {
    expect(allowsUnhealthyEviction(aBudget({}, { currentHealthy: 1, desiredHealthy: 1 }))).toBe(true)
  })
})
