import { describe, expect, it } from "vitest"
import {
  requestDisruption,
  disruptionBudgetReport,
  failedDisruptionStatus,
  needsExpectedScale,
  allowsUnhealthyEviction,
  uncountedDisruptionStatus
} from "../../../src/kubernetes/policy/disruptionBudgets.ts"
import { anObject, aPod, aTime, startMillis } from "../../builders.ts"
import type { DisruptionBudget, DisruptionStatus } from "../../../src/kubernetes/policy/disruptionBudgets.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const aBudget = (spec: object, status: Partial<DisruptionStatus> = {}): DisruptionBudget =>
  anObject(
    "PodDisruptionBudget",
    { name: "web", generation: 3 },
    { spec, status: { ...uncountedDisruptionStatus, ...status } }
  )

const withoutGeneration = (budget: DisruptionBudget): DisruptionBudget => {
  const { generation: _generation, ...metadata } = budget.metadata
  return { ...budget, metadata }
}

const readyPods = (count: number): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => aPod({ name: `p${index}`, ready: true }))

const report = (budget: DisruptionBudget, pods: ReadonlyArray<Pod>, expectedScale: number) =>
  disruptionBudgetReport({ budget, pods, expectedScale, nowMillis: startMillis })

describe("the need of a scale", () => {
  it.each([
    { spec: { maxUnavailable: 0 }, isNeeded: true },
    { spec: { maxUnavailable: "30%" }, isNeeded: true },
    { spec: { minAvailable: "30%" }, isNeeded: true },
    { spec: { minAvailable: 3 }, isNeeded: false },
    { spec: {}, isNeeded: false }
  ])("for $spec: $isNeeded", ({ spec, isNeeded }) => {
    expect(needsExpectedScale(aBudget(spec))).toBe(isNeeded)
  })
})

describe("the status of a PodDisruptionBudget", () => {
  it.each([
    {
      why: "counts the present Pods for an absolute minAvailable",
      spec: { minAvailable: 1 },
      pods: 3,
      scale: 7,
      counts: [2, 1, 3]
    },
    {
      why: "allows nothing for a percentage of 0 replicas",
      spec: { minAvailable: "30%" },
      pods: 3,
      scale: 0,
      counts: [0, 0, 0]
    },
    { why: "allows the only Pod when none is needed", spec: {}, pods: 1, scale: 1, counts: [1, 0, 1] }
  ])("$why", ({ spec, pods, scale, counts }) => {
    const { disruptionsAllowed, desiredHealthy, expectedPods } = report(
      aBudget(spec),
      readyPods(pods),
      scale
    ).status
    expect([disruptionsAllowed, desiredHealthy, expectedPods]).toEqual(counts)
  })

  it("is 0 before the first sync", () => {
    expect(uncountedDisruptionStatus).toEqual({
      currentHealthy: 0,
      desiredHealthy: 0,
      disruptionsAllowed: 0,
      expectedPods: 0
    })
  })

  it("has no observedGeneration when the budget has no generation", () => {
    const { status } = report(withoutGeneration(aBudget({})), readyPods(1), 1)
    expect(status).not.toHaveProperty("observedGeneration")
    expect(status.conditions?.[0]).not.toHaveProperty("observedGeneration")
  })

  it("has a failed condition when the scale is unknown", () => {
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

  it("keeps the order of other conditions", () => {
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

  it("waits for an unobserved budget, unless the budget has no generation", () => {
    const { observedGeneration: _observed, ...unseen } = good
    const first = aBudget({}, unseen)
    const fresh = { ...first, metadata: { ...first.metadata, generation: 1 } }
    expect([ask(first).type, ask(fresh).type, ask(withoutGeneration(first)).type]).toEqual([
      "unknown",
      "unknown",
      "allowed"
    ])
  })

  it.each([
    { count: 2000, type: "allowed" },
    { count: 2001, type: "forbidden" }
  ])("is $type while $count Pods are evicted but not yet terminating", ({ count, type }) => {
    const disruptedPods = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`q${index}`, aTime(0)])
    )
    const verdict = ask(aBudget({}, { ...good, disruptedPods }))
    expect(verdict.type).toBe(type)
    if ("why" in verdict) expect(verdict.why).toContain("DisruptedPods map too big")
  })

  it("before the last allowed one keeps the condition", () => {
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

  const disruptionAllowed = { type: "DisruptionAllowed", lastTransitionTime: aTime(0) }
  it.each([
    {
      why: "there is no condition",
      conditions: undefined,
      problem: "does not allow evicting pods currently"
    },
    {
      why: "the condition has no message",
      conditions: [{ ...disruptionAllowed, status: "False", reason: "SyncFailed", message: "" }],
      problem: "does not allow evicting pods currently"
    },
    {
      why: "the condition is True",
      conditions: [{ ...disruptionAllowed, status: "True", reason: "SyncFailed", message: "so it was" }],
      problem: "does not allow evicting pods currently"
    }
  ])("is refused without a reason when $why", ({ conditions, problem }) => {
    const status = { ...good, disruptionsAllowed: 0, ...(conditions === undefined ? {} : { conditions }) }
    expect(ask(aBudget({}, status))).toEqual({
      type: "refused",
      why: `The disruption budget web ${problem}`
    })
  })

  it("of an unready Pod is free when the one needed Pod is healthy", () => {
    expect(allowsUnhealthyEviction(aBudget({}, { currentHealthy: 1, desiredHealthy: 1 }))).toBe(true)
  })
})
