import { describe, expect, it } from "vitest"
import { makeClusterHistory } from "../../src/page/history/clusterHistory.ts"
import { aStep } from "../recording/steps.ts"
import type { ClusterHistory } from "../../src/page/history/clusterHistory.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { ObjectEntry, StepEntry } from "../../src/recording/entry.ts"
import type { AddressKind } from "../../src/page/pageAddress.ts"

interface Told {
  readonly kind: string
  readonly name: string
  readonly owner?: string
  readonly change?: ObjectEntry["change"]
  /** What an event is about. */
  readonly about?: string
}

const resources: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  ReplicaSet: "replicasets",
  Pod: "pods",
  Event: "events"
}

const template = { metadata: { labels: {} }, spec: { containers: [] } }
const entryOf = ({ kind, name, owner, change = "MODIFIED", about }: Told, number: number): ObjectEntry => {
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

const historyOf = (told: ReadonlyArray<Told>, entriesMax?: number): ClusterHistory => {
  const history = makeClusterHistory(undefined, entriesMax)
  for (const [index, it] of told.entries()) history.add(entryOf(it, index + 1))
  return history
}

const web: ReadonlyArray<Told> = [
  { kind: "Deployment", name: "web" },
  { kind: "ReplicaSet", name: "web-1", owner: "web" },
  { kind: "Pod", name: "web-1-a", owner: "web-1" },
  { kind: "Pod", name: "web-1-b", owner: "web-1" },
  { kind: "Pod", name: "alone" }
]
const gone = (told: Told | undefined): Told => ({ kind: "", name: "", ...told, change: "DELETED" })
const [deployment, replicaSet, podA, podB] = web
const still = Array.from({ length: 6 }, () => ({ kind: "Pod", name: "alone" }))

describe("what an object has", () => {
  it.each([
    { why: "all below it, however far", of: "web", owned: ["web", "web-1", "web-1-a", "web-1-b"] },
    { why: "those that it controls", of: "web-1", owned: ["web-1", "web-1-a", "web-1-b"] },
    { why: "itself alone, where it has none", of: "alone", owned: ["alone"] }
  ])("is $why", ({ of, owned }) => {
    expect([...historyOf(web).ownedBy(of)].toSorted()).toEqual(owned)
  })

  it.each<{ why: string; told: ReadonlyArray<Told>; owned: ReadonlyArray<string> }>([
    {
      why: "as long as it is known",
      told: [...web, gone(podA)],
      owned: ["web", "web-1", "web-1-a", "web-1-b"]
    },
    { why: "and no longer", told: [...web, gone(podA), ...still], owned: ["web", "web-1", "web-1-b"] },
    {
      why: "as long as an event tells of it",
      told: [...web, { kind: "Event", name: "event-1", about: "web-1-a" }, gone(podA), ...still, ...still],
      owned: ["web", "web-1", "web-1-a", "web-1-b"]
    },
    {
      why: "though what lies between has gone",
      told: [...web, gone(podA), gone(replicaSet), ...still],
      owned: ["web", "web-1", "web-1-b"]
    },
    {
      why: "and nothing, where all has gone",
      told: [...web, gone(podA), gone(podB), gone(replicaSet), gone(deployment), ...still],
      owned: ["web"]
    }
  ])("is known after the oldest was let go of: $why", ({ told, owned }) => {
    expect([...historyOf(told, 7).ownedBy("web")].toSorted()).toEqual(owned)
  })

  it("is found by its name as it was last, until nobody knows of it", () => {
    const isThere = (history: ClusterHistory, kind: AddressKind, name: string): boolean | undefined =>
      history.lastKnownOf({ kind, namespace: "default", name }, undefined)?.isThere
    const found = (history: ClusterHistory) => [
      isThere(history, "Deployment", "web"),
      isThere(history, "Pod", "web-1-b"),
      isThere(history, "Container", "web-1-b/app"),
      isThere(history, "Pod", "web-1-a")
    ]
    expect(found(historyOf([...web, gone(podA)]))).toEqual([true, true, true, false])
    expect(found(historyOf([...web, gone(podA), ...still], 7))).toEqual([true, true, true, undefined])
    const again = { ...podA, kind: "Pod", name: "web-1-a" }
    expect(found(historyOf([...web, gone(podA), ...still, again], 7))).toEqual([true, true, true, true])
  })
})

describe("the last entry of a history", () => {
  it("is that of the last that has come, and none at first", () => {
    expect([historyOf([]).lastNumber, historyOf(web).lastNumber]).toEqual([undefined, 5])
  })
})

describe("a history that has let go", () => {
  it("has no moment of what an actor did before, though its steps are known", () => {
    const history = historyOf([...web, ...still], 7)
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
