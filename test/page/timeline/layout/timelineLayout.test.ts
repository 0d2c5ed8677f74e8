import * as Effect from "effect/Effect"
import { beforeAll, describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec } from "../../../cluster/testCluster.ts"
import { entriesOf, seriesOf } from "../../clusterEntries.ts"
import { nextMarkedMoment, countsReadout, rowAt } from "../../../../src/page/timeline/momentReadout.ts"
import { layoutTimeline } from "../../../../src/page/timeline/layout/timelineLayout.ts"
import { layerPoints } from "../../../../src/page/timeline/layout/podLayers.ts"
import { markersOf } from "../../../../src/page/timeline/layout/markers.ts"
import { timeScale } from "../../../../src/drawing/timeScale.ts"
import { tickText, timeText } from "../../../../src/page/timeline/timelineText.ts"
import { zoomedSpan } from "../../../../src/page/timeline/layout/zoom.ts"
import type {
  TimelineLayout,
  TimelineLayoutOptions
} from "../../../../src/page/timeline/layout/timelineLayout.ts"
import type { TrackRow } from "../../../../src/page/timeline/series/workloadTrack.ts"
import type { WorkloadTrack } from "../../../../src/page/timeline/series/timelineSeries.ts"

const web = { kind: "Deployment", namespace: "default", name: "web" } as const
const aNote = { type: "note", level: "step" } as const
const withoutTime = (line: string): string => line.replace(/^\S+ /, "")
const noon = Date.parse("2026-01-01T12:00:00Z")

describe("a timeline's drawing", () => {
  let history: TimelineLayoutOptions["history"]
  let track: WorkloadTrack

  beforeAll(async () => {
    const { entries } = await entriesOf({ seed: 11 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 7 }))
        yield* cluster.advance(3_600_000)
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 7, version: "v2" }))
        yield* cluster.settle()
      })
    )
    const series = seriesOf(entries)
    const [beginMillis, endMillis] = [entries[0]?.atMillis ?? 0, entries.at(-1)?.atMillis ?? 0]
    const fault = { beganNumber: 5, beganMillis: beginMillis + 1000, endedNumber: 9 }
    history = {
      series,
      beginMillis,
      endMillis,
      faults: [
        { ...fault, id: "fault-1", text: "node-2 is lost", endedMillis: beginMillis + 2000 },
        { ...fault, id: "fault-2", text: "every write is refused", endedMillis: beginMillis + 3000 }
      ],
      notes: [
        { ...aNote, number: 1, atMillis: beginMillis, text: "made", step: 3 },
        {
          ...aNote,
          number: 40,
          atMillis: endMillis - 2000,
          level: "failure",
          text: "expected more",
          step: 4
        },
        { ...aNote, number: 41, atMillis: endMillis - 1000, text: "looked at" }
      ]
    }
    const found = series.trackOf(web)
    if (found === undefined) throw new Error("there is no web")
    track = found
  })

  const draw = (options: Partial<TimelineLayoutOptions> = {}): TimelineLayout =>
    layoutTimeline({
      history,
      track,
      tracks: [track],
      width: 1000,
      endMillis: history.endMillis,
      forecast: undefined,
      span: undefined,
      ...options
    })

  it("shortens a quiet hour, and gives both rollouts most of the width", () => {
    const { scale, left, right } = draw()
    expect(scale.cuts.length).toBeGreaterThan(0)
    const quiet = scale.cuts.reduce((sum, it) => sum + scale.x(it.toMillis) - scale.x(it.fromMillis), 0)
    expect(quiet).toBeLessThan((right - left) / 2)
  })

  it("has markers for the steps, failures and notes of a story", () => {
    const { noteMarkers: noteSigns } = draw({ width: 4000 })
    expect(noteSigns.map(({ label, isBad, lines }) => [label, isBad, lines.map(withoutTime)])).toEqual([
      ["3", false, ["step 3: made"]],
      ["4", true, ["step 4: expected more"]],
      ["", false, ["looked at"]]
    ])
  })

  it("draws simultaneous faults below each other, over the time that they lasted", () => {
    const { bands, scale } = draw()
    expect(bands.map(({ lane }) => lane)).toEqual([0, 1])
    for (const [index, { x, width }] of bands.entries()) {
      expect(x).toBeCloseTo(scale.x(history.beginMillis + 1000))
      expect(x + width).toBeCloseTo(scale.x(history.beginMillis + 2000 + index * 1000))
    }
  })

  it("flags each revision from when it is the newest, also in a later visible time", () => {
    expect(draw().plots[0]?.flags.map(({ revision }) => revision)).toEqual(["1", "2"])
    const late = draw({ span: { fromMillis: history.endMillis - 500, toMillis: history.endMillis } })
    expect(late.plots[0]?.flags).toEqual([{ x: late.left, revision: "2" }])
  })

  it("flags a revision that was rolled back to with its new number", async () => {
    const versions = ["v1", "v2", "v1"]
    const { entries } = await entriesOf({ seed: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
        for (const version of versions) {
          yield* replaceSpec(cluster, deploymentManifest({ replicas: 2, version }))
          yield* cluster.settle()
        }
      })
    )
    const series = seriesOf(entries)
    const { plots } = draw({ track: series.trackOf(web) })
    expect(plots[0]?.flags.map(({ revision }) => revision)).toEqual(["1", "2", "3"])
  })

  it("has no layers of old or terminating Pods before the second revision", () => {
    const span = { fromMillis: history.beginMillis, toMillis: history.beginMillis + 60_000 }
    const layersIn = (picture: TimelineLayout) => picture.plots[0]?.layers.map(({ layer }) => layer)
    expect(layersIn(draw({ span }))).toEqual(["new", "new-unready"])
    expect(layersIn(draw())).toEqual(["new", "new-unready", "old", "stopping"])
  })

  it("has names beside its lanes if there is room, and one left edge for all lanes", () => {
    const [wide, narrow] = [draw({ track: undefined }), draw({ track: undefined, width: 400 })]
    expect([wide.isNarrow, narrow.isNarrow]).toEqual([false, true])
    expect(wide.left).toBeGreaterThan(100)
    expect(narrow.left).toBeLessThan(50)
  })

  it("zooms around a moment, and back out to the whole time", () => {
    const { scale } = draw()
    const whole = [history.beginMillis, history.endMillis] as const
    const aroundMillis = history.endMillis - 1500
    const near = zoomedSpan({ scale, factor: 0.5, aroundMillis, whole })
    if (near === undefined) throw new Error("nothing is nearer")
    expect(near.fromMillis).toBeGreaterThan(history.beginMillis)
    expect(near.fromMillis).toBeLessThan(aroundMillis)
    expect(near.toMillis).toBeGreaterThan(aroundMillis)
    const close = draw({ span: near }).scale
    expect(zoomedSpan({ scale: close, factor: 2000, aroundMillis, whole })).toBeUndefined()
  })

  it("describes a moment with time, counts, floor and ceiling", () => {
    const row = track.rows.findLast(({ byRevision }) => byRevision.length === 2)
    if (row === undefined) throw new Error("there were never two revisions")
    const { time, counts, revisions } = countsReadout(row.atMillis, row.number, track, [track])
    expect(time).toMatch(/^\d\d:\d\d:\d\d(\.\d{3})?$/)
    expect(counts).toBe(`${row.available} of 7 available, floor 6, ceiling 9`)
    expect(revisions.map((text) => text.replace(/:.*/, ""))).toEqual(["revision 2", "revision 1"])
    expect(countsReadout(history.beginMillis, 0, track, [track]).counts).toBe("web is not there yet")
    expect(countsReadout(row.atMillis, row.number, undefined, [track]).counts).toMatch(/ in 1 workload$/)
  })

  it("steps through changes forwards, and backwards over the same ones", () => {
    const forth: Array<number> = []
    for (let at = 0; ; at = forth.at(-1) ?? 0) {
      const next = nextMarkedMoment(history, [track], at, 1)
      if (next === undefined) break
      forth.push(next)
    }
    const back: Array<number> = []
    for (let at = Infinity; ; at = back.at(-1) ?? 0) {
      const next = nextMarkedMoment(history, [track], at, -1)
      if (next === undefined) break
      back.push(next)
    }
    expect(forth).toEqual([...new Set(forth)].sort((a, b) => a - b))
    expect(back).toEqual(forth.toReversed())
    expect(forth).toEqual(expect.arrayContaining([5, 9, 40]))
  })
})

const scaleOf = (endMillis: number, moments: ReadonlyArray<number> = []) =>
  timeScale({ endMillis, moments, range: [0, 100] })

const aRow = (number: number, available: number, pods = available): TrackRow => ({
  number,
  atMillis: number,
  newRevisionUid: "a",
  byRevision: [{ uid: "a", revision: "1", ready: pods, notReady: 0, terminating: 0 }],
  available,
  desired: 10,
  floor: undefined,
  ceiling: undefined
})

describe("thousands of rows", () => {
  it("are drawn as few points, including the fewest available and the most Pods", () => {
    const rows = Array.from({ length: 5000 }, (_, index) => aRow(index + 1, 9, 10))
    rows[2346] = aRow(2347, 3, 10)
    rows[3111] = aRow(3112, 9, 17)
    const points = layerPoints(rows, scaleOf(5000))
    expect(points.length).toBeLessThan(200)
    expect(points.map(({ row }) => row.available)).toContain(3)
    expect(points.map(({ tops }) => tops.at(-1))).toContain(17)
  })

  it("reach the end of the time even if nothing happened at last", () => {
    const points = layerPoints([aRow(5, 1), aRow(40, 2)], scaleOf(100))
    expect(points.map(({ x, row }) => [x, row.available])).toEqual([
      [5, 1],
      [40, 2],
      [100, 2]
    ])
  })

  it("are found by number; before the first there is none", () => {
    const rows = [aRow(5, 1), aRow(40, 2), aRow(41, 3)]
    expect([4, 5, 39, 40, 99].map((number) => rowAt(rows, number)?.available)).toEqual([
      undefined,
      1,
      1,
      2,
      3
    ])
  })
})

describe("markers that would overlap", () => {
  const thing = (number: number, text: string, isBad = false) => ({ number, atMillis: number, text, isBad })

  it("are merged into one at the first bad thing, which is always listed", () => {
    const many = Array.from({ length: 9 }, (_, index) => thing(50, `thing ${index}`))
    const markers = markersOf([thing(10, "before"), ...many, thing(51, "broken", true)], scaleOf(100), 13)
    expect(markers.map(({ number, count, isBad }) => ({ number, count, isBad }))).toEqual([
      { number: 10, count: 1, isBad: false },
      { number: 51, count: 10, isBad: true }
    ])
    expect(markers[1]?.lines.some((line) => line.endsWith("broken"))).toBe(true)
    expect(markers[1]?.lines.at(-1)).toBe("and 4 more")
  })

  it("leave out things that are not selected or outside the visible time", () => {
    const all = [thing(10, "a"), thing(60, "b"), thing(90, "c", true), thing(150, "d", true)]
    const markers = markersOf(all, scaleOf(100), 13, ({ isBad }) => isBad)
    expect(markers.map(({ number }) => number)).toEqual([90])
  })
})

describe("the labels of the time axis", () => {
  it.each([
    { millis: noon, step: 3_600_000, text: "12:00" },
    { millis: noon + 61_000, step: 60_000, text: "12:01:01" },
    { millis: noon + 15_250, step: 5000, text: "12:00:15" },
    { millis: noon + 15_250, step: 50, text: "12:00:15.25" },
    { millis: noon + 15_000, step: 200, text: "12:00:15" },
    { millis: noon, step: 86_400_000, text: "01-01" }
  ])("are as exact as the distance of ticks needs: $text", ({ millis, step, text }) => {
    expect(tickText(millis, step)).toBe(text)
  })

  it("are exact to the millisecond for a moment", () => {
    expect([timeText(noon), timeText(noon + 12_034)]).toEqual(["12:00:00", "12:00:12.034"])
  })

  it("are at whole seconds, wherever the time begins", () => {
    const beginMillis = noon + 137
    const { ticks } = timeScale({
      beginMillis,
      endMillis: noon + 9000,
      moments: [],
      range: [0, 600],
      textOf: tickText
    })
    expect(ticks.map(({ text }) => text)).toEqual([
      "12:00:01",
      "12:00:02",
      "12:00:03",
      "12:00:04",
      "12:00:05",
      "12:00:06",
      "12:00:07",
      "12:00:08",
      "12:00:09"
    ])
  })

  it("show uncut time if quiet seconds are allowed", () => {
    const moments = [1, 2, 3, 4, 900, 901, 902]
    const options = { endMillis: 1000, moments, range: [0, 600] } as const
    expect(timeScale(options).cuts.length).toBeGreaterThan(0)
    expect(timeScale({ ...options, quietMillis: 1000 }).cuts).toEqual([])
  })
})
