import { describe, expect, it } from "vitest"
import { planHtml } from "../../src/reports/planHtml.ts"
import { nothingRecorded, samplePageAssets, reportSection, violation } from "./sampleRuns.ts"
import { detailedLines, samplePlan, sampleRollout } from "./samplePlan.ts"
import { judgePlan } from "../../src/plan/verdicts/judgePlan.ts"
import type { Plan, RolloutPlan } from "../../src/plan/summarizePlan.ts"

const environmentOf = (plan: Plan) => ({
  plan,
  judgement: judgePlan(plan),
  failedPredicates: []
})

const about = {
  isStrict: false,
  refused: [],
  environment: environmentOf(samplePlan),
  version: "0.1.0",
  seeds: { first: 1, last: 30, count: 30 },
  reportRecordings: nothingRecorded,
  pageAssets: samplePageAssets
}
const textOf = (page: string): string =>
  reportSection(page)
    .replaceAll(/<style>[^]*?<\/style>|<svg[^]*?<\/svg>/g, "")
    .replaceAll(/<[^>]+>/g, "|")

describe("the page of a plan", () => {
  it("shows all results of the plan", () => {
    const page = planHtml({
      ...about,
      environment: {
        ...about.environment,
        failedPredicates: [{ predicate: "available<75%", rollout: sampleRollout, actual: "2 of 4" }]
      }
    })
    const text = textOf(page)
    for (const expectedWords of [
      "Played to its end with 30 seeds, 1..30, from each of which come other random times, in a simulated cluster of 3 nodes",
      "|available&lt;75%|: Deployment/shop comes to 2 of 4",
      "|Warning:| Job/migrate is not played: none of its Pods are made, and the room that they take is counted neither on nodes nor in ResourceQuota/small.|",
      "50.1s half the time, 1m13s p95, 1m13.5s at the most, worst with seed 29",
      "2 of 4 for 1m1s, fewer than 4 for 1m4s (seed 5)",
      "4, 6 with those stopping",
      "cpu 3 of 96, memory 6Gi of 384Gi",
      "|quota small|",
      "pods 6 of 7",
      "131 of 7,348 at 100/s to shop (seed 5), 40 half the time: 120 sent to Pods that had stopped serving, 11 sent to",
      "6 of 30 seeds, first with 12: 6 complete after the deadline, 0 never",
      "|Pods had not started yet|",
      "|Don&#39;t ship: it misses its deadline with 6 of 30 seeds, capacity is halved for 1m1s and 1.8% of requests are lost.|",
      "|One field makes it better.|",
      "|-      maxSurge: 0\n||+      maxSurge: 1\n|",
      "|fewest available||2 of 4||4 of 4|",
      "maxSurge: 0 leaves no room",
      "how long preStop holds Pods up is not known here",
      "|15.04s|",
      "seed 9\n[1] +4.600s"
    ])
      expect(text).toContain(expectedWords)
    expect(page).toContain('class="pods-old"')
  })

  it("shows the first violations and counts the others, as the terminal does", () => {
    const many = {
      ...samplePlan,
      violations: Array.from({ length: 23 }, () => ({ ...violation(), seed: 9 }))
    }
    expect(textOf(planHtml({ ...about, environment: environmentOf(many) }))).toContain("|and 13 more|")
    expect(detailedLines(many)).toContain("and 20 more")
  })

  const rows: ReadonlyArray<{
    readonly why: string
    readonly changes: Partial<RolloutPlan>
    readonly expectedText: string
  }> = [
    {
      why: "never completes",
      changes: {
        duration: undefined,
        undo: undefined,
        typical: { seed: 1, phases: [], counts: [] },
        late: 0,
        stuck: 30
      },
      expectedText: "never completes"
    },
    {
      why: "is new",
      changes: { isNew: true, available: undefined, requests: undefined, undo: undefined },
      expectedText: "4 replicas, new"
    },
    {
      why: "is never late",
      changes: { late: 0, stuck: 0, firstMissedSeed: undefined, reasons: [] },
      expectedText: "|late or stuck||never|"
    },
    {
      why: "cannot be undone",
      changes: { undo: { seeds: 20, stuck: 20 } },
      expectedText: "never completes (20 seeds)"
    },
    {
      why: "never completes with some seeds",
      changes: { duration: { p50: 50_000, p95: Infinity, worst: Infinity, worstSeed: 7 }, stuck: 4 },
      expectedText: "50s half the time, never p95, never at the most, worst with seed 7"
    },
    {
      why: "never completes with most seeds",
      changes: { duration: { p50: Infinity, p95: Infinity, worst: Infinity, worstSeed: 7 }, undo: undefined },
      expectedText: "With most seeds it never completes."
    }
  ]
  it.for(rows)("shows a rollout that $why", ({ changes, expectedText }) => {
    const page = planHtml({
      ...about,
      environment: environmentOf({ ...samplePlan, rollouts: [{ ...sampleRollout, ...changes }] })
    })
    expect(textOf(page)).toContain(expectedText)
    expect(page).not.toMatch(/undefined|NaN|Infinity/)
  })

  it("has the same bytes for the same plan, and no script in its report", () => {
    expect(planHtml(about)).toBe(planHtml(about))
    expect(reportSection(planHtml(about))).not.toMatch(/<script|https?:|\bon\w+=|src=|style=/i)
  })

  it("shows names full of markup as text", () => {
    const text = `</dd><script>alert("1")</script>`
    const hostile = { ...sampleRollout, name: text, remarks: [text], reasons: [{ reason: text, seeds: 1 }] }
    const page = planHtml({
      ...about,
      version: text,
      environment: environmentOf({ ...samplePlan, rollouts: [hostile] })
    })
    expect(page).not.toContain("<script>")
    expect(page.match(/<[a-z]+/g)).toEqual(planHtml(about).match(/<[a-z]+/g))
  })
})
