import { describe, expect, it } from "vitest"
import {
  compareRuns,
  comparisonCells,
  alternatingSides,
  median,
  medianRun,
  roundedText
} from "../../scripts/bench/comparisons.ts"
import type { Measurement } from "../../scripts/bench/measure.ts"

const runs = (unit: string, values: ReadonlyArray<number>): ReadonlyArray<Measurement> =>
  values.map((value) => ({ value, unit }))

describe("the median", () => {
  it("is the middle by size, or the mean of the two in the middle", () => {
    expect(median([100, 9, 20])).toBe(20)
    expect(median([7, 1, 4, 100])).toBe(5.5)
    expect(median([])).toBeNaN()
  })
})

describe("the runs of a process", () => {
  it("count as one, of the medians of its values and of its CPU times", () => {
    const run = (value: number, cpuMillis: number) => ({ value, unit: "ms", cpuMillis, note: `${value}` })
    expect(medianRun([run(5, 30), run(9, 10), run(6, 20)])).toEqual({
      value: 6,
      unit: "ms",
      cpuMillis: 20,
      note: "6"
    })
    expect(medianRun([])).toBeUndefined()
  })
})

describe("the sides of pairs", () => {
  it("begin in turn", () => {
    expect([0, 1, 2, 3].map((pair) => alternatingSides(pair, "here", "there").join(" "))).toEqual([
      "here there",
      "there here",
      "here there",
      "there here"
    ])
  })
})

describe("a comparison", () => {
  it("takes the ratio of each pair and then the median: a busy minute does not count", () => {
    // The machine was ten times as slow in the second pair: of the medians alone, 12 / 10 would be the ratio.
    const { here, there, ratio } = compareRuns({
      here: runs("s", [5, 90, 12]),
      there: runs("s", [10, 100, 8])
    })
    expect({ here, there, ratio }).toEqual({
      here: 12,
      there: 10,
      ratio: { median: 0.9, least: 0.5, most: 1.5 }
    })
  })

  it.each([
    { unit: "s", here: [8, 9, 7], verdict: "better" },
    { unit: "s", here: [11, 12, 13], verdict: "worse" },
    { unit: "s", here: [8, 9, 11], verdict: "unclear" },
    { unit: "s", here: [8, 9], verdict: "unclear" },
    { unit: "/s", here: [8, 9, 7], verdict: "worse" },
    { unit: "frames/s", here: [11, 12, 13], verdict: "better" }
  ])("of $here $unit to 10 is $verdict", ({ unit, here, verdict }) => {
    const there = here.map(() => 10)
    expect(compareRuns({ here: runs(unit, here), there: runs(unit, there) }).verdict).toBe(verdict)
  })

  it("has a ratio of CPU times where both sides have them", () => {
    const run = (cpuMillis: number | undefined): Measurement => ({
      value: 1,
      unit: "s",
      ...(cpuMillis === undefined ? {} : { cpuMillis })
    })
    const { cpuRatio } = compareRuns({ here: [run(10), run(30)], there: [run(20), run(undefined)] })
    expect(cpuRatio).toEqual({ median: 0.5, least: 0.5, most: 0.5 })
  })

  it("of a side that could not be measured keeps the other's median, and has no ratio", () => {
    const comparison = compareRuns({ here: runs("ms", [3, 1, 2]), there: [] })
    expect(comparisonCells(comparison, "not measured there: no kubectl")).toEqual({
      here: "2.00 ms",
      there: "",
      "here / there": "",
      "of CPU time": "",
      verdict: "",
      note: "not measured there: no kubectl"
    })
  })

  it("with a value of 0 has no ratio", () => {
    expect(compareRuns({ here: runs("MB", [3]), there: runs("MB", [0]) }).ratio).toBeUndefined()
  })
})

describe("a row of the table", () => {
  it("shows medians with their unit, and each ratio with its spread", () => {
    const run = (value: number, cpuMillis: number): Measurement => ({ value, unit: "s", cpuMillis })
    const comparison = compareRuns({
      here: [run(1, 10), run(2, 10), run(3, 10)],
      there: [run(2, 20), run(4, 40), run(4, 10)]
    })
    expect(comparisonCells(comparison, "")).toEqual({
      here: "2.00 s",
      there: "4.00 s",
      "here / there": "0.50 (0.50 to 0.75)",
      "of CPU time": "0.50 (0.25 to 1.00)",
      verdict: "better",
      note: ""
    })
  })

  it("rounds to what can be read", () => {
    expect([0.1234, 9.87, 12.345, 123.4, -1234.4].map(roundedText)).toEqual([
      "0.12",
      "9.87",
      "12.3",
      "123",
      "-1234"
    ])
  })
})
