import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readOwnerships, writeOwnerships } from "../../../src/kubernetes/apply/managedFields/ownerships.ts"
import {
  entriesAfterScale,
  scaleEntriesOf
} from "../../../src/kubernetes/apply/managedFields/scaleOwnership.ts"
import { recordUpdate } from "../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import { deployments, kindNamed } from "../admission/drafts.ts"
import { atSecond, ownersText, startStory, type Story } from "../managedFields/story.ts"

const deployment = (spec: Fields): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec
})

const timeAt = (second: number | string): string => `2026-03-04T05:06:${String(second).padStart(2, "0")}Z`

const replicas = { "f:spec": { "f:replicas": {} } }

const anEntry = (manager: string, more: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1: replicas,
  ...more
})

/** The object with the list of owners that a client has written into it. */
const withEntries = (story: Story, managedFields: ReadonlyArray<unknown>): Fields => ({
  ...story.object(),
  metadata: { name: "web", namespace: "shop", managedFields }
})

describe("entries", () => {
  const inOrder: ReadonlyArray<ManagedFieldsEntry> = [
    anEntry("b", { operation: "Apply", time: timeAt(50) }),
    anEntry("a", { operation: "Apply", time: timeAt(51) }),
    anEntry("m"),
    anEntry("n", { time: "1970-01-01T00:00:00Z" }),
    anEntry("z"),
    anEntry("a", { time: timeAt(3) }),
    anEntry("c", { time: timeAt("07.999") }),
    anEntry("d", { time: timeAt("07.001") }),
    anEntry("e", { time: timeAt(9) }),
    anEntry("e", { time: timeAt(9), apiVersion: "apps/v1beta1" }),
    anEntry("e", { time: timeAt(9), apiVersion: "apps/v1beta1", subresource: "scale" }),
    anEntry("e", { time: timeAt(9), apiVersion: "apps/v1beta1", subresource: "status" })
  ]

  it("are ordered by way of writing, second, name, version and subresource, one without a time first", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...inOrder], { minLength: inOrder.length }), (list) => {
        expect(writeOwnerships(readOwnerships(list))).toEqual(inOrder)
      }),
      { seed: 131, numRuns: 150 }
    )
  })

  it.each([
    { why: "no operation", entry: { ...anEntry("x"), operation: undefined } },
    { why: "another operation", entry: anEntry("x", { operation: "Delete" }) },
    { why: "no version", entry: { ...anEntry("x"), apiVersion: undefined } },
    { why: "fields that are none", entry: anEntry("x", { fieldsV1: { spec: {} } }) },
    { why: "no entry at all", entry: null }
  ])("with $why give way to those that are stored", ({ entry }) => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    story.update("b", withEntries(story, [entry]))
    expect(story.owners()).toEqual(["a Update: .spec.replicas"])
  })

  it("are not emptied by an empty one among others", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    story.update("b", withEntries(story, [{}, anEntry("c")]))
    expect(story.owners()).toEqual(["a Update: .spec.replicas"])
  })

  it("that may still change are read anew", () => {
    const entry = { ...anEntry("a") }
    expect([...readOwnerships([entry]).values()].map(({ manager }) => manager)).toEqual(["a"])
    entry.manager = "b"
    expect([...readOwnerships([entry]).values()].map(({ manager }) => manager)).toEqual(["b"])
  })

  it("that lose a field have nothing else in them that they had not", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3, paused: true }))
    const both = { "f:spec": { "f:replicas": {}, "f:paused": {} } }
    story.update("b", withEntries(story, [anEntry("x", { fieldsV1: both, subresource: "" })]))
    story.update("b", deployment({ replicas: 5, paused: true }))
    expect(story.entries()[0]).toStrictEqual(anEntry("x", { fieldsV1: { "f:spec": { "f:paused": {} } } }))
  })

  it("of whom a write takes nothing are the very same", () => {
    const story = startStory(deployments)
    story.apply("ci", deployment({ paused: true }))
    const [before] = story.entries()
    story.update("b", { ...story.object(), spec: { paused: true, replicas: 5 } })
    expect(story.owners()).toEqual(["ci Apply: .spec.paused", "b Update: .spec.replicas"])
    expect(story.entries()[0]).toBe(before)
  })
})

describe("one who updates", () => {
  it("owns what he has written before too", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    story.update("a", deployment({ replicas: 3, paused: true }))
    expect(story.owners()).toEqual(["a Update: .spec.paused .spec.replicas"])
  })

  it("without a name is unknown, and by way of no subresource has none", () => {
    const story = startStory(deployments)
    story.update("", deployment({ replicas: 3 }), { subresource: "" })
    expect(story.entries()[0]).toStrictEqual(anEntry("unknown", { time: timeAt(1) }))
  })

  it("is another in each version, one who applies is not", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3, paused: true }))
    const old = { apiVersion: "apps/v1beta1", time: timeAt(2) }
    const paused = { "f:spec": { "f:paused": {} } }
    const list = [anEntry("ci", { ...old, operation: "Apply" }), anEntry("a", { ...old, fieldsV1: paused })]
    story.update("b", withEntries(story, list))
    story.update("a", { ...story.object(), spec: { replicas: 3, paused: true, minReadySeconds: 7 } })
    expect(story.owners()).toEqual([
      "ci Apply: .spec.replicas",
      "a Update: .spec.paused",
      "a Update: .spec.minReadySeconds"
    ])
    story.apply("ci", deployment({ replicas: 3 }))
    const ofCi = story.entries().filter(({ manager }) => manager === "ci")
    expect(ofCi.map(({ apiVersion, time }) => [apiVersion, time])).toEqual([["apps/v1", timeAt(2)]])
  })
})

describe("with more than ten who update", () => {
  const configMaps = kindNamed("ConfigMap")
  const keys = Array.from({ length: 12 }, (_, index) => `k${index + 1}`)
  const data = Object.fromEntries(keys.map((key) => [key, "v"]))
  const owning = (manager: string, key: string, second: number, operation = "Update") =>
    anEntry(manager, {
      operation,
      apiVersion: "v1",
      time: timeAt(second),
      fieldsV1: { "f:data": { [`f:${key}`]: {} } }
    })
  const capped = (list: ReadonlyArray<ManagedFieldsEntry>): ReadonlyArray<ManagedFieldsEntry> => {
    const before = { metadata: { name: "c", managedFields: [owning("m1", "k1", 1)] }, data }
    const after = { metadata: { name: "c", managedFields: list }, data }
    return recordUpdate({ kind: configMaps, before, after, manager: "b", nowMillis: atSecond(59) })
  }
  /** `m3` owns `k3` since second 3. */
  const updaters = keys.map((key, index) => owning(`m${index + 1}`, key, index + 1))
  const namesIn = (list: ReadonlyArray<ManagedFieldsEntry>): string =>
    list.map(({ manager }) => manager).join(" ")

  it("the two oldest become one, with the time of the younger", () => {
    const after = capped(updaters.slice(0, 11))
    expect(namesIn(after)).toBe("ancient-changes m3 m4 m5 m6 m7 m8 m9 m10 m11")
    expect(after[0]?.time).toBe(timeAt(2))
    expect(ownersText(after)[0]).toBe("ancient-changes Update: .data.k1 .data.k2")
  })

  it("the oldest are taken in whatever order they were sent, and of the same age by name", () => {
    const [first = {}, ...others] = updaters
    const tied = [{ ...first, time: timeAt(2) }, ...others]
    fc.assert(
      fc.property(
        fc.shuffledSubarray(updaters, { minLength: 12 }),
        fc.shuffledSubarray(tied, { minLength: 12 }),
        (list, tiedList) => {
          expect(ownersText(capped(list))[0]).toBe("ancient-changes Update: .data.k1 .data.k2 .data.k3")
          expect(ownersText(capped(tiedList))[0]).toBe("ancient-changes Update: .data.k1 .data.k2 .data.k3")
          expect(namesIn(capped(tiedList.slice(0, 10)))).not.toContain("ancient")
        }
      ),
      { seed: 137, numRuns: 60 }
    )
  })

  it("an older one than what was taken together before stays by itself", () => {
    const ancient = owning("ancient-changes", "k5", 5)
    const list = updaters.map((entry) => (entry.manager === "m5" ? ancient : entry))
    const after = capped(list)
    expect(namesIn(after)).toBe("m1 ancient-changes m4 m6 m7 m8 m9 m10 m11 m12")
    expect(ownersText(after)[1]).toBe("ancient-changes Update: .data.k2 .data.k3 .data.k5")
  })

  it("those who apply do not count", () => {
    const appliers = updaters.slice(10).map((entry) => ({ ...entry, operation: "Apply" }))
    expect(namesIn(capped([...appliers, ...updaters.slice(0, 10)]))).toBe(
      "m11 m12 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10"
    )
  })
})

describe("a scale", () => {
  const scaled = (entries: ReadonlyArray<ManagedFieldsEntry>, ...more: ReadonlyArray<ManagedFieldsEntry>) =>
    entriesAfterScale({ kind: deployments, entries, scaleEntries: more })
  const scaler = anEntry("hpa", { apiVersion: "autoscaling/v1", subresource: "scale", time: timeAt(30) })
  const labels = { "f:metadata": { "f:labels": {} } }
  const both = { "f:spec": { "f:replicas": {}, "f:paused": {} } }

  it("is owned by nobody who owns other fields, or has owned it in a version that is gone", () => {
    const list = [
      anEntry("a", { fieldsV1: labels, time: timeAt(1) }),
      anEntry("b", { apiVersion: "apps/v1beta1", time: timeAt(2), fieldsV1: both }),
      anEntry("c", { time: timeAt(3) })
    ]
    expect(scaleEntriesOf(list, deployments).map(({ manager }) => manager)).toEqual(["c"])
    expect(ownersText(scaled(list, scaler))).toEqual([
      "a Update: .metadata.labels",
      "hpa Update/scale: .spec.replicas"
    ])
  })

  it("is not taken by who wrote something else of it", () => {
    const list = [anEntry("c", { time: timeAt(3) })]
    expect(
      ownersText(scaled(list, ...scaleEntriesOf(list, deployments), { ...scaler, fieldsV1: labels }))
    ).toEqual(["c Update: .spec.replicas"])
  })

  it("leaves its owner what else he owns, and the entry that says so", () => {
    const list = [anEntry("hpa", { subresource: "scale", time: timeAt(3), fieldsV1: both })]
    expect(ownersText(scaled(list, scaler))).toEqual(["hpa Update/scale: .spec.paused .spec.replicas"])
    expect(scaled(list, scaler)[0]?.time).toBe(timeAt(30))
    expect(scaled(list, ...scaleEntriesOf(list, deployments))[0]).toBe(list[0])
  })
})
