import { kindNamed } from "../../../builders.ts"
import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readOwnerships, writeOwnerships } from "../../../../src/kubernetes/apply/managedFields/ownerships.ts"
import {
  entriesAfterScale,
  scaleEntriesOf
} from "../../../../src/kubernetes/apply/managedFields/scaleOwnership.ts"
import { recordUpdate } from "../../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import { deployments } from "../../admission/drafts.ts"
import { atSecond, deployment, ownersText, startManagedObject, type ManagedObject } from "./managedObject.ts"

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

/** The object with managedFields that a client wrote into it. */
const withEntries = (managed: ManagedObject, managedFields: ReadonlyArray<unknown>): Fields => ({
  ...managed.object(),
  metadata: { name: "web", namespace: "shop", managedFields }
})

describe("the entries of managedFields", () => {
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

  it("are sorted by operation, second, manager, version and subresource, those without a time first", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...inOrder], { minLength: inOrder.length }), (list) => {
        expect(writeOwnerships(readOwnerships(list))).toEqual(inOrder)
      }),
      { seed: 131, numRuns: 150 }
    )
  })

  it.each([
    { why: "no operation", entry: { ...anEntry("x"), operation: undefined } },
    { why: "an unknown operation", entry: anEntry("x", { operation: "Delete" }) },
    { why: "no version", entry: { ...anEntry("x"), apiVersion: undefined } },
    { why: "invalid fields", entry: anEntry("x", { fieldsV1: { spec: {} } }) },
    { why: "null for an entry", entry: null }
  ])("are replaced by the stored ones when written with $why", ({ entry }) => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    managed.update("b", withEntries(managed, [entry]))
    expect(managed.owners()).toEqual(["a Update: .spec.replicas"])
  })

  it("are not emptied by an empty entry among others", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    managed.update("b", withEntries(managed, [{}, anEntry("c")]))
    expect(managed.owners()).toEqual(["a Update: .spec.replicas"])
  })

  it("are decoded again when they are not frozen", () => {
    const entry = { ...anEntry("a") }
    expect([...readOwnerships([entry]).values()].map(({ manager }) => manager)).toEqual(["a"])
    entry.manager = "b"
    expect([...readOwnerships([entry]).values()].map(({ manager }) => manager)).toEqual(["b"])
  })

  it("change nothing but the field that they lose", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3, paused: true }))
    const both = { "f:spec": { "f:replicas": {}, "f:paused": {} } }
    managed.update("b", withEntries(managed, [anEntry("x", { fieldsV1: both, subresource: "" })]))
    managed.update("b", deployment({ replicas: 5, paused: true }))
    expect(managed.entries()[0]).toStrictEqual(anEntry("x", { fieldsV1: { "f:spec": { "f:paused": {} } } }))
  })

  it("are the same object when a write takes nothing from them", () => {
    const managed = startManagedObject(deployments)
    managed.apply("ci", deployment({ paused: true }))
    const [before] = managed.entries()
    managed.update("b", { ...managed.object(), spec: { paused: true, replicas: 5 } })
    expect(managed.owners()).toEqual(["ci Apply: .spec.paused", "b Update: .spec.replicas"])
    expect(managed.entries()[0]).toBe(before)
  })
})

describe("a manager that updates", () => {
  it("keeps the fields of its earlier updates", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    managed.update("a", deployment({ replicas: 3, paused: true }))
    expect(managed.owners()).toEqual(["a Update: .spec.paused .spec.replicas"])
  })

  it("is called unknown without a name, and has no subresource for an empty one", () => {
    const managed = startManagedObject(deployments)
    managed.update("", deployment({ replicas: 3 }), { subresource: "" })
    expect(managed.entries()[0]).toStrictEqual(anEntry("unknown", { time: timeAt(1) }))
  })

  it("has an entry for each version, unlike a manager that applies", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3, paused: true }))
    const old = { apiVersion: "apps/v1beta1", time: timeAt(2) }
    const paused = { "f:spec": { "f:paused": {} } }
    const list = [anEntry("ci", { ...old, operation: "Apply" }), anEntry("a", { ...old, fieldsV1: paused })]
    managed.update("b", withEntries(managed, list))
    managed.update("a", { ...managed.object(), spec: { replicas: 3, paused: true, minReadySeconds: 7 } })
    expect(managed.owners()).toEqual([
      "ci Apply: .spec.replicas",
      "a Update: .spec.paused",
      "a Update: .spec.minReadySeconds"
    ])
    managed.apply("ci", deployment({ replicas: 3 }))
    const ofCi = managed.entries().filter(({ manager }) => manager === "ci")
    expect(ofCi.map(({ apiVersion, time }) => [apiVersion, time])).toEqual([["apps/v1", timeAt(2)]])
  })
})

describe("more than ten updating managers", () => {
  const configMaps = kindNamed("ConfigMap")
  const keys = Array.from({ length: 12 }, (_, index) => `k${index + 1}`)
  const data = Object.fromEntries(keys.map((key) => [key, "v"]))
  const entryOf = (manager: string, key: string, second: number, operation = "Update") =>
    anEntry(manager, {
      operation,
      apiVersion: "v1",
      time: timeAt(second),
      fieldsV1: { "f:data": { [`f:${key}`]: {} } }
    })
  const entriesAfterUpdate = (list: ReadonlyArray<ManagedFieldsEntry>): ReadonlyArray<ManagedFieldsEntry> => {
    const before = { metadata: { name: "c", managedFields: [entryOf("m1", "k1", 1)] }, data }
    const after = { metadata: { name: "c", managedFields: list }, data }
    return recordUpdate({ kind: configMaps, before, after, manager: "b", nowMillis: atSecond(59) })
  }
  /** `m3` owns `k3` since second 3. */
  const updaters = keys.map((key, index) => entryOf(`m${index + 1}`, key, index + 1))
  const namesIn = (list: ReadonlyArray<ManagedFieldsEntry>): string =>
    list.map(({ manager }) => manager).join(" ")

  it("lead to one entry for the two oldest, with the later time", () => {
    const after = entriesAfterUpdate(updaters.slice(0, 11))
    expect(namesIn(after)).toBe("ancient-changes m3 m4 m5 m6 m7 m8 m9 m10 m11")
    expect(after[0]?.time).toBe(timeAt(2))
    expect(ownersText(after)[0]).toBe("ancient-changes Update: .data.k1 .data.k2")
  })

  it("are merged oldest first in any order, equal times by manager", () => {
    const [first = {}, ...others] = updaters
    const tied = [{ ...first, time: timeAt(2) }, ...others]
    fc.assert(
      fc.property(
        fc.shuffledSubarray(updaters, { minLength: 12 }),
        fc.shuffledSubarray(tied, { minLength: 12 }),
        (list, tiedList) => {
          expect(ownersText(entriesAfterUpdate(list))[0]).toBe(
            "ancient-changes Update: .data.k1 .data.k2 .data.k3"
          )
          expect(ownersText(entriesAfterUpdate(tiedList))[0]).toBe(
            "ancient-changes Update: .data.k1 .data.k2 .data.k3"
          )
          expect(namesIn(entriesAfterUpdate(tiedList.slice(0, 10)))).not.toContain("ancient")
        }
      ),
      { seed: 137, numRuns: 60 }
    )
  })

  it("leave an entry that is older than ancient-changes alone", () => {
    const ancient = entryOf("ancient-changes", "k5", 5)
    const list = updaters.map((entry) => (entry.manager === "m5" ? ancient : entry))
    const after = entriesAfterUpdate(list)
    expect(namesIn(after)).toBe("m1 ancient-changes m4 m6 m7 m8 m9 m10 m11 m12")
    expect(ownersText(after)[1]).toBe("ancient-changes Update: .data.k2 .data.k3 .data.k5")
  })

  it("do not include managers that apply", () => {
    const appliers = updaters.slice(10).map((entry) => ({ ...entry, operation: "Apply" }))
    expect(namesIn(entriesAfterUpdate([...appliers, ...updaters.slice(0, 10)]))).toBe(
      "m11 m12 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10"
    )
  })
})

describe("the owners of a scale", () => {
  const entriesAfter = (
    entries: ReadonlyArray<ManagedFieldsEntry>,
    ...more: ReadonlyArray<ManagedFieldsEntry>
  ) => entriesAfterScale({ kind: deployments, entries, scaleEntries: more })
  const scaler = anEntry("hpa", { apiVersion: "autoscaling/v1", subresource: "scale", time: timeAt(30) })
  const labels = { "f:metadata": { "f:labels": {} } }
  const both = { "f:spec": { "f:replicas": {}, "f:paused": {} } }

  it("exclude owners of other fields and of versions that no longer exist", () => {
    const list = [
      anEntry("a", { fieldsV1: labels, time: timeAt(1) }),
      anEntry("b", { apiVersion: "apps/v1beta1", time: timeAt(2), fieldsV1: both }),
      anEntry("c", { time: timeAt(3) })
    ]
    expect(scaleEntriesOf(list, deployments).map(({ manager }) => manager)).toEqual(["c"])
    expect(ownersText(entriesAfter(list, scaler))).toEqual([
      "a Update: .metadata.labels",
      "hpa Update/scale: .spec.replicas"
    ])
  })

  it("do not change when a manager writes another field of the scale", () => {
    const list = [anEntry("c", { time: timeAt(3) })]
    expect(
      ownersText(entriesAfter(list, ...scaleEntriesOf(list, deployments), { ...scaler, fieldsV1: labels }))
    ).toEqual(["c Update: .spec.replicas"])
  })

  it("keep their other fields and their entry", () => {
    const list = [anEntry("hpa", { subresource: "scale", time: timeAt(3), fieldsV1: both })]
    expect(ownersText(entriesAfter(list, scaler))).toEqual(["hpa Update/scale: .spec.paused .spec.replicas"])
    expect(entriesAfter(list, scaler)[0]?.time).toBe(timeAt(30))
    expect(entriesAfter(list, ...scaleEntriesOf(list, deployments))[0]).toBe(list[0])
  })
})
