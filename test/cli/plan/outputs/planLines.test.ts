import { describe, expect, it } from "vitest"
import { planFigures } from "../../../../src/reports/planFigures.ts"
import { detailedLines, samplePlan, sampleRollout } from "../../../reports/samplePlan.ts"
import type { RolloutPlan } from "../../../../src/plan/summarizePlan.ts"

const never = { duration: undefined, stuck: 30, late: 0 }

describe("the table and the page of a plan show", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly changes: Partial<RolloutPlan>
    readonly table: ReadonlyArray<string>
    readonly page: string
  }> = [
    {
      why: "when the simulation of a rollout that never completes was ended",
      changes: { ...never, givenUpMillis: 4_261_000 },
      table: ["  duration            never completes; given up after 1h11m1.0s"],
      page: "duration: never completes; given up after 1h11m1s"
    },
    {
      why: "requests in the units of the nodes",
      changes: { pods: { most: 3, mostWithTerminating: 3, cpu: "97500m", memory: "1536m" } },
      table: ["  most Pods           3; they request cpu 97.5 of 96, memory 2 bytes of 384Gi on 3 nodes"],
      page: "Pods request: cpu 97.5 of 96, memory 2 bytes of 384Gi"
    },
    {
      why: "that Pods request less than a core",
      changes: { pods: { most: 3, mostWithTerminating: 3, cpu: "300m", memory: "0" } },
      table: ["  most Pods           3; they request cpu 300m of 96, memory 0 of 384Gi on 3 nodes"],
      page: "Pods request: cpu 300m of 96, memory 0 of 384Gi"
    },
    {
      why: "that Pods request at most other resources",
      changes: { pods: { most: 3, mostWithTerminating: 3, cpu: "0", memory: "0" } },
      table: ["  most Pods           3; they request no cpu and no memory"],
      page: "Pods request: no cpu and no memory"
    },
    {
      why: "when the simulation of seeds that never complete was ended",
      changes: {
        duration: { p50: 50_100, p95: Infinity, worst: Infinity, worstSeed: 3 },
        givenUpMillis: 4_261_000
      },
      table: [
        "  duration            50.1s half the time, never p95, never at worst, seed 3; given up after 1h11m1.0s"
      ],
      page:
        "duration: 50.1s half the time, never p95, never at the most, worst with seed 3; " +
        "given up after 1h11m1s"
    },
    {
      why: "why not all Pods of --from are available",
      changes: { before: { desired: 4, available: 1, reasons: ["Unschedulable: no room."] } },
      table: [
        "  what runs before    1 of 4 available",
        "                      ! Unschedulable: no room.",
        "  duration            50.1s half the time, 1m13.0s p95, 1m13.5s worst, seed 29"
      ],
      page: "what runs before: 1 of 4 available; Unschedulable: no room."
    }
  ]
  it.for(rows)("$why", ({ changes, table, page }) => {
    const changed = { ...sampleRollout, ...changes }
    const lines = detailedLines({ ...samplePlan, rollouts: [changed] })
    const start = lines.indexOf(table[0] ?? "")
    expect(lines.slice(start, start + table.length)).toEqual(table)
    expect(planFigures(samplePlan, changed).map(({ title, text }) => `${title}: ${text}`)).toContain(page)
  })
})

it("the columns of a plan's table are aligned with their titles if a row is long", () => {
  const [first, ...others] = sampleRollout.typical.phases
  if (first === undefined) throw new Error("there is no phase")
  const long = { ...first, what: "applied, fewest available, first new Pod available, complete" }
  const phases = [long, ...others]
  const lines = detailedLines({
    ...samplePlan,
    rollouts: [{ ...sampleRollout, typical: { ...sampleRollout.typical, phases } }]
  })
  const head = lines.findIndex((line) => line.includes("how it goes"))
  const rows = lines.slice(head, head + 1 + phases.length)
  expect(rows[0]).toMatch(/stopping$/)
  expect(new Set(rows.map(({ length }) => length)).size).toBe(1)
})
