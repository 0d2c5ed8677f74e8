import { describe, expect, it } from "vitest"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { aStep } from "../../recording/builders.ts"
import type { ClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { ObjectEntry, StepEntry } from "../../../src/recording/entry.ts"
import type { AddressKind } from "../../../src/page/pageAddress.ts"

interface EntryOptions {
  readonly kind: string
  readonly name: string
  readonly owner?: string
  readonly change?: ObjectEntry["change"]
  /** The Pod that an event is about. */
  readonly about?: string
}

const resources: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  ReplicaSet: "replicasets",
  Pod: "pods",
  Event: "events"
}

const template = { metadata: { labels: {} }, spec: { containers: [] } }
const entryOf = (
  { kind, name, owner, change = "MODIFIED", about }: EntryOptions,
  number: number
): ObjectEntry => {
  const ownerReferences =
    owner === undefined
      ? []
      : [{ apiVersion: "v1", kind: "Owner", name: owner, uid: owner, controller: true }]
  const object = {
    apiVersion: "v1",
    kind,
    metadata: {
      name,
      namespace: "default",
      uid: name,
      ownerReferences,
      creationTimestamp: "2026-01-01T12:00:00Z"
    },
    spec: { replicas: 1, strategy: { type: "Recreate" }, selector: {}, template, containers: [] },
    status: {},
    ...(about === undefined
      ? {}
      : { involvedObject: { kind: "Pod", namespace: "default", name: about, uid: about } })
  }
  const when = { number, atMillis: number * 100 }
  return {
    type: "object",
    change,
    ...when,
    resource: resources[kind] ?? "",
    object: object as unknown as KubeObject
  }
}

const historyOf = (entries: ReadonlyArray<EntryOptions>, entriesMax?: number): ClusterHistory => {
  const history = makeClusterHistory(undefined, entriesMax)
  for (const [index, it] of entries.entries()) history.add(entryOf(it, index + 1))
  return history
}

const web: ReadonlyArray<EntryOptions> = [
  { kind: "Deployment", name: "web" },
  { kind: "ReplicaSet", name: "web-1", owner: "web" },
  { kind: "Pod", name: "web-1-a", owner: "web-1" },
  { kind: "Pod", name: "web-1-b", owner: "web-1" },
  { kind: "Pod", name: "alone" }
]
const deleted = (entry: EntryOptions | undefined): EntryOptions => ({
  kind: "",
  name: "",
  ...entry,
  change: "DELETED"
})
const [deployment, replicaSet, podA, podB] = web
const sixChanges = Array.from({ length: 6 }, () => ({ kind: "Pod", name: "alone" }))

describe("the objects owned by an object", () => {
  it.each([
    { why: "all descendants", of: "web", owned: ["web", "web-1", "web-1-a", "web-1-b"] },
    { why: "the objects that it controls", of: "web-1", owned: ["web-1", "web-1-a", "web-1-b"] },
    { why: "only itself if it controls nothing", of: "alone", owned: ["alone"] }
  ])("are $why", ({ of, owned }) => {
    expect([...historyOf(web).ownedBy(of)].toSorted()).toEqual(owned)
  })

  it.each<{ why: string; entries: ReadonlyArray<EntryOptions>; owned: ReadonlyArray<string> }>([
    {
      why: "a deleted Pod that is still in the history",
      entries: [...web, deleted(podA)],
      owned: ["web", "web-1", "web-1-a", "web-1-b"]
    },
    {
      why: "without a deleted Pod that is no longer in the history",
      entries: [...web, deleted(podA), ...sixChanges],
      owned: ["web", "web-1", "web-1-b"]
    },
    {
      why: "with a deleted Pod that an event is about",
      entries: [
        ...web,
        { kind: "Event", name: "event-1", about: "web-1-a" },
        deleted(podA),
        ...sixChanges,
        ...sixChanges
      ],
      owned: ["web", "web-1", "web-1-a", "web-1-b"]
    },
    {
      why: "through a deleted ReplicaSet",
      entries: [...web, deleted(podA), deleted(replicaSet), ...sixChanges],
      owned: ["web", "web-1", "web-1-b"]
    },
    {
      why: "only itself if all objects are deleted",
      entries: [
        ...web,
        deleted(podA),
        deleted(podB),
        deleted(replicaSet),
        deleted(deployment),
        ...sixChanges
      ],
      owned: ["web"]
    }
  ])("are known after old entries are discarded: $why", ({ entries, owned }) => {
    expect([...historyOf(entries, 7).ownedBy("web")].toSorted()).toEqual(owned)
  })

  it("are found by name in their last version until they are discarded", () => {
    const exists = (history: ClusterHistory, kind: AddressKind, name: string): boolean | undefined =>
      history.lastKnownOf({ kind, namespace: "default", name }, undefined)?.exists
    const found = (history: ClusterHistory) => [
      exists(history, "Deployment", "web"),
      exists(history, "Pod", "web-1-b"),
      exists(history, "Container", "web-1-b/app"),
      exists(history, "Pod", "web-1-a")
    ]
    expect(found(historyOf([...web, deleted(podA)]))).toEqual([true, true, true, false])
    expect(found(historyOf([...web, deleted(podA), ...sixChanges], 7))).toEqual([true, true, true, undefined])
    const again = { ...podA, kind: "Pod", name: "web-1-a" }
    expect(found(historyOf([...web, deleted(podA), ...sixChanges, again], 7))).toEqual([
      true,
      true,
      true,
      true
    ])
  })
})

describe("the last number of a history", () => {
  it("is undefined before the first entry arrives", () => {
    expect([historyOf([]).lastEntryNumber, historyOf(web).lastEntryNumber]).toEqual([undefined, 5])
  })
})

describe("a history after discarding entries", () => {
  it("has no moments for steps before its first entry, and still lists these steps", () => {
    const history = historyOf([...web, ...sixChanges], 7)
    const step = aStep({ uid: "alone", name: "alone" })
    const place = { kind: "Pod", namespace: "default", name: "alone" } as const
    const first = history.nextMomentOf(place, 0, 1)
    const early: StepEntry = { type: "step", number: 1, atMillis: 100, step }
    history.addStep(early)
    expect(history.nextMomentOf(place, 0, 1)).toBe(first)
    expect(history.stepsOf(place)).toEqual([early])
    expect(history.series.tracks().map(({ name, rows }) => [name, rows.length])).toEqual([["web", 1]])
    expect(history.series.moments).toHaveLength(8)
  })
})
