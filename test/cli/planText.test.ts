import { describe, expect, it } from "vitest"
import { planFigures } from "../../src/reports/planFigures.ts"
import { plainPalette } from "../../src/cli/terminal/palette.ts"
import { plan, rollout } from "../reports/plans.ts"
import { planLines } from "../../src/cli/plan/planLines.ts"
import type { RolloutPlan } from "../../src/plan/planRollout.ts"

const never = { duration: undefined, stuck: 30, late: 0 }

describe("a plan says, in the table and on the page,", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly changes: Partial<RolloutPlan>
    readonly table: ReadonlyArray<string>
    readonly page: string
  }> = [
    {
      why: "when what never completes was given up",
      changes: { ...never, givenUpMillis: 4_261_000 },
      table: ["  duration            never completes; given up after 1h11m1.0s"],
      page: "duration: never completes; given up after 1h11m1s"
    },
    {
      why: "when the seeds were given up that never complete",
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
      why: "that what runs before is not all there, and why",
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
    const changed = { ...rollout, ...changes }
    const lines = planLines({ ...plan, rollouts: [changed] }, [], plainPalette)
    const start = lines.indexOf(table[0] ?? "")
    expect(lines.slice(start, start + table.length)).toEqual(table)
    expect(planFigures(plan, changed).map(({ title, text }) => `${title}: ${text}`)).toContain(page)
  })
})

it("the columns of a plan's table are under their titles, however long a row is", () => {
  const [first, ...others] = rollout.typical.phases
  if (first === undefined) throw new Error("there is no phase")
  const long = { ...first, what: "applied, fewest available, first new Pod available, complete" }
  const phases = [long, ...others]
  const lines = planLines(
    { ...plan, rollouts: [{ ...rollout, typical: { seed: 6, phases } }] },
    [],
    plainPalette
  )
  const rows = lines.slice(2, 2 + 1 + phases.length)
  expect(rows[0]).toMatch(/stopping$/)
  expect(new Set(rows.map(({ length }) => length)).size).toBe(1)
})
