import { describe, expect, it } from "vitest"
import {
  layerPaths,
  linePath,
  highestCount,
  layerPoints
} from "../../../../src/page/timeline/layout/podLayers.ts"
import { markersOf } from "../../../../src/page/timeline/layout/markers.ts"
import { aRow, pods, scaleOf } from "../rows.ts"
import type { TrackRow } from "../../../../src/page/timeline/series/workloadTrack.ts"

describe("the points of rows", () => {
  const drawn = (rows: ReadonlyArray<TrackRow>, scale = scaleOf(100)): ReadonlyArray<string> =>
    layerPoints(rows, scale).map(({ x, row, isDip }) => `${row.number} at ${x}${isDip ? ", a dip" : ""}`)

  it.each([
    { why: "none without rows", rows: [], points: [] },
    { why: "none for later rows", rows: [aRow(101)], points: [] },
    { why: "one at the very end", rows: [aRow(100)], points: ["100 at 100", "100 at 100"] },
    {
      why: "each row with an x of its own",
      rows: [aRow(10), aRow(12.5), aRow(15)],
      points: ["10 at 10", "12.5 at 12.5", "15 at 15", "15 at 100"]
    },
    {
      why: "for one x, the first row with the fewest available, and the last row",
      rows: [aRow(10), aRow(10.5, { available: 1 }), aRow(11, { available: 1 }), aRow(12)],
      points: ["10 at 10", "10.5 at 10.5, a dip", "12 at 12", "12 at 100"]
    },
    {
      why: "the first row with the most Pods, after the dip or before it",
      rows: [
        aRow(10),
        aRow(10.5, { available: 1 }),
        aRow(11, { pods: 9 }),
        aRow(11.5, { pods: 9 }),
        aRow(12)
      ],
      points: ["10.5 at 10.5, a dip", "11 at 11", "12 at 12", "12 at 100"]
    },
    {
      why: "a dip after the most Pods",
      rows: [aRow(10), aRow(10.5, { pods: 9 }), aRow(11, { available: 1 }), aRow(12)],
      points: ["10.5 at 10.5", "11 at 11, a dip", "12 at 12", "12 at 100"]
    },
    {
      why: "the most Pods, whether ready, not ready or terminating",
      rows: [
        aRow(10),
        aRow(10.5, { byRevision: [pods("a", 4, 0, 1)] }),
        aRow(11, { byRevision: [pods("a", 3, 2)] }),
        aRow(12)
      ],
      points: ["10 at 10, a dip", "10.5 at 10.5", "12 at 12", "12 at 100"]
    },
    {
      why: "the most Pods, of which some are not ready",
      rows: [aRow(10), aRow(10.5, { byRevision: [pods("a", 3, 2)] }), aRow(12)],
      points: ["10 at 10, a dip", "10.5 at 10.5", "12 at 12", "12 at 100"]
    },
    {
      why: "the first and the last row if the counts are equal",
      rows: [aRow(10), aRow(11), aRow(12)],
      points: ["10 at 10", "12 at 12", "12 at 100"]
    },
    {
      why: "a row at the beginning of the next x",
      rows: [9, 8, 7].map((available, index) => aRow([10, 12, 12.5][index] ?? 0, { available })),
      points: ["10 at 10", "12 at 12", "12.5 at 12.5", "12.5 at 100"]
    },
    {
      why: "no dip if availability stays low",
      rows: [aRow(10), aRow(12, { available: 1 })],
      points: ["10 at 10", "12 at 12", "12 at 100"]
    },
    {
      why: "few of many rows at the last instant",
      rows: [1, 2, 3, 4, 5].map((number) => aRow(100, { number, available: 9 - number })),
      points: ["1 at 100", "5 at 100", "5 at 100"]
    }
  ])("are $why", ({ rows, points }) => {
    expect(drawn(rows)).toEqual(points)
  })

  it("begin with the row that holds at the beginning of the visible time", () => {
    const rows = [aRow(10), aRow(30), aRow(70)]
    expect(drawn(rows, scaleOf(100, 50))).toEqual(["30 at 50", "70 at 70", "70 at 100"])
    expect(drawn(rows, scaleOf(100, 30))).toEqual(["30 at 30", "70 at 70", "70 at 100"])
  })

  it("have stacked tops: new ready, new not ready, old ready, old not ready, terminating", () => {
    const row = aRow(10, { byRevision: [pods("a", 5, 2, 1), pods("b", 3, 4, 6)] })
    expect(layerPoints([row], scaleOf(100))[0]?.tops).toEqual([5, 7, 11, 14, 21])
  })

  it.each<{ why: string; more: Partial<TrackRow> & { readonly pods?: number }; most: number }>([
    { why: "Pods", more: { pods: 9 }, most: 9 },
    { why: "terminating Pods", more: { byRevision: [pods("a", 4, 0, 7)] }, most: 11 },
    { why: "the desired Pods", more: { desired: 8 }, most: 8 },
    { why: "the ceiling", more: { ceiling: 6 }, most: 6 },
    { why: "the available Pods", more: { available: 5 }, most: 5 },
    { why: "one, if all counts are zero", more: { pods: 0, desired: 0, available: 0 }, most: 1 }
  ])("have a maximum over all counts: $why", ({ more, most }) => {
    expect(highestCount(layerPoints([aRow(10, more)], scaleOf(100)))).toBe(most)
  })
})

describe("the lines of rows", () => {
  const y = (count: number): number => 100 - 10 * count

  it("change with the value, and are interrupted without one", () => {
    const rows = [
      aRow(10, { floor: 3 }),
      aRow(20, { floor: 3 }),
      aRow(30, { floor: 5 }),
      aRow(40),
      aRow(60, { floor: 4.044 }),
      aRow(70, { floor: 4.044 })
    ]
    const points = layerPoints(rows, scaleOf(100))
    expect(linePath(points, y, (row) => row.floor)).toBe("M10,70L30,70L30,50M60,59.6L100,59.6L100,59.6")
    expect(linePath(points, y, (row) => row.available)).toBe("M10,60L100,60L100,60")
    expect(linePath([], y, (row) => row.available)).toBe("")
  })

  it("have an area for each kind of Pods present, without the rows of a dip", () => {
    const rows = [
      aRow(10, { byRevision: [pods("a", 2), pods("b", 3)] }),
      aRow(10.5, { byRevision: [], available: 0 }),
      aRow(12, { byRevision: [pods("a", 2), pods("b", 3)] }),
      aRow(20, { byRevision: [pods("a", 2), pods("b", 3)] }),
      aRow(40, { byRevision: [pods("a", 4), pods("b", 1)] })
    ]
    expect(layerPaths(layerPoints(rows, scaleOf(100)), y)).toEqual([
      { layer: "new", path: "M10,80L40,80L40,60L100,60L100,60L100,100L100,100L40,100L40,100L10,100Z" },
      { layer: "old", path: "M10,50L40,50L40,50L100,50L100,50L100,60L100,60L40,60L40,80L10,80Z" }
    ])
    expect(layerPaths(layerPoints([aRow(10, { pods: 0 })], scaleOf(100)), y)).toEqual([])
    const thirds = (count: number): number => 100 - (100 * count) / 3
    const [layer] = layerPaths(layerPoints([aRow(10, { pods: 2 })], scaleOf(100)), thirds)
    expect(layer?.path).toBe("M10,33.3L100,33.3L100,33.3L100,100L100,100L10,100Z")
  })
})

describe("the markers of events and notes", () => {
  const thing = (number: number, isBad = false, label?: string) => ({
    number,
    atMillis: Math.floor(number),
    isBad,
    text: `thing ${number}`,
    ...(label === undefined ? {} : { label })
  })
  const markersAt = (numbers: ReadonlyArray<number>, bad: ReadonlyArray<number> = [], scale = scaleOf(100)) =>
    markersOf(
      numbers.map((number) => thing(number, bad.includes(number))),
      scale,
      13
    )

  it.each([
    {
      why: "nothing before or after the visible time",
      of: [49, 50, 100, 101],
      from: 50,
      counts: ["50 1", "100 1"]
    },
    { why: "a last one that touches the end", of: [87, 100, 101], from: 0, counts: ["87 2"] },
    { why: "those merged that would touch", of: [10, 22, 23], from: 0, counts: ["10 2", "23 1"] }
  ])("have $why", ({ of, from, counts }) => {
    expect(markersAt(of, [], scaleOf(100, from)).map(({ number, count }) => `${number} ${count}`)).toEqual(
      counts
    )
  })

  it.each([
    { why: "all six", count: 6, bad: [], lines: [0, 1, 2, 3, 4, 5] },
    { why: "six of seven", count: 7, bad: [], lines: [0, 1, 2, 3, 4, 5, "and 1 more"] },
    {
      why: "bad lines in any case, in their place",
      count: 9,
      bad: [2, 7, 8],
      lines: [0, 1, 2, 3, 7, 8, "and 3 more"]
    },
    {
      why: "the first six bad lines",
      count: 9,
      bad: [1, 2, 4, 5, 6, 7, 8],
      lines: [1, 2, 4, 5, 6, 7, "and 3 more"]
    }
  ])("list $why", ({ count, bad, lines }) => {
    const numberOf = (index: number): number => 50 + index / 100
    const numbers = Array.from({ length: count }, (_, index) => numberOf(index))
    const [marker] = markersAt(numbers, bad.map(numberOf))
    expect(marker?.lines.map((line) => line.replace(/^.* thing /, ""))).toEqual(
      lines.map((line) => (typeof line === "number" ? String(numberOf(line)) : line))
    )
    expect(marker?.number).toBe(numberOf(bad[0] ?? 0))
  })

  it("count selected things only, and have the label of the first", () => {
    const all = [
      thing(10, true, "1"),
      thing(11, false, "2"),
      thing(12, true),
      thing(13, false, "3"),
      thing(40)
    ]
    const found = markersOf(all, scaleOf(100), 13, ({ isBad }) => !isBad)
    expect(found.map(({ count, label }) => [count, label])).toEqual([
      [2, "2"],
      [1, ""]
    ])
  })
})
