import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { conditionOf, withCondition, withoutCondition } from "../../src/kubernetes/meta/conditions.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { aTime, startMillis } from "../builders.ts"
import type { StatusCondition, DesiredCondition } from "../../src/kubernetes/meta/conditions.ts"

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
const said = (it: DesiredCondition, updated: number, turned = updated): StatusCondition => ({
  ...it,
  lastUpdateTime: aTime(updated),
  lastTransitionTime: aTime(turned)
})

const progressing = said(claim("Progressing", "False", "ForSomeReason"), 1)
const available = said(claim("Available", "True", "AwesomeController"), 2)
const now = { nowMillis: startMillis + 7_000, refresh: false }

describe("a condition is written (TestSetCondition)", () => {
  it.each([
    {
      why: "set for the first time",
      before: [],
      claim: claim("Available", "True", "Good"),
      after: [said(claim("Available", "True", "Good"), 7)]
    },
    {
      why: "a new type goes to the end",
      before: [progressing],
      claim: claim("Available", "True", "Good"),
      after: [progressing, said(claim("Available", "True", "Good"), 7)]
    },
    {
      why: "overwrite: one that is replaced goes to the end as well, and its status turned now",
      before: [progressing, available],
      claim: claim("Progressing", "True", "BecauseItIs"),
      after: [available, said(claim("Progressing", "True", "BecauseItIs"), 7)]
    },
    {
      why: "another reason for the same status: the status turned long ago",
      before: [progressing, available],
      claim: claim("Progressing", "False", "AnotherReason"),
      after: [available, said(claim("Progressing", "False", "AnotherReason"), 7, 1)]
    },
    {
      why: "a turn back and forth is a turn each time",
      before: [said(claim("Progressing", "Unknown", "Paused"), 3)],
      claim: claim("Progressing", "True", "Paused"),
      after: [said(claim("Progressing", "True", "Paused"), 7)]
    }
  ])("$why", ({ before, claim: it, after }) => {
    expect(withCondition(before, it, now)).toEqual(after)
  })

  it("the same status and reason leave everything as it was, message, times and place", () => {
    const before = [progressing, available]
    const again = claim("Progressing", "False", "ForSomeReason", "another message")
    expect(withCondition(before, again, now)).toBe(before)
  })

  it("a refresh replaces what says the same, so that progress is noted, and keeps the time of the turn", () => {
    const again = claim("Progressing", "False", "ForSomeReason", "another message")
    expect(withCondition([progressing, available], again, { ...now, refresh: true })).toEqual([
      available,
      said(again, 7, 1)
    ])
  })

  it("a refresh of another status turns it", () => {
    const turned = claim("Progressing", "True", "ForSomeReason")
    expect(withCondition([progressing], turned, { ...now, refresh: true })).toEqual([said(turned, 7)])
  })
})

describe("a condition is looked up and taken away (TestGetCondition, TestRemoveCondition)", () => {
  const both = [progressing, available]
  it("is found by its type, and only by that", () => {
    expect(conditionOf(both, "Available")).toBe(available)
    expect(conditionOf(both, "ReplicaFailure")).toBeUndefined()
    expect(conditionOf(undefined, "Available")).toBeUndefined()
  })
  it("is taken away", () => {
    expect(withoutCondition(both, "Progressing")).toEqual([available])
  })
  it.each([{ before: both }, { before: [] }])("nothing is taken away where there is none", ({ before }) => {
    expect(withoutCondition(before, "ReplicaFailure")).toBe(before)
  })
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

  it("one of a type; the last reason stands; the transition time is when the status last turned", () => {
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
