import { kindNamed } from "../../builders.ts"
import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import type { Kind } from "../../../src/kubernetes/meta/kinds.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"
import { deployments, pods } from "../admission/drafts.ts"
import { startManagedObject } from "../apply/managedFields/managedObject.ts"

const customKind = (properties: Readonly<Record<string, OpenApiSchema>>): Kind => ({
  ...deployments,
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  plural: "gadgets",
  custom: {
    schema: { type: "object", properties: { spec: { type: "object", properties } } },
    listKind: "GadgetList",
    hasStatus: false,
    scale: undefined,
    printerColumns: [],
    selectableFields: [],
    deprecationWarning: undefined,
    storageKind: undefined
  }
})

const nullable = customKind({
  nested: { type: "object", nullable: true, properties: { on: { type: "boolean" } } },
  size: { type: "integer" }
})

const env = (...list: ReadonlyArray<Fields>): Fields => ({ spec: { containers: [{ name: "a", env: list }] } })

const variable = '.spec.containers[name="a"].env'

describe("the field owners after a create and an update", () => {
  it.each<{
    readonly why: string
    readonly kind: Kind
    readonly created: Fields
    readonly updated: Fields
    readonly owners: readonly [string, string?]
  }>([
    {
      why: "a variable that was there twice and is now there once belongs to the updater",
      kind: pods,
      created: env({ name: "X", value: "1" }, { name: "X", value: "2" }),
      updated: env({ name: "X", value: "1" }),
      owners: [
        `made: .spec.containers[name="a"] ${variable} .spec.containers[name="a"].name`,
        `updated: ${variable}[name="X"]`
      ]
    },
    {
      why: "a variable that was there twice and is removed has no owner",
      kind: pods,
      created: env({ name: "X" }, { name: "X" }, { name: "Y" }),
      updated: env({ name: "Y" }),
      owners: [
        'made: .spec.containers[name="a"] .spec.containers[name="a"].env .spec.containers[name="a"].name ' +
          `${variable}[name="Y"] ${variable}[name="Y"].name`
      ]
    },
    {
      why: "removed labels leave no owner of the map",
      kind: deployments,
      created: { metadata: { labels: { app: "web" } }, spec: { replicas: 3 } },
      updated: { metadata: {}, spec: { replicas: 3 } },
      owners: ["made: .spec.replicas"]
    },
    {
      why: "a removed field leaves no owner, the list element keeps its owner",
      kind: deployments,
      created: { status: { conditions: [{ type: "Available", status: "True" }] } },
      updated: { status: { conditions: [{ type: "Available" }] } },
      owners: [
        'made: .status.conditions .status.conditions[type="Available"] .status.conditions[type="Available"].type'
      ]
    },
    {
      why: "a Job's conditions are atomic",
      kind: kindNamed("Job"),
      created: { status: { active: 1 } },
      updated: { status: { active: 1, conditions: [{ type: "Complete", status: "True" }] } },
      owners: ["made: .status.active", "updated: .status.conditions"]
    },
    {
      why: "container statuses, which have no merge key, are atomic",
      kind: pods,
      created: { status: { phase: "Running" } },
      updated: { status: { phase: "Running", containerStatuses: [{ name: "a", restartCount: 3 }] } },
      owners: ["made: .status.phase", "updated: .status.containerStatuses"]
    },
    {
      why: "data without a schema is owned field by field",
      kind: kindNamed("ControllerRevision"),
      created: { revision: 1, data: { spec: { a: 1 } } },
      updated: { revision: 1, data: { spec: { a: 1, b: [2] } } },
      owners: ["made: .data .revision .data.spec .data.spec.a", "updated: .data.spec.b"]
    },
    {
      why: "an atomic list stays its creator's while it is unchanged",
      kind: pods,
      created: { spec: { tolerations: [{ key: "a" }] } },
      updated: { spec: { tolerations: [{ key: "a" }], hostname: "web" } },
      owners: ["made: .spec.tolerations", "updated: .spec.hostname"]
    },
    {
      why: "a set may hold lists and maps",
      kind: customKind({ tags: { type: "array", "x-kubernetes-list-type": "set" } }),
      created: { spec: { tags: [["a"]] } },
      updated: { spec: { tags: [["a"], {}] } },
      owners: ['made: .spec .spec.tags .spec.tags[=["a"]]', "updated: .spec.tags[={}]"]
    },
    {
      why: "a port without a number has 0 and the default protocol as keys",
      kind: pods,
      created: { spec: { hostname: "web" } },
      updated: { spec: { hostname: "web", containers: [{ name: "a", ports: [{ name: "http" }] }] } },
      owners: [
        "made: .spec.hostname",
        'updated: .spec.containers[name="a"] .spec.containers[name="a"].name .spec.containers[name="a"].ports ' +
          '.spec.containers[name="a"].ports[containerPort=0,protocol="TCP"] ' +
          '.spec.containers[name="a"].ports[containerPort=0,protocol="TCP"].name'
      ]
    },
    {
      why: "a Service's port without a number has 0, an owner reference without uid has an empty one",
      kind: kindNamed("Service"),
      created: { spec: { type: "ClusterIP" } },
      updated: {
        spec: { type: "ClusterIP", ports: [{ protocol: "UDP" }] },
        metadata: { ownerReferences: [{ name: "web" }] }
      },
      owners: [
        "made: .spec.type",
        'updated: .metadata.ownerReferences .metadata.ownerReferences[uid=""] .spec.ports ' +
          '.spec.ports[port=0,protocol="UDP"] .spec.ports[port=0,protocol="UDP"].protocol'
      ]
    },
    {
      why: "null counts as absent, so that the new map is owned as well",
      kind: nullable,
      created: { spec: { size: 3, nested: null } },
      updated: { spec: { size: 3, nested: { on: true } } },
      owners: ["made: .spec .spec.size", "updated: .spec.nested .spec.nested.on"]
    },
    {
      why: "null counts as absent, so that an empty map is owned",
      kind: nullable,
      created: { spec: { size: 3, nested: null } },
      updated: { spec: { size: 3, nested: {} } },
      owners: ["made: .spec .spec.size", "updated: .spec.nested"]
    }
  ])("$why", ({ kind, created, updated, owners }) => {
    const managed = startManagedObject(kind)
    managed.update("made", created)
    managed.update("updated", updated)
    expect(managed.owners().map((text) => text.replace(" Update", ""))).toEqual(owners)
  })
})

describe("the field owners after an apply", () => {
  const gadgets = customKind({
    pools: {
      type: "object",
      additionalProperties: { type: "object", properties: { size: { type: "integer" } } }
    },
    nested: { type: "object", nullable: true, properties: { on: { type: "boolean" } } },
    size: { type: "integer" }
  })
  const gadget = (spec: Fields): Fields => ({
    apiVersion: "example.com/v1",
    kind: "Gadget",
    metadata: { name: "g" },
    spec
  })

  it("own entries of maps and of fields without a schema", () => {
    const managed = startManagedObject(gadgets)
    managed.apply("a", gadget({ pools: { blue: { size: 3 } }, strange: { within: { here: 1 } } }))
    expect(managed.owners()).toEqual([
      "a Apply: .spec.strange .spec.pools.blue .spec.pools.blue.size .spec.strange.within .spec.strange.within.here"
    ])
  })

  it("own null and empty values", () => {
    const managed = startManagedObject(gadgets)
    managed.apply("a", gadget({ nested: null, size: 3 }))
    expect(managed.owners()).toEqual(["a Apply: .spec.nested .spec.size"])
    managed.apply("a", gadget({ nested: {}, size: 3 }))
    expect(managed.owners()).toEqual(["a Apply: .spec.nested .spec.size"])
  })

  it("remove an atomic value with null, but keep a map with content", () => {
    const managed = startManagedObject(gadgets)
    managed.update("b", gadget({ size: 3, nested: { on: true }, pools: {} }))
    expect(managed.apply("a", gadget({ size: null, nested: null, pools: null }))).toBe(undefined)
    expect(managed.object()["spec"]).toStrictEqual({ nested: { on: true } })
  })
})
