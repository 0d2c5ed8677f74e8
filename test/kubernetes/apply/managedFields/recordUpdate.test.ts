import { kindNamed } from "../../../builders.ts"
import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { managedFieldsOf } from "../../../../src/kubernetes/apply/managedFields/ownerships.ts"
import { recordUpdate } from "../../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import type { Kind } from "../../../../src/kubernetes/meta/kinds.ts"
import { deployments, pods } from "../../admission/drafts.ts"
import { atSecond, ownersText, startManagedObject, type ManagedObject } from "./managedObject.ts"

const deployment = (spec: Fields, more: Fields = {}): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "u-1" },
  spec,
  ...more
})

const readBack = (managed: ManagedObject, change: Fields): Fields => ({ ...managed.object(), ...change })

describe("an updating manager", () => {
  it("owns new and changed fields, also those of other managers", () => {
    const managed = startManagedObject(deployments)
    managed.update("kubectl-create", deployment({ replicas: 3, paused: true }))
    expect(managed.owners()).toEqual(["kubectl-create Update: .spec.paused .spec.replicas"])
    managed.update("kubectl-edit", deployment({ replicas: 5, paused: true, minReadySeconds: 7 }))
    expect(managed.owners()).toEqual([
      "kubectl-create Update: .spec.paused",
      "kubectl-edit Update: .spec.minReadySeconds .spec.replicas"
    ])
  })

  it("and all others lose fields that are removed", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3, paused: true }))
    managed.update("b", deployment({ replicas: 3 }))
    expect(managed.owners()).toEqual(["a Update: .spec.replicas"])
    managed.update("b", deployment({}))
    expect(managed.entries()).toEqual([])
  })

  it("has one entry for each subresource, with the time of its last change", () => {
    const managed = startManagedObject(deployments)
    managed.update("mgr", deployment({ replicas: 3 }))
    managed.update("mgr", deployment({ replicas: 3 }, { status: { replicas: 2 } }), { subresource: "status" })
    managed.update("mgr", deployment({ replicas: 4 }, { status: { replicas: 2 } }))
    managed.update("mgr", deployment({ replicas: 4 }, { status: { replicas: 2 } }))
    expect(managed.entries()).toEqual([
      {
        manager: "mgr",
        operation: "Update",
        apiVersion: "apps/v1",
        time: "2026-03-04T05:06:02Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:status": { "f:replicas": {} } },
        subresource: "status"
      },
      {
        manager: "mgr",
        operation: "Update",
        apiVersion: "apps/v1",
        time: "2026-03-04T05:06:03Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } }
      }
    ])
  })

  it("has a new entry with the same fields, while it changes what it owns already within a second", () => {
    const kind = kindNamed("Deployment")
    const withReplicas = (replicas: number, managedFields: ReadonlyArray<object>): Fields => ({
      ...deployment({ replicas }),
      metadata: { name: "web", namespace: "shop", managedFields }
    })
    const entryAfter = (replicas: number, earlier: ReadonlyArray<object>, nowMillis: number) => {
      const before = earlier.length === 0 ? undefined : withReplicas(replicas - 1, earlier)
      const after = withReplicas(replicas, earlier)
      const [entry] = recordUpdate({ kind, before, after, manager: "mgr", nowMillis })
      if (entry === undefined) throw new Error("no entry")
      return entry
    }
    const first = entryAfter(1, [], atSecond(1))
    const second = entryAfter(2, [first], atSecond(1))
    expect(second).toEqual(first)
    const third = entryAfter(3, [second], atSecond(1))
    expect(third).toEqual(second)
    expect(third).not.toBe(second)
    expect(third.fieldsV1).toBe(second.fieldsV1)
    const later = entryAfter(4, [third], atSecond(2))
    expect(later).toEqual({ ...third, time: "2026-03-04T05:06:02Z" })
  })

  it("owns no fields that the endpoint resets", () => {
    const managed = startManagedObject(deployments)
    const status = { conditions: [{ type: "Available", status: "True" }] }
    managed.update("mgr", deployment({ replicas: 3 }, { status }), { resetFields: [["status"]] })
    expect(managed.owners()).toEqual(["mgr Update: .spec.replicas"])
    managed.update("kubelet", deployment({ replicas: 9 }, { status }), {
      subresource: "status",
      resetFields: [["spec"]]
    })
    expect(managed.owners()).toEqual(["mgr Update: .spec.replicas"])
  })

  it("does not own identifying fields or fields of the server", () => {
    const managed = startManagedObject(deployments)
    const metadata = {
      name: "web",
      generation: 1,
      resourceVersion: "5",
      creationTimestamp: "2026-01-01T00:00:00Z"
    }
    managed.update("a", deployment({ replicas: 3 }, { metadata: { ...metadata, labels: { app: "web" } } }))
    const before = managed.entries()
    managed.update("b", {
      ...managed.object(),
      metadata: { ...metadata, labels: { app: "web" }, generation: 2, resourceVersion: "9" }
    })
    expect(managed.owners()).toEqual(["a Update: .metadata.labels .metadata.labels.app .spec.replicas"])
    expect(managed.entries()).toEqual(before)
  })

  it.each<{ readonly why: string; readonly kind: Kind; readonly object: Fields; readonly owned: string }>([
    {
      why: "owns a selector as a whole",
      kind: kindNamed("Service"),
      object: { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } },
      owned:
        '.spec.ports .spec.selector .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].port'
    },
    {
      why: "owns owner references by uid and finalizers by value",
      kind: pods,
      object: { metadata: { finalizers: ["a.io/x"], ownerReferences: [{ uid: "u-7", name: "web" }] } },
      owned:
        '.metadata.finalizers .metadata.ownerReferences .metadata.finalizers[="a.io/x"] ' +
        '.metadata.ownerReferences[uid="u-7"]'
    },
    {
      why: "owns topology constraints by two keys, and tolerations as a whole",
      kind: pods,
      object: {
        spec: {
          topologySpreadConstraints: [
            { topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 },
            { topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 1 }
          ],
          tolerations: [{ key: "a" }]
        }
      },
      owned: [
        ".spec.tolerations .spec.topologySpreadConstraints",
        '.spec.topologySpreadConstraints[topologyKey="zone",whenUnsatisfiable="DoNotSchedule"]',
        '.spec.topologySpreadConstraints[topologyKey="zone",whenUnsatisfiable="ScheduleAnyway"]',
        ...["DoNotSchedule", "ScheduleAnyway"].flatMap((when) =>
          ["maxSkew", "topologyKey", "whenUnsatisfiable"].map(
            (field) =>
              `.spec.topologySpreadConstraints[topologyKey="zone",whenUnsatisfiable="${when}"].${field}`
          )
        )
      ].join(" ")
    },
    {
      why: "owns a repeated variable as one",
      kind: pods,
      object: { spec: { containers: [{ name: "a", env: [{ name: "X", value: "1" }, { name: "X" }] }] } },
      owned: ["", "", ".env", ".name", '.env[name="X"]']
        .map((field) => `.spec.containers[name="a"]${field}`)
        .slice(1)
        .join(" ")
    },
    {
      why: "owns maps of a custom resource field by field, and lists as a whole",
      kind: { ...deployments, group: "example.com", kind: "Gadget", plural: "gadgets" },
      object: { spec: { size: 3, parts: [{ name: "a" }], nested: { on: true } } },
      owned: ".spec .spec.nested .spec.parts .spec.size .spec.nested.on"
    }
  ])("$why", ({ kind, object, owned }) => {
    const entries = recordUpdate({ kind, before: undefined, after: object, manager: "mgr", nowMillis: 0 })
    expect(ownersText(entries)).toEqual([`mgr Update: ${owned}`])
  })
})

describe("the entries of managedFields", () => {
  it("are sorted by operation, time and manager", () => {
    const managed = startManagedObject(deployments)
    managed.update("z", deployment({ replicas: 1 }))
    const same = { nowMillis: atSecond(40) }
    managed.update("c", deployment({ replicas: 1, paused: true }), same)
    managed.update("b", deployment({ replicas: 1, paused: true, minReadySeconds: 1 }), same)
    managed.apply("late", deployment({ revisionHistoryLimit: 3 }), { nowMillis: atSecond(50) })
    expect(managed.entries().map(({ manager }) => manager)).toEqual(["late", "z", "b", "c"])
  })

  it("merge the oldest updating managers when there are more than ten", () => {
    const managed = startManagedObject(kindNamed("ConfigMap"))
    const data: Record<string, string> = {}
    for (let n = 1; n <= 13; n += 1) {
      data[`k${n}`] = "v"
      managed.update(`m${n}`, { metadata: { name: "c", uid: "u" }, data: { ...data } })
    }
    expect(managed.entries().map(({ manager }) => manager)).toEqual([
      "ancient-changes",
      ..."m5 m6 m7 m8 m9 m10 m11 m12 m13".split(" ")
    ])
    expect(managed.owners()[0]).toBe("ancient-changes Update: .data .data.k1 .data.k2 .data.k3 .data.k4")
  })

  it("are kept when a client sends none, and emptied by one empty entry", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    managed.update("b", deployment({ replicas: 3, paused: true }))
    expect(managed.owners()).toEqual(["a Update: .spec.replicas", "b Update: .spec.paused"])
    managed.update("c", readBack(managed, { metadata: { name: "web", managedFields: [{}] } }))
    expect(managed.entries()).toEqual([])
    managed.update("d", deployment({ replicas: 9 }))
    expect(managed.entries()).toEqual([])
  })

  it("may be written by a client, but not by a subresource", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    const sent = managed.entries().map((entry) => ({ ...entry, manager: "other" }))
    const after = readBack(managed, { metadata: { name: "web", managedFields: sent } })
    managed.update("b", after, { subresource: "status" })
    expect(managed.owners()).toEqual(["a Update: .spec.replicas"])
    managed.update("b", after)
    expect(managed.owners()).toEqual(["other Update: .spec.replicas"])
  })

  it("are replaced by the stored ones when they are invalid", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    const broken = [{ manager: "x", operation: "Update", apiVersion: "apps/v1", fieldsType: "FieldsV9" }]
    managed.update("b", readBack(managed, { metadata: { name: "web", managedFields: broken } }))
    expect(managed.owners()).toEqual(["a Update: .spec.replicas"])
  })

  it("are the same object when no owned field changes", () => {
    const managed = startManagedObject(deployments)
    managed.update("a", deployment({ replicas: 3 }))
    const before = managed.object()
    const after = { ...before, metadata: { ...Object(before["metadata"]), generation: 7 } }
    const entries = recordUpdate({ kind: deployments, before, after, manager: "b", nowMillis: 0 })
    expect(entries[0]).toBe(managedFieldsOf(before)[0])
  })
})
