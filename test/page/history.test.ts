import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeClusterHistory } from "../../src/page/history/clusterHistory.ts"
import { aHeader } from "../recording/headers.ts"
import { aStep } from "../recording/steps.ts"
import type { ClusterHistory } from "../../src/page/history/clusterHistory.ts"
import type { ObjectEntry } from "../../src/recording/entry.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const replicaSet = "web-1"

interface Written {
  readonly pod: number
  readonly node: string
  readonly gone: boolean
}

/** Pods of one ReplicaSet that come, change and go, an entry for each. */
const entriesOf = (written: ReadonlyArray<Written>): ReadonlyArray<ObjectEntry> => {
  const there = new Set<number>()
  return written.map(({ pod, node, gone }, index) => {
    const change = !there.has(pod) ? "ADDED" : gone ? "DELETED" : "MODIFIED"
    if (change === "DELETED") there.delete(pod)
    else there.add(pod)
    return {
      type: "object",
      change,
      number: index + 1,
      atMillis: index * 100,
      resource: "pods",
      object: podOf(pod, node)
    }
  })
}

const podOf = (
  pod: number,
  nodeName: string
): KubeObject & { readonly spec: object; readonly status: object } => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `pod-${pod}`,
    namespace: "default",
    uid: `uid-${pod}`,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: replicaSet, uid: replicaSet, controller: true }
    ]
  },
  spec: { nodeName, containers: [{ name: "app", image: "app:1" }] },
  status: {}
})

const historyOf = (entries: ReadonlyArray<ObjectEntry>, entriesMax?: number): ClusterHistory => {
  const history = makeClusterHistory(aHeader(), entriesMax)
  for (const entry of structuredClone(entries)) history.add(entry)
  return history
}

/** What was there, by replaying it. */
const replayed = (entries: ReadonlyArray<ObjectEntry>, moment: number): ReadonlyMap<string, KubeObject> => {
  const pods = new Map<string, KubeObject>()
  for (const { number, change, object } of entries) {
    if (number > moment) break
    if (change === "DELETED") pods.delete(object.metadata.uid)
    else pods.set(object.metadata.uid, object)
  }
  return pods
}

const someStep = aStep({
  number: 1,
  atMillis: 900,
  uid: "uid-1",
  kind: "Pod",
  namespace: "default",
  name: "pod-1"
})

const writes = fc.array(
  fc.record({ pod: fc.nat(6), node: fc.constantFrom("", "node-1", "node-2"), gone: fc.boolean() }),
  { minLength: 1, maxLength: 40 }
)
const law = { seed: 6, numRuns: 300 }

describe("a history", () => {
  it("shows at every moment what a replay shows, in whatever order the moments are asked for", () => {
    fc.assert(
      fc.property(writes, fc.array(fc.nat(45), { maxLength: 12 }), (written, moments) => {
        const entries = entriesOf(written)
        const history = historyOf(entries)
        for (const moment of moments) {
          const { pods, podsOf } = history.fleetAt(moment)
          const wanted = replayed(entries, moment)
          expect(new Map(pods)).toEqual(wanted)
          expect(new Set(podsOf.get(replicaSet)?.keys())).toEqual(new Set(wanted.keys()))
        }
        expect(new Map(history.fleetAt(undefined).pods)).toEqual(replayed(entries, Infinity))
      }),
      law
    )
  })

  it("has the Pods of a ReplicaSet in the order in which they came, wherever one comes from", () => {
    fc.assert(
      fc.property(writes, fc.array(fc.nat(45), { maxLength: 12 }), (written, moments) => {
        const entries = entriesOf(written)
        const history = historyOf(entries)
        const order = [...new Set(entries.map(({ object }) => object.metadata.uid))]
        for (const moment of moments) {
          const shown = [...(history.fleetAt(moment).podsOf.get(replicaSet)?.keys() ?? [])]
          expect(shown).toEqual(order.filter((uid) => shown.includes(uid)))
        }
      }),
      law
    )
  })

  it("gives the same object where nothing has changed, so that only what has is drawn anew", () => {
    const history = historyOf(
      entriesOf([
        { pod: 1, node: "", gone: false },
        { pod: 2, node: "", gone: false },
        { pod: 2, node: "node-1", gone: false }
      ])
    )
    const [before, after] = [history.fleetAt(2), history.fleetAt(3)]
    expect(after.pods.get("uid-1")).toBe(before.pods.get("uid-1"))
    expect(after.pods.get("uid-2")).not.toBe(before.pods.get("uid-2"))
    expect(after.pods.get("uid-2")?.spec.containers).toBe(before.pods.get("uid-2")?.spec.containers)
    expect(after.nodes).toBe(before.nodes)
    expect(history.fleetAt(3)).toBe(after)
  })

  it("lets go of its oldest entries and of nothing that is still there: later moments are as they were", () => {
    fc.assert(
      fc.property(writes, fc.integer({ min: 4, max: 12 }), (written, entriesMax) => {
        const entries = entriesOf(written)
        const history = historyOf(entries, entriesMax)
        for (let moment = history.beginNumber; moment <= history.endNumber; moment += 1) {
          expect(new Map(history.fleetAt(moment).pods)).toEqual(replayed(entries, moment))
        }
        expect(history.endNumber - history.beginNumber).toBeLessThanOrEqual(entriesMax)
        expect(history.fleetAt(0)).toEqual(history.fleetAt(history.beginNumber))
      }),
      law
    )
  })

  it("loses nothing where a step comes sooner than what had happened before it", () => {
    const [first, second] = entriesOf([
      { pod: 1, node: "", gone: false },
      { pod: 1, node: "node-1", gone: false }
    ])
    if (first === undefined || second === undefined) throw new Error("there are two")
    const history = historyOf([first])
    history.fleetAt(undefined)
    history.addStep({ type: "step", number: 9, atMillis: 900, step: someStep })
    history.fleetAt(undefined)
    history.add(second)
    expect(history.fleetAt(undefined).pods.get("uid-1")?.spec.nodeName).toBe("node-1")
    expect(history.stepsOf({ kind: "Pod", namespace: "default", name: "pod-1" }).length).toBe(1)
  })

  it("knows how an object was last, and the moments at which something happened to it", () => {
    const history = historyOf(
      entriesOf([
        { pod: 1, node: "", gone: false },
        { pod: 2, node: "", gone: false },
        { pod: 1, node: "node-1", gone: false },
        { pod: 2, node: "node-2", gone: false },
        { pod: 1, node: "node-1", gone: true },
        { pod: 2, node: "node-1", gone: false }
      ])
    )
    const place = { kind: "Pod", namespace: "default", name: "pod-1" } as const
    const last = (moment: number | undefined) => {
      const known = history.lastKnownOf(place, moment)
      return (
        known && {
          node: (known.object as unknown as { spec: { nodeName: string } }).spec.nodeName,
          isThere: known.isThere
        }
      )
    }
    expect([0, 1, 4, 5, undefined].map(last)).toEqual([
      undefined,
      { node: "", isThere: true },
      { node: "node-1", isThere: true },
      { node: "node-1", isThere: false },
      { node: "node-1", isThere: false }
    ])
    expect([
      history.nextMomentOf(place, 1, 1),
      history.nextMomentOf(place, 3, 1),
      history.nextMomentOf(place, 5, 1)
    ]).toEqual([3, 5, undefined])
    expect([
      history.nextMomentOf(place, 6, -1),
      history.nextMomentOf(place, 5, -1),
      history.nextMomentOf(place, 1, -1)
    ]).toEqual([5, 3, undefined])
    expect([...history.ownedBy(replicaSet)].sort()).toEqual(["uid-1", "uid-2", replicaSet])
  })

  it("finds the moment of a time and the time of a moment, many of which are at the same instant", () => {
    const entries = entriesOf([1, 2, 3, 4].map((pod) => ({ pod, node: "", gone: false }))).map(
      (entry, index) => ({
        ...entry,
        atMillis: [0, 100, 100, 300][index] ?? 0
      })
    )
    const history = historyOf(entries)
    expect([0, 99, 100, 299, 300, 9000].map(history.momentAt)).toEqual([1, 1, 3, 3, 4, 4])
    expect([1, 2, 3, 4, undefined].map(history.millisAt)).toEqual([0, 100, 100, 300, 300])
    expect([
      history.nextMoment(1, 1),
      history.nextMoment(4, 1),
      history.nextMoment(2, -1),
      history.nextMoment(0, -1)
    ]).toEqual([2, undefined, 1, undefined])
  })
})
