import { describe, expect, it } from "vitest"
import {
  forecastCountsAt,
  futureEndMillis,
  futurePlot
} from "../../../../src/page/timeline/layout/futurePlot.ts"
import { timeScale } from "../../../../src/drawing/timeScale.ts"
import type { Forecast, FutureCounts, Milestone } from "../../../../src/forecast/forecast.ts"

const counts = (millis: number, available: number): FutureCounts => ({
  millis,
  desired: 4,
  updated: 4,
  available,
  updatedAvailable: available
})

const complete: Milestone = { kind: "complete", millis: 1600 }

/** A Deployment with 2 of 4 available at 1 s, 3 at 1.2 s and all at 1.6 s; other seeds take up to 1.8 s. */
const forecast: Forecast = {
  nowMillis: 1000,
  workload: { kind: "Deployment", namespace: "default", name: "web" },
  future: {
    outcome: "complete",
    message: "",
    outcomeMillis: 1600,
    endMillis: 1600,
    ended: "settled",
    milestones: [complete],
    counts: [counts(1000, 2), counts(1200, 3), counts(1600, 4)],
    availableMin: 2,
    changes: 9
  },
  band: {
    futures: 5,
    milestones: [],
    available: [
      { millis: 1000, min: 2, max: 2 },
      { millis: 1200, min: 2, max: 3 },
      { millis: 1800, min: 4, max: 4 }
    ],
    outcomes: { complete: 5 }
  },
  cures: [],
  change: undefined,
  limits: { horizonMillis: 900_000, changesMax: 20_000, changesPlayed: 9, seedsLeftOut: 0, curesLeftOut: 0 }
}

/** A pixel is a millisecond, and a Pod ten pixels. */
const scaleTo = (endMillis: number) =>
  timeScale({ endMillis, moments: [], range: [0, endMillis], quietPart: 1, quietMillis: endMillis })
const y = (count: number): number => 40 - 10 * count

describe("the future in a timeline", () => {
  it("reaches a little beyond its last change, and that of other seeds", () => {
    expect(futureEndMillis(forecast)).toBe(2300)
  })

  it("has no room if nothing is known to change", () => {
    const calm = {
      ...forecast,
      band: undefined,
      future: { ...forecast.future, milestones: [], counts: [counts(1000, 4)] }
    }
    expect(futureEndMillis(calm)).toBeUndefined()
  })

  it("begins at now, and steps with the available Pods", () => {
    const plot = futurePlot(forecast, 1000, scaleTo(2100), y)
    expect(plot).toMatchObject({
      x: 1000,
      width: 1100,
      available: "M1000,20L1200,20L1200,10L1600,10L1600,0L2100,0L2100,0"
    })
    expect(plot?.milestones).toEqual([{ x: 1600, text: "the rollout is complete" }])
  })

  it("is a band between the fewest and the most available Pods of other seeds", () => {
    const { band = "" } = futurePlot(forecast, 1000, scaleTo(2100), y) ?? {}
    const corners = band.split(/[MLZ]/).filter((corner) => corner !== "")
    expect(corners).toContain("1800,20")
    expect(corners).toContain("1800,10")
    expect(corners).not.toContain("1600,10")
  })

  it("shrinks while time passes: what has happened is no longer drawn as coming", () => {
    const later = futurePlot(forecast, 1300, scaleTo(2100), y)
    expect(later).toMatchObject({ x: 1300, available: "M1300,10L1600,10L1600,0L2100,0L2100,0" })
    expect(futurePlot(forecast, 1700, scaleTo(2100), y)?.milestones).toEqual([])
    expect(futurePlot(forecast, 2100, scaleTo(2100), y)).toBeUndefined()
  })

  it("says how many are available at an instant", () => {
    expect(forecastCountsAt(forecast, 1599)?.available).toBe(3)
    expect(forecastCountsAt(forecast, 5000)?.available).toBe(4)
    expect(forecastCountsAt(forecast, 999)).toBeUndefined()
  })
})
