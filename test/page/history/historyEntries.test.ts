import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { shareUnchanged } from "../../../src/page/history/shareUnchanged.ts"
import { eventGroups } from "../../../src/page/history/eventGroups.ts"
import type {
  RecordingEntry,
  FaultEntry,
  NoteEntry,
  ObjectEntry,
  StepEntry
} from "../../../src/recording/entry.ts"
import { aHeader, aStep } from "../../recording/builders.ts"
import type { ClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { Step } from "../../../src/explain/steps/step.ts"
import type { PageAddress } from "../../../src/page/pageAddress.ts"

const header = aHeader({ number: 4, atMillis: 50 })

const anEntry = (
  number: number,
  resource: string,
  object: object,
  change: ObjectEntry["change"] = "MODIFIED"
): ObjectEntry => ({
  type: "object",
  change,
  number,
  atMillis: number * 100,
  resource,
  object: object as KubeObject
})
const aPod = (number: number, name: string, change?: ObjectEntry["change"], owner?: string): ObjectEntry => {
  const other = { apiVersion: "v1", kind: "Team", name: "shop", uid: "shop" }
  const ownerReferences =
    owner === undefined
      ? [other]
      : [other, { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true }]
  const metadata = { name, namespace: "default", uid: `uid-${name}`, ownerReferences }
  return anEntry(
    number,
    "pods",
    { apiVersion: "v1", kind: "Pod", metadata, spec: { number }, status: {} },
    change
  )
}
const anEvent = (number: number, about: object, more: object = {}): ObjectEntry =>
  anEntry(number, "events", {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `event-${number}`, namespace: "default", uid: `event-${number}` },
    involvedObject: { kind: "Pod", namespace: "default", ...about },
    type: "Normal",
    reason: "Started",
    message: `message ${number}`,
    count: 1,
    lastTimestamp: "2026-01-01T12:00:00Z",
    ...more
  })
const aNote = (number: number): NoteEntry => ({
  type: "note",
  number,
  atMillis: number * 100,
  level: "step",
  text: `note ${number}`
})
const aFault = (number: number, id: string, change: FaultEntry["change"]): FaultEntry => ({
  type: "fault",
  number,
  atMillis: number * 100,
  change,
  id,
  text: id
})
const stepEntry = (number: number, more: Partial<Step> = {}): StepEntry => ({
  type: "step",
  number,
  atMillis: number * 100,
  step: aStep({ number, atMillis: number * 100, ...more })
})

const historyOf = (entries: ReadonlyArray<RecordingEntry>, entriesMax?: number): ClusterHistory => {
  const history = makeClusterHistory(header, entriesMax)
  for (const entry of entries) history.add(entry)
  return history
}
const podAt = (name: string): PageAddress => ({ kind: "Pod", namespace: "default", name })

describe("a history and its moments", () => {
  const entries = [aPod(2, "a", "ADDED"), aPod(3, "b", "ADDED"), aNote(6), stepEntry(8)]

  it("has a moment for each entry from the beginning of the recording", () => {
    const late: RecordingEntry = { type: "clock", number: 8, atMillis: 9000, speed: 0 }
    const history = historyOf([header, ...entries, late])
    expect([history.beginNumber, history.endNumber]).toEqual([4, 8])
    expect([history.beginMillis, history.endMillis]).toEqual([300, 800])
    const forth = [4, 6, 8].map((moment) => history.nextMoment(moment, 1))
    const back = [8, 6, 4].map((moment) => history.nextMoment(moment, -1))
    expect([forth, back]).toEqual([
      [6, 8, undefined],
      [6, 4, undefined]
    ])
  })

  it("has one moment before the first entry, and none without a header", () => {
    const history = historyOf([])
    expect([
      history.endNumber,
      history.endMillis,
      history.nextMoment(4, -1),
      history.nextMoment(4, 1)
    ]).toEqual([4, 50, undefined, undefined])
    const unknown = makeClusterHistory(undefined)
    expect([unknown.beginNumber, unknown.endNumber, unknown.endMillis, unknown.momentAt(5)]).toEqual([
      0, 0, 0, 0
    ])
    expect(unknown.fleetAt(undefined).pods.size).toBe(0)
  })

  it("notifies once for a batch of entries, and knows when it has caught up", () => {
    const history = historyOf(entries)
    const before = history.publishCount.get()
    history.publish()
    const after = history.publishCount.get()
    history.publish()
    expect(new Set([before, after, history.publishCount.get()]).size).toBe(3)
    expect(history.isCaughtUp).toBe(false)
    history.markCaughtUp()
    expect(history.isCaughtUp).toBe(true)
  })

  it("shows the initial objects as they arrive", () => {
    const history = historyOf([aPod(2, "a", "ADDED")])
    expect([...history.fleetAt(undefined).pods.keys()]).toEqual(["uid-a"])
    history.add(aPod(3, "b", "ADDED"))
    expect([...history.fleetAt(4).pods.keys()]).toEqual(["uid-a", "uid-b"])
    expect([...history.fleetAt(undefined).pods.keys()]).toEqual(["uid-a", "uid-b"])
  })

  it("shares unchanged objects and groups between moments", () => {
    const history = historyOf([aPod(5, "a", "ADDED", "web-1"), aPod(6, "b", "ADDED", "web-2")])
    const before = history.fleetAt(undefined)
    expect(history.fleetAt(undefined)).toBe(before)
    history.add(aPod(7, "b", "DELETED", "web-2"))
    const after = history.fleetAt(undefined)
    expect(after.eventsOf).toBe(before.eventsOf)
    expect(after.podsOf.get("web-1")).toBe(before.podsOf.get("web-1"))
    expect([...after.podsOf.keys()]).toEqual(["web-1"])
  })

  it("groups Pods without a controller under the empty uid, whatever other owners they have", () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "node-1" }, status: {} }
    const { podsOf, nodes } = historyOf([aPod(5, "a", "ADDED"), anEntry(6, "nodes", node)]).fleetAt(undefined)
    expect([[...podsOf.keys()], [...nodes.keys()]]).toEqual([[""], ["node-1"]])
  })

  it("finds the moments of an object's events and steps too, of a Node in any namespace", () => {
    const history = historyOf([
      aPod(3, "a", "ADDED"),
      anEvent(5, { name: "a", uid: "uid-a" }),
      aPod(6, "b", "ADDED"),
      anEvent(7, { kind: "Node", namespace: "default", name: "node-1", uid: "node-1" }),
      stepEntry(8)
    ])
    const momentsOf = (place: PageAddress): ReadonlyArray<number> => {
      const moments: Array<number> = []
      for (
        let at = history.nextMomentOf(place, 0, 1);
        at !== undefined;
        at = history.nextMomentOf(place, at, 1)
      )
        moments.push(at)
      return moments
    }
    expect(momentsOf(podAt("a"))).toEqual([5, 8])
    expect(momentsOf(podAt("b"))).toEqual([6])
    expect(momentsOf({ kind: "Node", namespace: "", name: "node-1" })).toEqual([7])
  })
})

describe("a history that discards its oldest entries", () => {
  const entries: ReadonlyArray<RecordingEntry> = [
    aPod(5, "gone", "ADDED", "web-1"),
    aPod(6, "a", "ADDED", "web-1"),
    aFault(7, "short", "BEGAN"),
    aFault(8, "long", "BEGAN"),
    aNote(9),
    aPod(10, "gone", "DELETED", "web-1"),
    aFault(11, "short", "ENDED"),
    aPod(12, "a"),
    aFault(13, "long", "ENDED"),
    aFault(14, "lasting", "BEGAN"),
    aNote(15),
    aPod(16, "a")
  ]

  it.each([
    {
      why: "the limit is not reached",
      entriesMax: 12,
      begin: 4,
      texts: ["note 9", "note 15"],
      ids: 3,
      moment: 6
    },
    {
      why: "a quarter is discarded at once",
      entriesMax: 11,
      begin: 7,
      texts: ["note 9", "note 15"],
      ids: 3,
      moment: 12
    },
    { why: "entries are discarded again", entriesMax: 8, begin: 10, texts: ["note 15"], ids: 3, moment: 12 },
    {
      why: "faults that ended before the first entry are discarded",
      entriesMax: 5,
      begin: 12,
      texts: ["note 15"],
      ids: 2,
      moment: 16
    },
    {
      why: "faults that end at the first entry are discarded",
      entriesMax: 3,
      begin: 13,
      texts: ["note 15"],
      ids: 1,
      moment: 16
    },
    { why: "notes at the first entry are discarded", entriesMax: 1, begin: 15, texts: [], ids: 1, moment: 16 }
  ])("keeps objects and faults that last: $why", ({ entriesMax, begin, texts, ids, moment }) => {
    const history = historyOf(entries, entriesMax)
    expect(history.beginNumber).toBe(begin)
    expect(history.notes.map(({ text }) => text)).toEqual(texts)
    expect(history.faults).toHaveLength(ids)
    expect(history.nextMomentOf(podAt("a"), 0, 1)).toBe(moment)
    expect(history.lastKnownOf(podAt("a"), undefined)?.exists).toBe(true)
    expect(history.lastKnownOf(podAt("gone"), undefined) === undefined).toBe(begin >= 10)
    expect(history.nextMomentOf(podAt("gone"), 0, 1)).toBe(begin >= 10 ? undefined : begin > 4 ? 10 : 5)
    expect([...history.fleetAt(undefined).pods.keys()]).toEqual(["uid-a"])
    expect(history.series.moments.length).toBeLessThanOrEqual(entriesMax + 1)
  })
})

describe("the faults of a history", () => {
  it("last from beginning to end, matched by id", () => {
    const { faults } = historyOf([
      aFault(5, "one", "BEGAN"),
      aFault(6, "two", "BEGAN"),
      aFault(7, "one", "ENDED"),
      aFault(8, "unheard of", "ENDED"),
      aFault(9, "one", "BEGAN"),
      aFault(10, "one", "BEGAN"),
      aFault(11, "one", "ENDED"),
      aFault(12, "one", "ENDED"),
      aFault(13, "one", "ENDED")
    ])
    expect(faults.map(({ id, beganNumber, endedNumber }) => [id, beganNumber, endedNumber])).toEqual([
      ["one", 5, 7],
      ["two", 6, undefined],
      ["one", 9, 12],
      ["one", 10, 11]
    ])
    expect(faults.map(({ beganMillis, endedMillis }) => [beganMillis, endedMillis])[0]).toEqual([500, 700])
  })
})

describe("the steps of a history", () => {
  const numbersOf = (history: ClusterHistory): ReadonlyArray<number> =>
    history.stepsOf(podAt("a")).map(({ number }) => number)

  it("have the order of their numbers; a step that arrives again replaces the first", () => {
    const history = historyOf([stepEntry(9), stepEntry(5)])
    history.addStep(stepEntry(7))
    history.addStep(stepEntry(9, { event: "refused" }))
    expect(numbersOf(history)).toEqual([5, 7, 9])
    expect(history.stepsOf(podAt("a")).map(({ step }) => step.event)).toEqual([
      "observed",
      "observed",
      "refused"
    ])
    history.forgetSteps(podAt("a"))
    expect(numbersOf(history)).toEqual([])
  })

  it("are the last two thousand at most", () => {
    const history = historyOf(Array.from({ length: 2003 }, (_, index) => stepEntry(index + 5)))
    expect([numbersOf(history).length, numbersOf(history)[0]]).toEqual([2000, 8])
  })
})

describe("the events of objects", () => {
  const linesOf = (entries: ReadonlyArray<RecordingEntry>, uids: ReadonlyArray<string>) =>
    eventGroups(historyOf(entries).fleetAt(undefined), new Set(uids)).map(
      ({ type, reason, about, count, message }) => `${type} ${reason} ${about} ${count}: ${message}`
    )
  const [a, b] = [
    { name: "a", uid: "uid-a" },
    { name: "b", uid: "uid-b" }
  ]
  const later = "2026-01-01T12:00:09Z"

  it.each([
    { why: "nothing for objects without events", events: [anEvent(5, a)], lines: [] },
    { why: "one event", events: [anEvent(5, b)], lines: ["Normal Started Pod b 1: message 5"] },
    {
      why: "an event without a count",
      events: [anEvent(5, b, { count: undefined })],
      lines: ["Normal Started Pod b 1: message 5"]
    },
    {
      why: "two events of one object, with the later message",
      events: [anEvent(5, b, { count: 3 }), anEvent(6, b, { count: 4 })],
      lines: ["Normal Started Pod b 7: message 6"]
    },
    {
      why: "two events, of which the later arrived first",
      events: [anEvent(5, b, { lastTimestamp: later }), anEvent(6, b)],
      lines: ["Normal Started Pod b 2: message 5"]
    },
    {
      why: "events of two objects",
      events: [anEvent(5, b), anEvent(6, { name: "c", uid: "uid-c" })],
      lines: ["Normal Started 2 Pods 2: message 6"]
    },
    {
      why: "other reasons, types and kinds on their own lines, the latest first",
      events: [
        anEvent(5, b),
        anEvent(6, b, { type: "Warning", lastTimestamp: later }),
        anEvent(7, b, { reason: "Killing", lastTimestamp: "2026-01-01T12:00:05Z" }),
        anEvent(
          8,
          { kind: "ReplicaSet", name: "web-1", uid: "uid-c" },
          { lastTimestamp: "2026-01-01T12:00:07Z" }
        )
      ],
      lines: [
        "Warning Started Pod b 1: message 6",
        "Normal Started ReplicaSet web-1 1: message 8",
        "Normal Killing Pod b 1: message 7",
        "Normal Started Pod b 1: message 5"
      ]
    }
  ])("are one line for each reason: $why", ({ events, lines }) => {
    expect(linesOf(events, ["uid-b", "uid-c"])).toEqual(lines)
  })
})

describe("two versions of one object", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 0, 1, "a", undefined),
      fc.array(tie("any"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b"), tie("any"), { maxKeys: 2, noNullPrototype: true })
    )
  })).any

  it("share equal parts, and nothing else", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        const expected = structuredClone(after)
        const sharing = shareUnchanged(
          { whole: before, part: [before] },
          { whole: after, part: [structuredClone(before)] }
        )
        expect(sharing).toStrictEqual({ whole: expected, part: [before] })
        expect(sharing.part[0]).toBe(before)
        expect(shareUnchanged(before, structuredClone(before))).toBe(before)
      }),
      { seed: 4, numRuns: 400 }
    )
  })
})
