import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { conditionOf, withCondition, withoutCondition } from "../../../src/kubernetes/meta/conditions.ts"
import { timestampOf } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import { aTime, startMillis } from "../../builders.ts"
import type { StatusCondition, DesiredCondition } from "../../../src/kubernetes/meta/conditions.ts"

const claim = (
  type: string,
  status: DesiredCondition["status"],
  reason: string,
  message = ""
): DesiredCondition => ({
  type,
  status,
  reason,
  message
})
const withTimes = (it: DesiredCondition, updated: number, turned = updated): StatusCondition => ({
  ...it,
  lastUpdateTime: aTime(updated),
  lastTransitionTime: aTime(turned)
})

const progressing = withTimes(claim("Progressing", "False", "ForSomeReason"), 1)
const available = withTimes(claim("Available", "True", "AwesomeController"), 2)
const writeOptions = { nowMillis: startMillis + 7_000, refresh: false }

describe("writing a condition (TestSetCondition)", () => {
  it.each([
    {
      why: "appends the first condition",
      before: [],
      claim: claim("Available", "True", "Good"),
      after: [withTimes(claim("Available", "True", "Good"), 7)]
    },
    {
      why: "appends a new type",
      before: [progressing],
      claim: claim("Available", "True", "Good"),
      after: [progressing, withTimes(claim("Available", "True", "Good"), 7)]
    },
    {
      why: "moves a replaced condition to the end, with a new transition time",
      before: [progressing, available],
      claim: claim("Progressing", "True", "BecauseItIs"),
      after: [available, withTimes(claim("Progressing", "True", "BecauseItIs"), 7)]
    },
    {
      why: "keeps the transition time for another reason with the same status",
      before: [progressing, available],
      claim: claim("Progressing", "False", "AnotherReason"),
      after: [available, withTimes(claim("Progressing", "False", "AnotherReason"), 7, 1)]
    },
    {
      why: "sets the transition time on every change of status",
      before: [withTimes(claim("Progressing", "Unknown", "Paused"), 3)],
      claim: claim("Progressing", "True", "Paused"),
      after: [withTimes(claim("Progressing", "True", "Paused"), 7)]
    }
  ])("$why", ({ before, claim: it, after }) => {
    expect(withCondition(before, it, writeOptions)).toEqual(after)
  })

  it("returns the same list when status and reason are the same", () => {
    const before = [progressing, available]
    const again = claim("Progressing", "False", "ForSomeReason", "another message")
    expect(withCondition(before, again, writeOptions)).toBe(before)
  })

  it("refreshes the update time and keeps the transition time on request", () => {
    const again = claim("Progressing", "False", "ForSomeReason", "another message")
    expect(withCondition([progressing, available], again, { ...writeOptions, refresh: true })).toEqual([
      available,
      withTimes(again, 7, 1)
    ])
  })

  it("sets the transition time when a refresh changes the status", () => {
    const turned = claim("Progressing", "True", "ForSomeReason")
    expect(withCondition([progressing], turned, { ...writeOptions, refresh: true })).toEqual([
      withTimes(turned, 7)
    ])
  })
})

describe("finding and removing a condition (TestGetCondition, TestRemoveCondition)", () => {
  const both = [progressing, available]
  it("finds a condition by its type", () => {
    expect(conditionOf(both, "Available")).toBe(available)
    expect(conditionOf(both, "ReplicaFailure")).toBeUndefined()
    expect(conditionOf(undefined, "Available")).toBeUndefined()
  })
  it("removes a condition by its type", () => {
    expect(withoutCondition(both, "Progressing")).toEqual([available])
  })
  it.each([{ before: both }, { before: [] }])(
    "returns the same list when the type is missing",
    ({ before }) => {
      expect(withoutCondition(before, "ReplicaFailure")).toBe(before)
    }
  )
})

const seed = 20_260_503

describe(`laws of conditions (seed ${seed})`, () => {
  const writes = fc.array(
    fc.record({
      type: fc.constantFrom("Available", "Progressing", "ReplicaFailure"),
      status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const),
      reason: fc.constantFrom("A", "B"),
      message: fc.constantFrom("m", "n"),
      refresh: fc.boolean(),
      waitMillis: fc.nat(4_500)
    }),
    { maxLength: 30 }
  )

  it("hold one condition of a type with its last reason, and the time of its last change of status", () => {
    fc.assert(
      fc.property(writes, (drawn) => {
        let conditions: ReadonlyArray<StatusCondition> = []
        let nowMillis = startMillis
        const turned = new Map<string, { readonly status: string; readonly at: string }>()
        for (const { refresh, waitMillis, ...it } of drawn) {
          nowMillis += waitMillis
          const before = conditions
          conditions = withCondition(before, it, { nowMillis, refresh })
          if (turned.get(it.type)?.status !== it.status) {
            turned.set(it.type, { status: it.status, at: timestampOf(nowMillis) })
          }
          const written = conditionOf(conditions, it.type)
          expect(written).toMatchObject({ status: it.status, reason: it.reason })
          expect(conditions.filter(({ type }) => type === it.type)).toHaveLength(1)
          if (conditions !== before) {
            expect(conditions.at(-1)).toBe(written)
            expect(written?.lastUpdateTime).toBe(timestampOf(nowMillis))
          }
          for (const condition of conditions) {
            expect(condition.lastTransitionTime).toBe(turned.get(condition.type)?.at)
            if (condition.type !== it.type) expect(before).toContain(condition)
          }
        }
      }),
      { seed, numRuns: 500 }
    )
  })
})
