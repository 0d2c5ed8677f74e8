import { describe, expect, it } from "vitest"
import { parseAssumptions } from "../../src/plan/assumptions.ts"
import { parsePredicates, failingValue } from "../../src/plan/predicates.ts"

const measured = {
  desired: 8,
  available: 6,
  pods: 10,
  lost: 30,
  requests: 2000,
  stuck: 3,
  seeds: 60,
  durationMillis: { p50: 61_000, p95: 90_000, worst: 121_000 }
}
const isFailing = (text: string, of: Parameters<typeof failingValue>[1] = measured): boolean => {
  const read = parsePredicates(text)
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join())
  return read.value.some((predicate) => failingValue(predicate, of) !== undefined)
}

describe("a predicate", () => {
  const rows: ReadonlyArray<{ readonly text: string; readonly holds: boolean; readonly why: string }> = [
    { text: "available<90%", holds: true, why: "6 of 8 are 75%" },
    { text: "available<75%", holds: false, why: "exactly 75% is not less" },
    { text: "available<=75%", holds: true, why: "the bound is exclusive" },
    { text: "available < 7", holds: true, why: "spaces are ignored" },
    { text: "pods>125%", holds: false, why: "10 of 8 are 125%" },
    { text: "pods>=10", holds: true, why: "a plain count" },
    { text: "stuck>4%", holds: true, why: "a share of the seeds, not of the Pods" },
    { text: "stuck=3", holds: true, why: "a count of seeds" },
    { text: "stuck!=3", holds: false, why: "the count equals" },
    { text: "lost>0", holds: true, why: "30 are more than 0" },
    { text: "lost>=1.5%", holds: true, why: "30 of 2000 requests" },
    { text: "lost>1.5%", holds: false, why: "the bound is exclusive" },
    { text: "duration>2m", holds: true, why: "the worst seed" },
    { text: "duration.p95>=1m30s", holds: true, why: "all but one of twenty" },
    { text: "duration.p50>1m1s", holds: false, why: "half of them" },
    { text: "pods>99,stuck>1", holds: true, why: "any of several predicates" }
  ]
  it.for(rows)("$text is $holds: $why", ({ text, holds }) => {
    expect(isFailing(text)).toBe(holds)
  })

  it("is false for a value that was not measured", () => {
    const nothing = { ...measured, available: undefined, lost: undefined, durationMillis: undefined }
    expect(isFailing("lost<1", nothing)).toBe(false)
    expect(isFailing("available<100%", nothing)).toBe(false)
    expect(isFailing("duration>0s", nothing)).toBe(false)
  })

  const refused: ReadonlyArray<readonly [text: string, column: number, message: RegExp]> = [
    ["available", 1, /^"available" is no comparison/],
    ["", 1, /^"" is no comparison/],
    ["pods>3,  gone>2", 10, /^nothing is called "gone": available, pods, lost, stuck, duration,/],
    ["available < many", 13, /^available is compared with a count or a percentage, not "many"$/],
    ["available<-1", 11, /not "-1"$/],
    ["duration>5", 10, /^duration is compared with a duration, not "5"$/],
    ["duration>-5s", 10, /not "-5s"$/],
    ["pods>5s", 6, /not "5s"$/]
  ]
  it.for(refused)("is refused in %j at column %i", ([text, column, message]) => {
    const read = parsePredicates(text)
    expect(read).toMatchObject({ ok: false, problems: [{ column, message: expect.stringMatching(message) }] })
  })
})

describe("an assumption", () => {
  it("changes the given fields of the behaviour of all Pods", () => {
    const basis = { name: "mine", pull: { delay: "1s", failures: 2 }, ready: "9s" } as const
    expect(parseAssumptions("start=20s, ready=5s..40s,pull=3s", basis)).toEqual({
      ok: true,
      value: {
        behaviour: {
          name: "assumed",
          pull: { delay: "3s", failures: 2 },
          start: "20s",
          ready: { uniform: ["5s", "40s"] }
        },
        traffic: {}
      }
    })
  })

  it("about clients changes no behaviour", () => {
    const basis = { name: "mine" } as const
    for (const [text, requestsPerSecond] of [
      ["requests=250", 250],
      ["requests=1.5/s", 1.5],
      ["requests=12000/m", 200],
      ["requests=0/h", 0]
    ] as const)
      expect(parseAssumptions(text, basis)).toEqual({
        ok: true,
        value: { behaviour: basis, traffic: { requestsPerSecond } }
      })
    expect(parseAssumptions("propagation=2.5s")).toEqual({
      ok: true,
      value: { behaviour: undefined, traffic: { propagationMillis: 2500 } }
    })
  })

  it("crash is the chance within a minute", () => {
    const read = parseAssumptions("crash=50%", { name: "mine" })
    // A minute is the half-life; the mean is longer by 1 / ln 2.
    expect(read).toMatchObject({
      ok: true,
      value: { behaviour: { exit: { after: { exponential: { mean: "86562ms" } } } } }
    })
    const harmless = { behaviour: { name: "assumed" }, traffic: {} }
    expect(parseAssumptions("crash=0%", { name: "mine" })).toEqual({ ok: true, value: harmless })
  })

  const refused: ReadonlyArray<readonly [text: string, column: number, message: RegExp]> = [
    ["start", 1, /^"start" is no assumption/],
    [
      "start=1s,stop=2s",
      10,
      /^nothing is called "stop": schedule, start, ready, terminate, pull, crash, requests, propagation/
    ],
    ["start=1s,start=2s", 10, /^start is given twice$/],
    ["start=soon", 7, /^"soon" is no duration such as 20s/],
    ["ready=1s..2s..3s", 7, /no range such as/],
    ["ready=-1s", 7, /no duration/],
    ["ready=9s..2s", 7, /^the range 9s..2s goes backwards$/],
    ["crash=1", 7, /^"1" is no chance from 0% to below 100%$/],
    ["crash=100%", 7, /no chance/],
    ["requests=many", 10, /^"many" is no rate such as 200\/s$/],
    ["requests=5/d", 10, /no rate/],
    ["propagation=1s..2s", 13, /^"1s..2s" is no duration such as 1s$/],
    ["requests=1,requests=2", 12, /^requests is given twice$/]
  ]
  it.for(refused)("is refused in %j at column %i", ([text, column, message]) => {
    expect(parseAssumptions(text)).toMatchObject({
      ok: false,
      problems: [{ column, message: expect.stringMatching(message) }]
    })
  })
})
