import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { managedFieldsOf } from "../../../src/kubernetes/apply/managedFields/ownerships.ts"
import { recordUpdate } from "../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import type { Kind } from "../../../src/kubernetes/meta/kinds.ts"
import { deployments, kindNamed, pods } from "../admission/drafts.ts"
import { atSecond, ownersText, startStory, type Story } from "./story.ts"

const deployment = (spec: Fields, more: Fields = {}): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "u-1" },
  spec,
  ...more
})

/** The object as a client reads it and sends it back: with its owners. */
const readBack = (story: Story, change: Fields): Fields => ({ ...story.object(), ...change })

describe("who updates", () => {
  it("owns what is new or has another value, and takes it from others", () => {
    const story = startStory(deployments)
    story.update("kubectl-create", deployment({ replicas: 3, paused: true }))
    expect(story.owners()).toEqual(["kubectl-create Update: .spec.paused .spec.replicas"])
    story.update("kubectl-edit", deployment({ replicas: 5, paused: true, minReadySeconds: 7 }))
    expect(story.owners()).toEqual([
      "kubectl-create Update: .spec.paused",
      "kubectl-edit Update: .spec.minReadySeconds .spec.replicas"
    ])
  })

  it("owns no more what goes, nor does anyone", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3, paused: true }))
    story.update("b", deployment({ replicas: 3 }))
    expect(story.owners()).toEqual(["a Update: .spec.replicas"])
    story.update("b", deployment({}))
    expect(story.entries()).toEqual([])
  })

  it("has one entry for each way, and the time of the last write that counted", () => {
    const story = startStory(deployments)
    story.update("mgr", deployment({ replicas: 3 }))
    story.update("mgr", deployment({ replicas: 3 }, { status: { replicas: 2 } }), { subresource: "status" })
    story.update("mgr", deployment({ replicas: 4 }, { status: { replicas: 2 } }))
    story.update("mgr", deployment({ replicas: 4 }, { status: { replicas: 2 } }))
    expect(story.entries()).toEqual([
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

  it("owns nothing that a write by this way cannot change", () => {
    const story = startStory(deployments)
    const status = { conditions: [{ type: "Available", status: "True" }] }
    story.update("mgr", deployment({ replicas: 3 }, { status }), { resetFields: [["status"]] })
    expect(story.owners()).toEqual(["mgr Update: .spec.replicas"])
    story.update("kubelet", deployment({ replicas: 9 }, { status }), {
      subresource: "status",
      resetFields: [["spec"]]
    })
    expect(story.owners()).toEqual(["mgr Update: .spec.replicas"])
  })

  it("does not own what identifies the object, nor what the server keeps", () => {
    const story = startStory(deployments)
    const metadata = {
      name: "web",
      generation: 1,
      resourceVersion: "5",
      creationTimestamp: "2026-01-01T00:00:00Z"
    }
    story.update("a", deployment({ replicas: 3 }, { metadata: { ...metadata, labels: { app: "web" } } }))
    const before = story.entries()
    story.update("b", {
      ...story.object(),
      metadata: { ...metadata, labels: { app: "web" }, generation: 2, resourceVersion: "9" }
    })
    expect(story.owners()).toEqual(["a Update: .metadata.labels .metadata.labels.app .spec.replicas"])
    expect(story.entries()).toEqual(before)
  })

  it.each<{ readonly why: string; readonly kind: Kind; readonly object: Fields; readonly owned: string }>([
    {
      why: "a selector is one value, and so is a reference to another object",
      kind: kindNamed("Service"),
      object: { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } },
      owned:
        '.spec.ports .spec.selector .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].port'
    },
    {
      why: "owners are told apart by uid, finalizers by themselves",
      kind: pods,
      object: { metadata: { finalizers: ["a.io/x"], ownerReferences: [{ uid: "u-7", name: "web" }] } },
      owned:
        '.metadata.finalizers .metadata.ownerReferences .metadata.finalizers[="a.io/x"] ' +
        '.metadata.ownerReferences[uid="u-7"]'
    },
    {
      why: "two constraints may be for the same key",
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
      why: "a variable that is there twice is owned as it is",
      kind: pods,
      object: { spec: { containers: [{ name: "a", env: [{ name: "X", value: "1" }, { name: "X" }] }] } },
      owned: ["", "", ".env", ".name", '.env[name="X"]']
        .map((field) => `.spec.containers[name="a"]${field}`)
        .slice(1)
        .join(" ")
    },
    {
      why: "of a custom resource maps have owners within, lists have one",
      kind: { ...deployments, group: "example.com", kind: "Gadget", plural: "gadgets" },
      object: { spec: { size: 3, parts: [{ name: "a" }], nested: { on: true } } },
      owned: ".spec .spec.nested .spec.parts .spec.size .spec.nested.on"
    }
  ])("$why", ({ kind, object, owned }) => {
    const entries = recordUpdate({ kind, before: undefined, after: object, manager: "mgr", nowMillis: 0 })
    expect(ownersText(entries)).toEqual([`mgr Update: ${owned}`])
  })
})

describe("the list of owners", () => {
  it("names who applies before who updates, the older before the younger, then by name", () => {
    const story = startStory(deployments)
    story.update("z", deployment({ replicas: 1 }))
    const same = { nowMillis: atSecond(40) }
    story.update("c", deployment({ replicas: 1, paused: true }), same)
    story.update("b", deployment({ replicas: 1, paused: true, minReadySeconds: 1 }), same)
    story.apply("late", deployment({ revisionHistoryLimit: 3 }), { nowMillis: atSecond(50) })
    expect(story.entries().map(({ manager }) => manager)).toEqual(["late", "z", "b", "c"])
  })

  it("takes the oldest who update together when there are more than ten", () => {
    const story = startStory(kindNamed("ConfigMap"))
    const data: Record<string, string> = {}
    for (let n = 1; n <= 13; n += 1) {
      data[`k${n}`] = "v"
      story.update(`m${n}`, { metadata: { name: "c", uid: "u" }, data: { ...data } })
    }
    expect(story.entries().map(({ manager }) => manager)).toEqual([
      "ancient-changes",
      ..."m5 m6 m7 m8 m9 m10 m11 m12 m13".split(" ")
    ])
    expect(story.owners()[0]).toBe("ancient-changes Update: .data .data.k1 .data.k2 .data.k3 .data.k4")
  })

  it("is kept when a client sends none, and emptied when it sends one empty entry", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    story.update("b", deployment({ replicas: 3, paused: true }))
    expect(story.owners()).toEqual(["a Update: .spec.replicas", "b Update: .spec.paused"])
    story.update("c", readBack(story, { metadata: { name: "web", managedFields: [{}] } }))
    expect(story.entries()).toEqual([])
    story.update("d", deployment({ replicas: 9 }))
    expect(story.entries()).toEqual([])
  })

  it("may be written by a client, but not by way of a subresource", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    const sent = story.entries().map((entry) => ({ ...entry, manager: "other" }))
    const after = readBack(story, { metadata: { name: "web", managedFields: sent } })
    story.update("b", after, { subresource: "status" })
    expect(story.owners()).toEqual(["a Update: .spec.replicas"])
    story.update("b", after)
    expect(story.owners()).toEqual(["other Update: .spec.replicas"])
  })

  it("that cannot be read gives way to the one that is stored", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    const broken = [{ manager: "x", operation: "Update", apiVersion: "apps/v1", fieldsType: "FieldsV9" }]
    story.update("b", readBack(story, { metadata: { name: "web", managedFields: broken } }))
    expect(story.owners()).toEqual(["a Update: .spec.replicas"])
  })

  it("is the very same when nothing changes that anyone owns", () => {
    const story = startStory(deployments)
    story.update("a", deployment({ replicas: 3 }))
    const before = story.object()
    const after = { ...before, metadata: { ...Object(before["metadata"]), generation: 7 } }
    const entries = recordUpdate({ kind: deployments, before, after, manager: "b", nowMillis: 0 })
    expect(entries[0]).toBe(managedFieldsOf(before)[0])
  })
})
