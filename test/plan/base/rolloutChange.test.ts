import { describe, expect, it } from "vitest"
import { judgePlan } from "../../../src/plan/verdicts/judgePlan.ts"
import { rolloutChanges } from "../../../src/plan/base/rolloutChange.ts"
import { samplePlan, sampleRollout } from "../../reports/samplePlan.ts"
import { shippingRollout } from "../../reports/plan/sampleReport.ts"
import type { RolloutPlan } from "../../../src/plan/summarizePlan.ts"

const judged = (rollout: RolloutPlan) => judgePlan({ ...samplePlan, rollouts: [rollout] })

const changeOf = (before: RolloutPlan | undefined, after: RolloutPlan) =>
  [...rolloutChanges(judged(after), before === undefined ? undefined : judged(before)).values()][0]

const losing = (lost: number): RolloutPlan => ({
  ...shippingRollout,
  requests: {
    services: ["blog"],
    unfound: [],
    lost,
    requests: 10_000,
    because: { stopping: lost, starting: 0, failing: 0, noEndpoint: 0 },
    seed: 1,
    lostHalf: lost
  }
})
const missing = (late: number): RolloutPlan => ({ ...shippingRollout, late })
const taking = (p50: number): RolloutPlan => ({
  ...shippingRollout,
  duration: { p50, p95: p50, worst: p50, worstSeed: 1 }
})
const unfinished = (stuck: number): RolloutPlan => ({ ...shippingRollout, duration: undefined, stuck })
const fewest = (count: number): RolloutPlan => ({
  ...shippingRollout,
  available: { fewest: count, fewestMillis: 1000, shortMillis: 1000, seed: 1 }
})

describe("a change", () => {
  it.each([
    {
      when: "another verdict is better",
      before: losing(100),
      after: losing(0),
      change: "better",
      verdict: "risky",
      differences: ["no requests are lost, instead of 1%"]
    },
    {
      when: "it has a worse verdict, whatever gets better",
      before: losing(100),
      after: missing(3),
      change: "worse",
      verdict: "risky",
      differences: ["late or stuck with 3 seeds, instead of 0"]
    },
    {
      when: "more requests are lost under the same verdict",
      before: losing(100),
      after: losing(230),
      change: "worse",
      verdict: "risky",
      differences: ["2.3% of requests are lost, instead of 1%"]
    },
    {
      when: "a tenth more is lost, which chance can do",
      before: losing(100),
      after: losing(110),
      change: "same",
      verdict: "risky",
      differences: []
    },
    {
      when: "fewer Pods are available",
      before: fewest(4),
      after: fewest(3),
      change: "worse",
      verdict: "ships",
      differences: ["3 of 4 available at the fewest, instead of 4 of 4"]
    },
    {
      when: "it takes longer",
      before: taking(20_000),
      after: taking(30_000),
      change: "same",
      verdict: "ships",
      differences: ["it takes 30s half the time, instead of 20s"]
    },
    {
      when: "it had an end half the time, and now has none",
      before: { ...taking(20_000), late: 0, stuck: 2 },
      after: { ...taking(Infinity), late: 0, stuck: 2 },
      change: "same",
      verdict: "stuck",
      differences: ["it has no end half the time, instead of 20s"]
    },
    {
      when: "it had no end half the time, and now has one",
      before: { ...taking(Infinity), late: 0, stuck: 2 },
      after: { ...taking(20_000), late: 0, stuck: 2 },
      change: "same",
      verdict: "stuck",
      differences: ["it takes 20s half the time, instead of no end"]
    },
    {
      when: "no seed completes it any more",
      before: taking(20_000),
      after: unfinished(30),
      change: "worse",
      verdict: "ships",
      differences: ["late or stuck with 30 seeds, instead of 0", "it never completes, instead of 20s"]
    },
    {
      when: "a seed completes it, which none did",
      before: unfinished(30),
      after: taking(20_000),
      change: "better",
      verdict: "stuck",
      differences: [
        "late or stuck with 0 seeds, instead of 30",
        "it takes 20s half the time, instead of no end"
      ]
    },
    {
      when: "no seed completes it, as before",
      before: unfinished(30),
      after: unfinished(30),
      change: "same",
      verdict: "stuck",
      differences: []
    }
  ])("is $change when $when", ({ before, after, change, verdict, differences }) => {
    expect(changeOf(before, after)).toEqual({ change, verdict, differences })
  })

  it("is new when nothing was there before", () => {
    const after = { ...sampleRollout, isNew: true }
    expect(changeOf(undefined, after)).toEqual({ change: "new", verdict: undefined, differences: [] })
  })

  it("is not judged when no rollout without it was played", () => {
    expect(changeOf(undefined, shippingRollout)).toBeUndefined()
  })
})
