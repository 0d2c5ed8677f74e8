import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { faultBands, revisionFlags } from "../../src/page/timeline/layout/markers.ts"
import { makeDueList } from "../../src/page/timeline/series/dueList.ts"
import { readout } from "../../src/page/timeline/momentReadout.ts"
import { aRow, pods, scaleOf } from "./rows.ts"
import type { TrackRow } from "../../src/page/timeline/series/deploymentTrack.ts"
import type { RecordedFault } from "../../src/page/history/faultLog.ts"
import type { DeploymentTrack } from "../../src/page/timeline/series/timelineSeries.ts"

describe("the flags of revisions", () => {
  const flags = (rows: ReadonlyArray<TrackRow>, scale = scaleOf(200)): ReadonlyArray<string> =>
    revisionFlags(rows, scale).map(({ x, revision }) => `${revision} at ${Math.round(x)}`)
  const none = { byRevision: [] }

  it.each([
    {
      why: "each where it becomes the wanted one",
      rows: [aRow(10), aRow(20, { newReplicaSetUid: "b", byRevision: [pods("b", 1)] })],
      found: ["1 at 10", "2 at 20"]
    },
    { why: "once, however long it stays so", rows: [aRow(10), aRow(20), aRow(30)], found: ["1 at 10"] },
    {
      why: "none that is not wanted yet",
      rows: [aRow(10, { newReplicaSetUid: undefined }), aRow(201)],
      found: []
    },
    { why: "one at the very end", rows: [aRow(200)], found: ["1 at 200"] },
    {
      why: "by its own number, whoever stands first",
      rows: [aRow(10, { byRevision: [pods("b", 1), pods("a", 1)] })],
      found: ["1 at 10"]
    },
    { why: "without its number, where that is never told", rows: [aRow(10, none)], found: [" at 10"] },
    {
      why: "by the number that it has later",
      rows: [...Array.from({ length: 59 }, (_, at) => aRow(at, none)), aRow(60)],
      found: ["1 at 0"]
    },
    {
      why: "not by one that it has much later",
      rows: [...Array.from({ length: 60 }, (_, at) => aRow(at, none)), aRow(60)],
      found: [" at 0"]
    },
    {
      why: "not by one that it has when another was wanted",
      rows: [aRow(10, none), aRow(20, { newReplicaSetUid: "b", byRevision: [pods("b", 1)] }), aRow(30)],
      found: [" at 10", "2 at 20", "1 at 30"]
    }
  ])("are there: $why", ({ rows, found }) => {
    expect(flags(rows)).toEqual(found)
  })

  it("begin with the one that is wanted when that begins which is looked at", () => {
    const rows = [aRow(10), aRow(50, { newReplicaSetUid: "b", byRevision: [pods("b", 1)] }), aRow(90)]
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
    { why: "over before", faults: [fault(10, 99)], places: [] },
    { why: "over as it begins", faults: [fault(10, 100)], places: ["100 +3"] },
    { why: "begun as it ends", faults: [fault(1000, 2000)], places: ["1000 +3"] },
    { why: "begun later", faults: [fault(1001)], places: [] },
    { why: "begun before", faults: [fault(10, 200)], places: ["100 +100"] },
    { why: "lasting", faults: [fault(300)], places: ["300 +700"] },
    { why: "too short to be seen", faults: [fault(300, 301)], places: ["300 +3"] }
  ])("stand where they last, of what is looked at: $why", ({ faults, places }) => {
    expect(bands(faults).bands.map(({ x, width }) => `${x} +${width}`)).toEqual(places)
  })

  it("say how long they last, or since when", () => {
    const words = bands([fault(200, 300), fault(400)]).bands.map((band) => band.words)
    expect(words).toEqual(["abcde, from 00:00:00.200 to 00:00:00.300", "abcde, from 00:00:00.400 on"])
  })

  it.each([
    { length: 48, shown: "x".repeat(48) },
    { length: 49, shown: `${"x".repeat(47)}…` }
  ])("are called by no more than fits: a name of $length letters", ({ length, shown }) => {
    expect(bands([fault(200, 300, "x".repeat(length))]).bands[0]?.text).toBe(shown)
  })

  it.each([
    { why: "behind where it begins", faults: [fault(969, 980)], text: [969, false] },
    {
      why: "before where it ends, where there is no room behind",
      faults: [fault(970, 980)],
      text: [980, true]
    },
    { why: "before the end of the drawing", faults: [fault(990)], text: [1000, true] },
    {
      why: "within the drawing, where there is no room before either",
      faults: [fault(110, 120, "x".repeat(48))],
      range: [100, 300] as const,
      text: [397.6, true]
    }
  ])("have their names $why", ({ faults, range = [100, 1000] as const, text }) => {
    const [band] = faultBands(faults, scaleOf(1000, 100), range).bands
    expect([Math.round((band?.textX ?? 0) * 10) / 10, band?.isBefore]).toEqual(text)
  })

  it.each([
    {
      why: "one after the other in one",
      faults: [fault(200, 300), fault(308, 400)],
      lanes: [0, 0],
      count: 1,
      untold: 0
    },
    {
      why: "two that would touch in two",
      faults: [fault(200, 300), fault(307, 400)],
      lanes: [0, 1],
      count: 2,
      untold: 0
    },
    {
      why: "two whose names would touch in two",
      faults: [fault(200, 201), fault(238, 400)],
      lanes: [0, 1],
      count: 2,
      untold: 0
    },
    {
      why: "two whose names do not in one",
      faults: [fault(200, 201), fault(239, 400)],
      lanes: [0, 0],
      count: 1,
      untold: 0
    },
    {
      why: "two of which one's name stands before it in two",
      faults: [fault(930, 960), fault(980, 990)],
      lanes: [0, 1],
      count: 2,
      untold: 0
    },
    {
      why: "five at once in four, and one untold",
      faults: [1, 2, 3, 4, 5].map(() => fault(200)),
      lanes: [0, 1, 2, 3],
      count: 4,
      untold: 1
    },
    { why: "none in none", faults: [], lanes: [], count: 0, untold: 0 }
  ])("lie in lanes: $why", ({ faults, lanes, count, untold }) => {
    const found = bands(faults)
    expect(found.bands.map(({ lane }) => lane)).toEqual(lanes)
    expect([found.lanes, found.untold]).toEqual([count, untold])
  })
})

describe("what is due", () => {
  it("comes in the order of its time, and of what is due at once in that in which it was added", () => {
    const turn = fc.record({ isTaken: fc.boolean(), millis: fc.nat(9) })
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 40 }), (turns) => {
        const due = makeDueList<number>()
        const left: Array<{ readonly atMillis: number; readonly thing: number }> = []
        for (const [thing, { isTaken, millis }] of turns.entries()) {
          if (isTaken) {
            const [next] = left.toSorted((a, b) => a.atMillis - b.atMillis || a.thing - b.thing)
            const wanted = next !== undefined && next.atMillis <= millis ? next : undefined
            expect(due.take(millis)).toEqual(wanted)
            if (wanted !== undefined) left.splice(left.indexOf(wanted), 1)
          } else {
            due.add(millis, thing)
            left.push({ atMillis: millis, thing })
          }
        }
      }),
      { seed: 2, numRuns: 400 }
    )
  })
})

describe("a moment of many Deployments", () => {
  const aTrack = (rows: ReadonlyArray<TrackRow>): DeploymentTrack => ({
    uid: "a",
    namespace: "default",
    name: "web",
    events: [],
    moments: [],
    rows
  })

  it("is how many of all that is wanted is available in those that are there", () => {
    const tracks = [
      aTrack([aRow(10, { available: 3 })]),
      aTrack([aRow(20, { desired: 7 })]),
      aTrack([aRow(90)])
    ]
    const counts = [5, 15, 50, 95].map((moment) => readout(0, moment, undefined, tracks).counts)
    expect(counts).toEqual([
      "0 of 0 available in 0 Deployments",
      "3 of 4 available in 1 Deployment",
      "7 of 11 available in 2 Deployments",
      "11 of 15 available in 3 Deployments"
    ])
  })
})
