import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import type { Kind } from "../../../src/kubernetes/meta/kinds.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"
import { deployments, kindNamed, pods } from "../admission/drafts.ts"
import { startStory } from "../managedFields/story.ts"

const ofSpec = (properties: Readonly<Record<string, OpenApiSchema>>): Kind => ({
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

const nullable = ofSpec({
  nested: { type: "object", nullable: true, properties: { on: { type: "boolean" } } },
  size: { type: "integer" }
})

const env = (...list: ReadonlyArray<Fields>): Fields => ({ spec: { containers: [{ name: "a", env: list }] } })

/** Of one container the variables. */
const variable = '.spec.containers[name="a"].env'

describe("who updates an object that somebody has made", () => {
  it.each<{
    readonly why: string
    readonly kind: Kind
    readonly made: Fields
    readonly updated: Fields
    /** What the maker still owns, and what the one who updates does. */
    readonly owners: readonly [string, string?]
  }>([
    {
      why: "a variable that was there twice and is there once has been written",
      kind: pods,
      made: env({ name: "X", value: "1" }, { name: "X", value: "2" }),
      updated: env({ name: "X", value: "1" }),
      owners: [
        `made: .spec.containers[name="a"] ${variable} .spec.containers[name="a"].name`,
        `updated: ${variable}[name="X"]`
      ]
    },
    {
      why: "one that was there twice and is not there any more is nobody's",
      kind: pods,
      made: env({ name: "X" }, { name: "X" }, { name: "Y" }),
      updated: env({ name: "Y" }),
      owners: [
        'made: .spec.containers[name="a"] .spec.containers[name="a"].env .spec.containers[name="a"].name ' +
          `${variable}[name="Y"] ${variable}[name="Y"].name`
      ]
    },
    {
      why: "labels that go leave nobody the owner of their being there",
      kind: deployments,
      made: { metadata: { labels: { app: "web" } }, spec: { replicas: 3 } },
      updated: { metadata: {}, spec: { replicas: 3 } },
      owners: ["made: .spec.replicas"]
    },
    {
      why: "nor does a status that goes from a condition",
      kind: deployments,
      made: { status: { conditions: [{ type: "Available", status: "True" }] } },
      updated: { status: { conditions: [{ type: "Available" }] } },
      owners: [
        'made: .status.conditions .status.conditions[type="Available"] .status.conditions[type="Available"].type'
      ]
    },
    {
      why: "a Job's conditions are one value",
      kind: kindNamed("Job"),
      made: { status: { active: 1 } },
      updated: { status: { active: 1, conditions: [{ type: "Complete", status: "True" }] } },
      owners: ["made: .status.active", "updated: .status.conditions"]
    },
    {
      why: "and so are the states of containers, which have no key of their own",
      kind: pods,
      made: { status: { phase: "Running" } },
      updated: { status: { phase: "Running", containerStatuses: [{ name: "a", restartCount: 3 }] } },
      owners: ["made: .status.phase", "updated: .status.containerStatuses"]
    },
    {
      why: "what is known to nobody has owners within its maps",
      kind: kindNamed("ControllerRevision"),
      made: { revision: 1, data: { spec: { a: 1 } } },
      updated: { revision: 1, data: { spec: { a: 1, b: [2] } } },
      owners: ["made: .data .revision .data.spec .data.spec.a", "updated: .data.spec.b"]
    },
    {
      why: "a list that is one value is its maker's as long as it says the same",
      kind: pods,
      made: { spec: { tolerations: [{ key: "a" }] } },
      updated: { spec: { tolerations: [{ key: "a" }], hostname: "web" } },
      owners: ["made: .spec.tolerations", "updated: .spec.hostname"]
    },
    {
      why: "in a set even a list is known by itself, and so is a map",
      kind: ofSpec({ tags: { type: "array", "x-kubernetes-list-type": "set" } }),
      made: { spec: { tags: [["a"]] } },
      updated: { spec: { tags: [["a"], {}] } },
      owners: ['made: .spec .spec.tags .spec.tags[=["a"]]', "updated: .spec.tags[={}]"]
    },
    {
      why: "a port that leaves its number out has none, and the usual protocol",
      kind: pods,
      made: { spec: { hostname: "web" } },
      updated: { spec: { hostname: "web", containers: [{ name: "a", ports: [{ name: "http" }] }] } },
      owners: [
        "made: .spec.hostname",
        'updated: .spec.containers[name="a"] .spec.containers[name="a"].name .spec.containers[name="a"].ports ' +
          '.spec.containers[name="a"].ports[containerPort=0,protocol="TCP"] ' +
          '.spec.containers[name="a"].ports[containerPort=0,protocol="TCP"].name'
      ]
    },
    {
      why: "a Service's port as well, and what leaves out its name has an empty one",
      kind: kindNamed("Service"),
      made: { spec: { type: "ClusterIP" } },
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
      why: "what was null was not there, so that the map is new as well as what is in it",
      kind: nullable,
      made: { spec: { size: 3, nested: null } },
      updated: { spec: { size: 3, nested: { on: true } } },
      owners: ["made: .spec .spec.size", "updated: .spec.nested .spec.nested.on"]
    },
    {
      why: "and alone where nothing is in it",
      kind: nullable,
      made: { spec: { size: 3, nested: null } },
      updated: { spec: { size: 3, nested: {} } },
      owners: ["made: .spec .spec.size", "updated: .spec.nested"]
    }
  ])("$why", ({ kind, made, updated, owners }) => {
    const story = startStory(kind)
    story.update("made", made)
    story.update("updated", updated)
    expect(story.owners().map((text) => text.replace(" Update", ""))).toEqual(owners)
  })
})

describe("who applies", () => {
  const gadgets = ofSpec({
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

  it("owns an entry of a map, and a map of which nothing is known, by what is in it", () => {
    const story = startStory(gadgets)
    story.apply("a", gadget({ pools: { blue: { size: 3 } }, strange: { within: { here: 1 } } }))
    expect(story.owners()).toEqual([
      "a Apply: .spec.strange .spec.pools.blue .spec.pools.blue.size .spec.strange.within .spec.strange.within.here"
    ])
  })

  it("owns what he says is null, or empty", () => {
    const story = startStory(gadgets)
    story.apply("a", gadget({ nested: null, size: 3 }))
    expect(story.owners()).toEqual(["a Apply: .spec.nested .spec.size"])
    story.apply("a", gadget({ nested: {}, size: 3 }))
    expect(story.owners()).toEqual(["a Apply: .spec.nested .spec.size"])
  })

  it("takes out with a null what is one value, and leaves in a map that has something in it", () => {
    const story = startStory(gadgets)
    story.update("b", gadget({ size: 3, nested: { on: true }, pools: {} }))
    expect(story.apply("a", gadget({ size: null, nested: null, pools: null }))).toBe(undefined)
    expect(story.object()["spec"]).toStrictEqual({ nested: { on: true } })
  })
})
