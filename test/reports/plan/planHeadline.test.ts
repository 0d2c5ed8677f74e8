import { expect, it } from "vitest"
import { judgePlan } from "../../../src/plan/verdicts/judgePlan.ts"
import { planHeadline } from "../../../src/reports/plan/planHeadline.ts"
import { samplePlan, sampleRollout } from "../samplePlan.ts"
import type { RolloutPlan } from "../../../src/plan/summarizePlan.ts"

const headlineOf = (rollouts: ReadonlyArray<Partial<RolloutPlan>>, isStrict = false) => {
  const plan = { ...samplePlan, rollouts: rollouts.map((it) => ({ ...sampleRollout, ...it })) }
  const judgement = judgePlan(plan)
  return planHeadline({ plan, judgement, failedPredicates: [] }, { isStrict, refused: [] })
}

const { available, requests, advice } = sampleRollout
if (available === undefined || requests === undefined) throw new Error("the sample has all figures")
const inTime = { late: 0, stuck: 0, firstMissedSeed: undefined, reasons: [] }
const withoutLosses = {
  ...inTime,
  available: { ...available, fewest: 4 },
  requests: { ...requests, lost: 0 },
  advice: []
}
const [phase] = sampleRollout.typical.phases
if (phase === undefined) throw new Error("the sample has phases")
const unchanged = [{ ...phase, what: "applied: nothing to change" }]
/** Until it is given up after an hour. */
const stuck = {
  ...withoutLosses,
  stuck: 30,
  duration: undefined,
  givenUpMillis: 3_600_000,
  reasons: [{ reason: "Pods had not started yet", seeds: 30 }],
  available: { ...available, fewestMillis: 3_600_000 }
}
const completing = advice.map((piece) => ({
  ...piece,
  without: { ...piece.without, late: 0, stuck: 2, duration: undefined, requests: { ...requests, lost: 0 } },
  with: {
    ...piece.with,
    available: { ...available, fewest: 1 },
    requests: { ...requests, lost: 9 },
    duration: { p50: 21_000, p95: 21_000, worst: 21_000, worstSeed: 5 }
  }
}))
const unknowns = [{ kind: "Scheduler", text: "scheduler mine places its Pods", keepsPending: true }] as const

it.for([
  {
    why: "is late",
    rollouts: [{}],
    decision:
      "Don't ship: it misses its deadline with 6 of 30 seeds, capacity is halved for 1m1s and 1.8% of requests are lost.",
    cause: "Pods had not started yet.",
    change: "One field makes it better."
  },
  {
    why: "is risky",
    rollouts: [inTime],
    decision: "Don't ship yet: capacity is halved for 1m1s and 1.8% of requests are lost.",
    change: "One field makes it better."
  },
  {
    why: "is risky, which fails the plan",
    rollouts: [{ ...inTime, advice: [] }],
    isStrict: true,
    decision: "Don't ship: capacity is halved for 1m1s and 1.8% of requests are lost."
  },
  {
    why: "ships",
    rollouts: [withoutLosses],
    decision: "Ship it: 4 of 4 Pods stay available, no request is lost and it is complete within 1m13s."
  },
  {
    why: "is unknown",
    rollouts: [{ ...withoutLosses, advice, unknowns }],
    decision: "Not known whether it ships: scheduler mine places its Pods.",
    change:
      "Look whether that scheduler, or that controller, runs in your cluster. If that is fine, --accept-unknown Scheduler takes the rest of this page for the answer."
  },
  {
    why: "is the worst of two",
    rollouts: [withoutLosses, { ...withoutLosses, name: "api", available: { ...available, fewest: 0 } }],
    decision: "Ship Deployment/api with care: no Pod is available for 1m1s."
  },
  {
    why: "is risky, and nothing that was played makes it better",
    rollouts: [{ ...inTime, advice: [] }],
    decision: "Ship with care: capacity is halved for 1m1s and 1.8% of requests are lost."
  },
  {
    why: "ships beside one that does not change",
    rollouts: [
      withoutLosses,
      { ...withoutLosses, name: "api", typical: { ...sampleRollout.typical, phases: unchanged } }
    ],
    decision: "Ship all 2: 1 is complete in time, and no request is lost; 1 does not change."
  },
  {
    why: "would complete with one Pod fewer",
    rollouts: [{ ...stuck, advice: completing }],
    decision: "Don't ship: it never completes and only 2 of 4 Pods stay available.",
    cause: "Pods had not started yet.",
    change: "One field lets it complete within 21s; 1 of 4 Pods stay available and 9 requests are lost then."
  },
  {
    why: "and another one ship",
    rollouts: [withoutLosses, { ...withoutLosses, name: "api" }],
    decision: "Ship all 2: each is complete in time, and no request is lost."
  }
])("says what to do with a rollout that $why", ({ rollouts, isStrict, decision, cause, change }) => {
  expect(headlineOf(rollouts, isStrict)).toEqual({ decision, cause, change })
})

it("says what the advice mends, since when, and at what price", () => {
  const [piece] = advice
  if (piece?.with.requests === undefined || piece.with.duration === undefined)
    throw new Error("there is advice")
  const { requests: lossesWith, duration } = piece.with
  const mending = {
    ...piece,
    fields: 4,
    fromNextRollout: true,
    with: { ...piece.with, requests: { ...lossesWith, lost: 0 }, duration: { ...duration, worst: 120_000 } }
  }
  expect(headlineOf([{ advice: [mending] }])?.change).toBe(
    "Four fields change that, from the next rollout on; it then takes 2m instead of 1m13s."
  )
})
