import { expect, it } from "vitest"
import { isImprovement } from "../../../src/plan/advice/improvement.ts"
import { sampleRollout } from "../../reports/samplePlan.ts"

const { available, duration, requests } = sampleRollout
if (available === undefined || duration === undefined || requests === undefined)
  throw new Error("the sample has all figures")

const compared = (
  figures: Partial<typeof sampleRollout> = {},
  verdict: "risky" | "stuck" | "ships" = "risky"
) => ({
  verdict,
  rollout: { ...sampleRollout, late: 1, stuck: 0, desired: 4, ...figures }
})
const fewest = (count: number) => ({ available: { ...available, fewest: count } })
const lost = (count: number) => ({ requests: { ...requests, lost: count } })
const p50 = (millis: number) => ({ duration: { ...duration, p50: millis } })

it.for([
  { why: "nothing changes", before: {}, after: {}, better: false },
  { why: "more Pods stay available", before: fewest(2), after: fewest(4), better: true },
  {
    why: "a longer duration is the price",
    before: { ...fewest(2), ...p50(10) },
    after: { ...fewest(4), ...p50(99) },
    better: true
  },
  { why: "only the duration falls", before: p50(99), after: p50(10), better: true },
  {
    why: "requests are lost that were not before",
    before: { ...fewest(2), ...lost(0) },
    after: { ...fewest(4), ...lost(5) },
    better: false
  },
  { why: "a tenth fewer is left to chance", before: lost(100), after: lost(95), better: false },
  {
    why: "a seed that never completes loses fewer requests in the hours until it is given up",
    before: { ...lost(500_000), stuck: 1 },
    after: { ...lost(300_000), stuck: 1 },
    better: false
  },
  {
    why: "fewer seeds never complete",
    before: { late: 0, stuck: 3 },
    after: { late: 0, stuck: 1 },
    better: true
  },
  {
    why: "more seeds are late",
    before: { ...fewest(2), late: 0 },
    after: { ...fewest(4), late: 2 },
    better: false
  }
])("is better or not when $why", ({ before, after, better }) => {
  expect(isImprovement(compared(before), compared(after))).toBe(better)
})

it("a worse verdict is never better", () => {
  expect(isImprovement(compared(fewest(2)), compared(fewest(4), "stuck"))).toBe(false)
  expect(isImprovement(compared({}), compared({}, "ships"))).toBe(true)
})

it.for([
  {
    why: "one Pod fewer, where it never completed",
    after: { ...fewest(3), ...lost(5), late: 0 },
    better: true
  },
  { why: "no Pod at all", after: { ...fewest(0), late: 0 }, better: false },
  {
    why: "no Pod of one, which cannot be otherwise",
    after: { ...fewest(0), desired: 1, late: 0 },
    better: true
  },
  { why: "one Pod fewer, and late with a seed", after: { ...fewest(3), late: 1 }, better: false }
])("a rollout that is stuck without a change may cost $why", ({ after, better }) => {
  const before = compared({ ...fewest(4), ...lost(0), stuck: 1, late: 0 }, "stuck")
  expect(isImprovement(before, compared(after))).toBe(better)
})
