import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { faultBands, revisionFlags } from "../../../../src/page/timeline/layout/markers.ts"
import { makeDueList } from "../../../../src/page/timeline/series/dueList.ts"
import { countsReadout } from "../../../../src/page/timeline/momentReadout.ts"
import { aRow, pods, scaleOf } from "../rows.ts"
import type { TrackRow } from "../../../../src/page/timeline/series/workloadTrack.ts"
import type { RecordedFault } from "../../../../src/page/history/faultLog.ts"
import type { WorkloadTrack } from "../../../../src/page/timeline/series/timelineSeries.ts"

describe("the flags of revisions", () => {
  const flags = (rows: ReadonlyArray<TrackRow>, scale = scaleOf(200)): ReadonlyArray<string> =>
    revisionFlags(rows, scale).map(({ x, revision }) => `${revision} at ${Math.round(x)}`)
  const none = { byRevision: [] }

  it.each([
    {
      why: "one where each revision becomes the newest",
      rows: [aRow(10), aRow(20, { newRevisionUid: "b", byRevision: [pods("b", 1)] })],
      found: ["1 at 10", "2 at 20"]
    },
    { why: "one for several rows of a revision", rows: [aRow(10), aRow(20), aRow(30)], found: ["1 at 10"] },
    {
      why: "none for a later revision",
      rows: [aRow(10, { newRevisionUid: undefined }), aRow(201)],
      found: []
    },
    { why: "one at the very end", rows: [aRow(200)], found: ["1 at 200"] },
    {
      why: "with its own number, in whatever order revisions are listed",
      rows: [aRow(10, { byRevision: [pods("b", 1), pods("a", 1)] })],
      found: ["1 at 10"]
    },
    { why: "without a number if it never appears", rows: [aRow(10, none)], found: [" at 10"] },
    {
      why: "with a number that appears later",
      rows: [...Array.from({ length: 59 }, (_, at) => aRow(at, none)), aRow(60)],
      found: ["1 at 0"]
    },
    {
      why: "without a number that appears 60 rows later",
      rows: [...Array.from({ length: 60 }, (_, at) => aRow(at, none)), aRow(60)],
      found: [" at 0"]
    },
    {
      why: "without a number that appears after another revision",
      rows: [aRow(10, none), aRow(20, { newRevisionUid: "b", byRevision: [pods("b", 1)] }), aRow(30)],
      found: [" at 10", "2 at 20", "1 at 30"]
    }
  ])("are drawn: $why", ({ rows, found }) => {
    expect(flags(rows)).toEqual(found)
  })

  it("begin with the newest revision at the beginning of the visible time", () => {
    const rows = [aRow(10), aRow(50, { newRevisionUid: "b", byRevision: [pods("b", 1)] }), aRow(90)]
    expect(flags(rows, scaleOf(200, 50))).toEqual(["2 at 50", "1 at 90"])
    expect(flags(rows, scaleOf(200, 49))).toEqual(["1 at 49", "2 at 50", "1 at 90"])
  })
})

describe("the bands of faults", () => {
  const fault = (beganMillis: number, endedMillis?: number, text = "abcde"): RecordedFault => ({
    id: "fault-1",
    text,
    beganNumber: 7,
    beganMillis,
    ...(endedMillis === undefined ? {} : { endedNumber: 9, endedMillis })
  })
  const bands = (faults: ReadonlyArray<RecordedFault>) => faultBands(faults, scaleOf(1000, 100), [100, 1000])

  it.each([
    { why: "one that ended before", faults: [fault(10, 99)], spans: [] },
    { why: "one that ends at the beginning", faults: [fault(10, 100)], spans: ["100 +3"] },
    { why: "one that begins at the end", faults: [fault(1000, 2000)], spans: ["1000 +3"] },
    { why: "one that begins later", faults: [fault(1001)], spans: [] },
    { why: "one that began before", faults: [fault(10, 200)], spans: ["100 +100"] },
    { why: "one that lasts", faults: [fault(300)], spans: ["300 +700"] },
    { why: "one that is too short to be seen", faults: [fault(300, 301)], spans: ["300 +3"] }
  ])("span their visible time: $why", ({ faults, spans }) => {
    expect(bands(faults).bands.map(({ x, width }) => `${x} +${width}`)).toEqual(spans)
  })

  it("have a description with their times", () => {
    const titles = bands([fault(200, 300), fault(400)]).bands.map((band) => band.title)
    expect(titles).toEqual(["abcde, from 00:00:00.200 to 00:00:00.300", "abcde, from 00:00:00.400 on"])
  })

  it.each([
    { length: 48, shown: "x".repeat(48) },
    { length: 49, shown: `${"x".repeat(47)}…` }
  ])("have a truncated name: $length characters", ({ length, shown }) => {
    expect(bands([fault(200, 300, "x".repeat(length))]).bands[0]?.text).toBe(shown)
  })

  it.each([
    { why: "after the beginning of the band", faults: [fault(969, 980)], text: [969, false] },
    {
      why: "before the end of the band if there is no room after it",
      faults: [fault(970, 980)],
      text: [980, true]
    },
    { why: "before the end of the drawing", faults: [fault(990)], text: [1000, true] },
    {
      why: "within the drawing if there is no room before the band either",
      faults: [fault(110, 120, "x".repeat(48))],
      range: [100, 300] as const,
      text: [397.6, true]
    }
  ])("have their names $why", ({ faults, range = [100, 1000] as const, text }) => {
    const [band] = faultBands(faults, scaleOf(1000, 100), range).bands
    expect([Math.round((band?.textX ?? 0) * 10) / 10, band?.isEndAnchored]).toEqual(text)
  })

  it.each([
    {
      why: "one lane for two in succession",
      faults: [fault(200, 300), fault(308, 400)],
      lanes: [0, 0],
      count: 1,
      hiddenCount: 0
    },
    {
      why: "two lanes for two that would touch",
      faults: [fault(200, 300), fault(307, 400)],
      lanes: [0, 1],
      count: 2,
      hiddenCount: 0
    },
    {
      why: "two lanes for two whose names would touch",
      faults: [fault(200, 201), fault(238, 400)],
      lanes: [0, 1],
      count: 2,
      hiddenCount: 0
    },
    {
      why: "one lane for two whose names do not touch",
      faults: [fault(200, 201), fault(239, 400)],
      lanes: [0, 0],
      count: 1,
      hiddenCount: 0
    },
    {
      why: "two lanes for two, one of them with its name before it",
      faults: [fault(930, 960), fault(980, 990)],
      lanes: [0, 1],
      count: 2,
      hiddenCount: 0
    },
    {
      why: "four lanes for five at once, and one left out",
      faults: [1, 2, 3, 4, 5].map(() => fault(200)),
      lanes: [0, 1, 2, 3],
      count: 4,
      hiddenCount: 1
    },
    { why: "no lanes for none", faults: [], lanes: [], count: 0, hiddenCount: 0 }
  ])("have lanes: $why", ({ faults, lanes, count, hiddenCount }) => {
    const found = bands(faults)
    expect(found.bands.map(({ lane }) => lane)).toEqual(lanes)
    expect([found.laneCount, found.hiddenCount]).toEqual([count, hiddenCount])
  })
})

describe("the due list", () => {
  it("is ordered by time, then by the order of addition", () => {
    const turn = fc.record({ isTaken: fc.boolean(), millis: fc.nat(9) })
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 40 }), (turns) => {
        const due = makeDueList<number>()
        const left: Array<{ readonly atMillis: number; readonly item: number }> = []
        for (const [item, { isTaken, millis }] of turns.entries()) {
          if (isTaken) {
            const [next] = left.toSorted((a, b) => a.atMillis - b.atMillis || a.item - b.item)
            const expected = next !== undefined && next.atMillis <= millis ? next : undefined
            expect(due.take(millis)).toEqual(expected)
            if (expected !== undefined) left.splice(left.indexOf(expected), 1)
          } else {
            due.add(millis, item)
            left.push({ atMillis: millis, item })
          }
        }
      }),
      { seed: 2, numRuns: 400 }
    )
  })
})

describe("the readout of many workloads", () => {
  const aTrack = (rows: ReadonlyArray<TrackRow>): WorkloadTrack => ({
    uid: "a",
    kind: "Deployment",
    namespace: "default",
    name: "web",
    events: [],
    moments: [],
    rows
  })

  it("counts available and desired Pods of the existing Deployments", () => {
    const tracks = [
      aTrack([aRow(10, { available: 3 })]),
      aTrack([aRow(20, { desired: 7 })]),
      aTrack([aRow(90)])
    ]
    const counts = [5, 15, 50, 95].map((moment) => countsReadout(0, moment, undefined, tracks).counts)
    expect(counts).toEqual([
      "0 of 0 available in 0 workloads",
      "3 of 4 available in 1 workload",
      "7 of 11 available in 2 workloads",
      "11 of 15 available in 3 workloads"
    ])
  })
})
