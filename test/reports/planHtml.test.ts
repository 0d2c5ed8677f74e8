import { describe, expect, it } from "vitest"
import { planHtml } from "../../src/reports/planHtml.ts"
import { violation } from "./runs.ts"
import type { Plan, RolloutPlan } from "../../src/scenario/plan/plan.ts"

const rollout: RolloutPlan = {
  namespace: "default",
  name: "shop",
  desired: 4,
  isNew: false,
  typical: {
    seed: 6,
    phases: [
      {
        atMillis: 0,
        what: "applied, fewest available",
        desired: 4,
        updated: 2,
        available: 2,
        pods: 4,
        terminating: 2
      },
      {
        atMillis: 15_040,
        what: "first new Pod available",
        desired: 4,
        updated: 3,
        available: 2,
        pods: 4,
        terminating: 1
      },
      { atMillis: 50_110, what: "complete", desired: 4, updated: 4, available: 4, pods: 4, terminating: 0 }
    ]
  },
  duration: { p50: 50_110, p95: 73_000, worst: 73_480, worstSeed: 29 },
  available: { fewest: 2, fewestMillis: 61_000, shortMillis: 64_000, seed: 5 },
  pods: { most: 4, mostWithTerminating: 6, cpu: "3", memory: "6Gi" },
  quotas: [{ namespace: "default", name: "small", resource: "pods", most: "6", hard: "7" }],
  requests: {
    services: ["shop"],
    lost: 131,
    requests: 7348,
    because: { stopping: 120, starting: 0, failing: 11, nobody: 0 },
    seed: 5,
    lostHalf: 40
  },
  late: 6,
  stuck: 0,
  firstMissedSeed: 12,
  reasons: [{ reason: "Pods had not started yet", seeds: 6 }],
  undo: { p50: 52_000, p95: 63_000, worst: 73_000, seeds: 20, stuck: 0 },
  advice: ["maxSurge: 0 leaves no room to begin with a new Pod. Say maxSurge: 1"]
}
const plan: Plan = {
  seeds: 30,
  rollouts: [rollout],
  room: { nodes: 3, cpu: "96", memory: "384Gi" },
  traffic: { requestsPerSecond: 100, propagationMillis: 1000 },
  violations: [{ ...violation(), seed: 9 }]
}
const about = { version: "0.1.0", seeds: { first: 1, last: 30, count: 30 }, tripped: [] }
const textOf = (page: string): string =>
  page.replaceAll(/<style>[^]*?<\/style>|<svg[^]*?<\/svg>/g, "").replaceAll(/<[^>]+>/g, "|")

describe("the page of a plan", () => {
  it("says all that the plan comes to", () => {
    const page = planHtml(plan, {
      ...about,
      tripped: [{ predicate: "available<75%", namespace: "default", name: "shop", actual: "2 of 4" }]
    })
    const text = textOf(page)
    for (const words of [
      "Played to its end with 30 seeds, 1..30, on 3 nodes with cpu 96 and memory 384Gi.",
      "|available&lt;75%|: shop comes to 2 of 4",
      "50.1s half the time, 1m13s p95, 1m13.5s at the most, worst with seed 29",
      "2 of 4 for 1m1s, fewer than 4 for 1m4s (seed 5)",
      "4, 6 with those stopping",
      "cpu 3 of 96, memory 6Gi of 384Gi",
      "|quota small|",
      "pods 6 of 7",
      "131 of 7,348 at 100/s to shop (seed 5), 40 half the time: 120 sent to Pods that had stopped serving, 11 sent to",
      "6 of 30 seeds, first with 12: 6 complete after the deadline, 0 never",
      "|Pods had not started yet|",
      "maxSurge: 0 leaves no room",
      "|15s|",
      "seed 9\n[1] +4.600s"
    ])
      expect(text).toContain(words)
    expect(page).toContain('class="pods-old"')
  })

  const rows: ReadonlyArray<{
    readonly why: string
    readonly changes: Partial<RolloutPlan>
    readonly says: string
  }> = [
    {
      why: "is never complete",
      changes: { duration: undefined, undo: undefined, typical: { seed: 1, phases: [] }, late: 0, stuck: 30 },
      says: "never completes"
    },
    {
      why: "is new",
      changes: { isNew: true, available: undefined, requests: undefined, undo: undefined },
      says: "4 replicas, new"
    },
    {
      why: "is never late",
      changes: { late: 0, stuck: 0, firstMissedSeed: undefined, reasons: [] },
      says: "|late or stuck||never|"
    },
    {
      why: "cannot go back",
      changes: { undo: { seeds: 20, stuck: 20 } },
      says: "never completes (20 seeds)"
    },
    {
      why: "never ends with some seeds",
      changes: { duration: { p50: 50_000, p95: Infinity, worst: Infinity, worstSeed: 7 }, stuck: 4 },
      says: "50s half the time, never p95, never at the most, worst with seed 7"
    },
    {
      why: "never ends with most",
      changes: { duration: { p50: Infinity, p95: Infinity, worst: Infinity, worstSeed: 7 }, undo: undefined },
      says: "With most seeds it never completes."
    }
  ]
  it.for(rows)("tells of a rollout that $why", ({ changes, says }) => {
    const page = planHtml({ ...plan, rollouts: [{ ...rollout, ...changes }] }, about)
    expect(textOf(page)).toContain(says)
    expect(page).not.toMatch(/undefined|NaN|Infinity/)
  })

  it("is the same to the byte for the same plan, and runs nothing", () => {
    expect(planHtml(plan, about)).toBe(planHtml(plan, about))
    expect(planHtml(plan, about)).not.toMatch(/<script|https?:|\bon\w+=|src=/i)
  })

  it("reads no name as markup", () => {
    const text = `</dd><script>alert("1")</script>`
    const hostile = { ...rollout, name: text, advice: [text], reasons: [{ reason: text, seeds: 1 }] }
    const page = planHtml({ ...plan, rollouts: [hostile] }, { ...about, version: text })
    expect(page).not.toContain("<script")
    expect(page.match(/<[a-z]+/g)).toEqual(planHtml(plan, about).match(/<[a-z]+/g))
  })
})
