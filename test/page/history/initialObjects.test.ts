import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject } from "../../cluster/testCluster.ts"
import { aHeader } from "../../recording/builders.ts"
import { entriesOf, seriesOf } from "../clusterEntries.ts"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { makeTimelineSeries } from "../../../src/page/timeline/series/timelineSeries.ts"
import { eventGroups } from "../../../src/page/history/eventGroups.ts"
import type { EventObject, KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../../src/recording/entry.ts"

const named = (kind: string, name: string, owner?: { readonly kind: string; readonly name: string }) => ({
  apiVersion: "v1",
  kind,
  metadata: {
    name,
    namespace: "default",
    uid: `${kind}-${name}`,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: "apps/v1", ...owner, uid: `${owner.kind}-${owner.name}`, controller: true }
          ]
        })
  },
  spec: {},
  status: {}
})

const eventOf = (name: string, { kind, metadata }: KubeObject, count?: number): EventObject => {
  const event = {
    ...named("Event", name),
    type: "Normal",
    reason: "Started",
    message: "it has begun",
    involvedObject: { kind, namespace: "default", name: metadata.name, uid: metadata.uid },
    lastTimestamp: "2026-01-01T00:00:00Z",
    ...(count === undefined ? {} : { count })
  }
  // Clients may leave out required fields.
  return event as unknown as EventObject
}

const entry = (
  number: number,
  resource: string,
  object: KubeObject,
  change: ObjectEntry["change"] = "ADDED"
): ObjectEntry => ({
  type: "object",
  change,
  number,
  atMillis: number,
  resource,
  object
})

const replicaSet = named("ReplicaSet", "web-1", { kind: "Deployment", name: "web" })
const pod = (name: string) => named("Pod", name, { kind: "ReplicaSet", name: "web-1" })
const podEntries = (from: number, to: number): ReadonlyArray<ObjectEntry> =>
  Array.from({ length: to - from }, (_, index) => entry(from + index, "pods", pod(`pod-${from + index}`)))

describe("the initial objects of a recording", () => {
  it.each([
    { why: "now", moment: undefined },
    { why: "at the beginning", moment: 0 }
  ])("are all shown $why, also after a drawing of the first half", ({ moment }) => {
    const history = makeClusterHistory(aHeader({ number: 1001 }))
    for (const it of podEntries(1, 400)) history.add(it)
    expect(history.fleetAt(moment).pods.size).toBe(399)
    for (const it of podEntries(400, 1001)) history.add(it)
    expect(history.fleetAt(moment).pods.size).toBe(1000)
    history.add(entry(1002, "pods", pod("pod-7"), "DELETED"))
    expect(history.fleetAt(undefined).pods.size).toBe(999)
    expect(history.fleetAt(1001).pods.size).toBe(1000)
  })

  it("are all shown if they are more than the history keeps", () => {
    const history = makeClusterHistory(aHeader({ number: 1001 }), 100)
    for (const it of podEntries(1, 1001)) {
      history.add(it)
      if (it.number % 37 === 0) expect(history.fleetAt(undefined).pods.size).toBe(it.number)
    }
    expect(history.fleetAt(undefined).pods.size).toBe(1000)
    expect(history.beginNumber).toBe(1001)
  })

  it("leave lastEntryNumber undefined while only the header has arrived, so that a reconnect gets them all", () => {
    const history = makeClusterHistory(aHeader({ number: 1001 }))
    expect([history.lastEntryNumber, history.endNumber]).toEqual([undefined, 1001])
    history.add(entry(3, "pods", pod("pod-3")))
    expect(history.lastEntryNumber).toBe(3)
  })
})

describe("a history that discards its oldest entries", () => {
  /** A ReplicaSet with one Pod after the other. */
  const replacePods = (pods: number, entriesMax: number, initial: ReadonlyArray<ObjectEntry> = []) => {
    const history = makeClusterHistory(aHeader(), entriesMax)
    history.add(entry(1, "replicasets", replicaSet))
    for (const it of initial) history.add(it)
    for (let index = 0; index < pods; index += 1) {
      history.add(entry(2 * index + 10, "pods", pod(`pod-${index}`)))
      history.add(entry(2 * index + 11, "pods", pod(`pod-${index}`), "DELETED"))
    }
    return history
  }

  it("forgets the ownership of Pods deleted before its first entry", () => {
    const history = replacePods(500, 40)
    expect(history.ownedBy("Deployment-web").size).toBeLessThan(45)
    expect(history.ownedBy("Deployment-web")).toContain("ReplicaSet-web-1")
    expect(history.ownedBy("Deployment-web")).toContain("Pod-pod-499")
  })

  it("keeps the ownership of a deleted Pod that an event is about", () => {
    const deletedPod = pod("early")
    const history = replacePods(500, 40, [
      entry(2, "pods", deletedPod),
      entry(3, "events", eventOf("early-started", deletedPod, 2)),
      entry(4, "pods", deletedPod, "DELETED")
    ])
    const eventRows = eventGroups(history.fleetAt(undefined), history.ownedBy("Deployment-web"))
    expect(eventRows.map(({ about, count }) => ({ about, count }))).toEqual([
      { about: "Pod early", count: 2 }
    ])
  })

  it("finds a Deployment by a Pod that exists or was deleted lately, and by no earlier one", async () => {
    const { entries } = await entriesOf({ seed: 5 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* cluster.settle()
      })
    )
    const series = seriesOf(entries)
    const [first, second, third] = entries
      .filter(({ resource, change }) => resource === "pods" && change === "ADDED")
      .map(({ object }) => object)
    if (first === undefined || second === undefined || third === undefined) throw new Error("there are three")
    const last = entries.length
    series.add(entry(last + 1, "pods", first, "DELETED"))
    series.add(entry(last + 5, "pods", second, "DELETED"))
    series.forgetBefore(last + 3)
    const hasTrack = ({ metadata: { name } }: KubeObject): boolean =>
      series.trackOf({ kind: "Pod", namespace: "default", name }) !== undefined
    expect([first, second, third].map(hasTrack)).toEqual([false, true, true])
  })
})

describe("events", () => {
  it("without a count count as one", () => {
    const history = makeClusterHistory(aHeader())
    const [one, other] = [pod("pod-1"), pod("pod-2")]
    history.add(entry(1, "events", eventOf("a", one)))
    history.add(entry(2, "events", eventOf("b", other, 3)))
    const eventRows = eventGroups(
      history.fleetAt(undefined),
      new Set([one, other].map(({ metadata }) => metadata.uid))
    )
    expect(eventRows.map(({ count }) => count)).toEqual([4])
  })
})

describe("objects", () => {
  it("are not frozen by a timeline, and have frozen templates in a history", () => {
    const newReplicaSet = () => ({ ...replicaSet, spec: { template: { metadata: {} } } })
    const hasFrozenTemplate = (object: KubeObject | undefined): boolean =>
      Object.isFrozen((object as ReturnType<typeof newReplicaSet> | undefined)?.spec.template)
    const [seen, stored] = [newReplicaSet(), newReplicaSet()]
    makeTimelineSeries().add(entry(1, "replicasets", seen))
    const history = makeClusterHistory(aHeader())
    history.add(entry(1, "replicasets", stored))
    expect([
      hasFrozenTemplate(seen),
      hasFrozenTemplate(history.fleetAt(undefined).replicaSets.get("ReplicaSet-web-1"))
    ]).toEqual([false, true])
  })
})
