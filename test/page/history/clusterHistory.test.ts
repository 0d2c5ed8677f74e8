import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { aHeader, aStep } from "../../recording/builders.ts"
import type { ClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import type { ObjectEntry } from "../../../src/recording/entry.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

const replicaSet = "web-1"

interface PodWrite {
  readonly pod: number
  readonly node: string
  readonly isDeleted: boolean
}

/** One entry for each write: Pods of one ReplicaSet are created, changed and deleted. */
const entriesOf = (podWrites: ReadonlyArray<PodWrite>): ReadonlyArray<ObjectEntry> => {
  const existing = new Set<number>()
  return podWrites.map(({ pod, node, isDeleted }, index) => {
    const change = !existing.has(pod) ? "ADDED" : isDeleted ? "DELETED" : "MODIFIED"
    if (change === "DELETED") existing.delete(pod)
    else existing.add(pod)
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

/** The Pods that existed at a moment, by replaying the entries. */
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
  fc.record({ pod: fc.nat(6), node: fc.constantFrom("", "node-1", "node-2"), isDeleted: fc.boolean() }),
  { minLength: 1, maxLength: 40 }
)
const law = { seed: 6, numRuns: 300 }

describe("a history", () => {
  it("shows at every moment what a replay shows, in whatever order moments are requested", () => {
    fc.assert(
      fc.property(writes, fc.array(fc.nat(45), { maxLength: 12 }), (podWrites, moments) => {
        const entries = entriesOf(podWrites)
        const history = historyOf(entries)
        for (const moment of moments) {
          const { pods, podsOf } = history.fleetAt(moment)
          const expected = replayed(entries, moment)
          expect(new Map(pods)).toEqual(expected)
          expect(new Set(podsOf.get(replicaSet)?.keys())).toEqual(new Set(expected.keys()))
        }
        expect(new Map(history.fleetAt(undefined).pods)).toEqual(replayed(entries, Infinity))
      }),
      law
    )
  })

  it("finds every object that ever was, with a moment at which it is there", () => {
    fc.assert(
      fc.property(writes, (podWrites) => {
        const entries = entriesOf(podWrites)
        const history = historyOf(entries)
        const found = history.allObjects()
        const uids = new Set(entries.map(({ object }) => object.metadata.uid))
        expect(new Set(found.map(({ object }) => object.metadata.uid))).toEqual(uids)
        for (const { object, moment } of found)
          expect(history.fleetAt(moment).pods.get(object.metadata.uid)).toEqual(object)
      }),
      law
    )
  })

  it("lists the Pods of a ReplicaSet in creation order, whichever moment was shown before", () => {
    fc.assert(
      fc.property(writes, fc.array(fc.nat(45), { maxLength: 12 }), (podWrites, moments) => {
        const entries = entriesOf(podWrites)
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

  it("reuses unchanged objects between moments", () => {
    const history = historyOf(
      entriesOf([
        { pod: 1, node: "", isDeleted: false },
        { pod: 2, node: "", isDeleted: false },
        { pod: 2, node: "node-1", isDeleted: false }
      ])
    )
    const [before, after] = [history.fleetAt(2), history.fleetAt(3)]
    expect(after.pods.get("uid-1")).toBe(before.pods.get("uid-1"))
    expect(after.pods.get("uid-2")).not.toBe(before.pods.get("uid-2"))
    expect(after.pods.get("uid-2")?.spec.containers).toBe(before.pods.get("uid-2")?.spec.containers)
    expect(after.nodes).toBe(before.nodes)
    expect(history.fleetAt(3)).toBe(after)
  })

  it("discards its oldest entries without changing later moments", () => {
    fc.assert(
      fc.property(writes, fc.integer({ min: 4, max: 12 }), (podWrites, entriesMax) => {
        const entries = entriesOf(podWrites)
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

  it("accepts a step that arrives before earlier entries", () => {
    const [first, second] = entriesOf([
      { pod: 1, node: "", isDeleted: false },
      { pod: 1, node: "node-1", isDeleted: false }
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

  it("finds the last version of an object and the moments at which it changed", () => {
    const history = historyOf(
      entriesOf([
        { pod: 1, node: "", isDeleted: false },
        { pod: 2, node: "", isDeleted: false },
        { pod: 1, node: "node-1", isDeleted: false },
        { pod: 2, node: "node-2", isDeleted: false },
        { pod: 1, node: "node-1", isDeleted: true },
        { pod: 2, node: "node-1", isDeleted: false }
      ])
    )
    const place = { kind: "Pod", namespace: "default", name: "pod-1" } as const
    const last = (moment: number | undefined) => {
      const known = history.lastKnownOf(place, moment)
      return (
        known && {
          node: (known.object as unknown as { spec: { nodeName: string } }).spec.nodeName,
          exists: known.exists
        }
      )
    }
    expect([0, 1, 4, 5, undefined].map(last)).toEqual([
      undefined,
      { node: "", exists: true },
      { node: "node-1", exists: true },
      { node: "node-1", exists: false },
      { node: "node-1", exists: false }
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

  it("converts between times and moments, of which many share an instant", () => {
    const entries = entriesOf([1, 2, 3, 4].map((pod) => ({ pod, node: "", isDeleted: false }))).map(
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
