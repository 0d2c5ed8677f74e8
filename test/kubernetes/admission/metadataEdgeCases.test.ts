import { describe, expect, it } from "vitest"
import { kindNamed } from "../../builders.ts"
import {
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
  withDefaults
} from "../../../src/kubernetes/admission/admit.ts"
import { decodeObject } from "../../../src/kubernetes/admission/decoding/decodeObject.ts"
import { noErrors } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import { builtInKinds, type Kind } from "../../../src/kubernetes/meta/kinds.ts"
import { aDeployment, deployments, edited, errorTexts, type Edit } from "./drafts.ts"
import { aDefinition, aVersion, cronTabNames } from "../customResources/definitionFixtures.ts"

const unqualifiedFinalizer = "name is neither a standard finalizer name nor is it fully qualified"
const namePartRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

const aConfigMap = (metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "shop", ...metadata }
})
const configMaps = kindNamed("ConfigMap")

describe("metadata of a new object", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid: "u-1" }
  const event = { ...owner, apiVersion: "v1", kind: "Event" }
  it.each([
    {
      why: "requires a qualified name as annotation key, reported as written",
      metadata: { annotations: { "Example.COM/-A": "" } },
      errors: [`metadata.annotations: Invalid value: "Example.COM/-A": ${namePartRule}`]
    },
    {
      why: "rejects an Event as owner",
      metadata: { ownerReferences: [event] },
      errors: [
        `metadata.ownerReferences: Invalid value: ${JSON.stringify(event)}: ` +
          "/v1, Kind=Event is disallowed from being an owner"
      ]
    },
    {
      why: "requires a valid version of an owner",
      metadata: {
        ownerReferences: ["apps/", "apps/v1/x", "/"].map((apiVersion) => ({ ...owner, apiVersion }))
      },
      errors: ["apps/", "apps/v1/x", "/"].map(
        (text) => `metadata.ownerReferences.apiVersion: Invalid value: "${text}": version must not be empty`
      )
    },
    {
      why: "accepts an Event of another group as owner",
      metadata: { ownerReferences: [{ ...event, apiVersion: "example.com/v1" }] },
      errors: []
    },
    {
      why: "accepts another kind of the core group as owner",
      metadata: { ownerReferences: [{ ...event, kind: "Pod" }] },
      errors: []
    },
    {
      why: "accepts many owners without controller: true",
      metadata: {
        ownerReferences: [owner, { ...owner, name: "b" }, { ...owner, name: "c", controller: false }]
      },
      errors: []
    },
    {
      why: "requires a qualified finalizer with a domain",
      metadata: { finalizers: ["-a"] },
      errors: [
        `metadata.finalizers: Invalid value: "-a": ${namePartRule}`,
        `metadata.finalizers[0]: Invalid value: "-a": ${unqualifiedFinalizer}`
      ]
    },
    {
      why: "rejects a negative generation",
      metadata: { generation: -1 },
      errors: ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"]
    },
    {
      why: "reports the errors of every part",
      metadata: { namespace: "", labels: { "/a": "b" }, finalizers: ["keep"] },
      errors: [
        "metadata.namespace: Required value",
        'metadata.labels: Invalid value: "/a": prefix part must be non-empty',
        `metadata.finalizers[0]: Invalid value: "keep": ${unqualifiedFinalizer}`
      ]
    }
  ])("$why", ({ metadata, errors }) => {
    expect(errorTexts(validateCreate(configMaps, aConfigMap(metadata)))).toEqual(errors)
  })

  it("is reported before the spec", () => {
    const odd = edited(
      withDefaults(deployments, aDeployment()),
      ["metadata.name", undefined],
      ["spec.replicas", -3]
    )
    const name = "metadata.name: Required value: name or generateName is required"
    const size = "spec.replicas: Invalid value: -3: must be greater than or equal to 0"
    expect(errorTexts(validateCreate(deployments, odd))).toEqual([name, size])
  })

  it("returns the shared empty list when it is valid", () => {
    expect(validateCreate(configMaps, aConfigMap({ labels: { a: "b" } }))).toBe(noErrors)
  })
})

describe("metadata of an update", () => {
  const stored = edited(
    aDeployment(),
    ["metadata.generation", 3],
    ["metadata.finalizers", ["example.com/keep"]],
    ["metadata.labels", { a: "b" }]
  )
  const deleting = edited(
    stored,
    ["metadata.deletionTimestamp", "2026-03-01T00:01:00Z"],
    ["metadata.deletionGracePeriodSeconds", 30]
  )
  interface UpdateRow {
    readonly why: string
    readonly old?: typeof stored
    readonly edits: ReadonlyArray<Edit>
    readonly errors?: ReadonlyArray<string>
  }
  it.each<UpdateRow>([
    {
      why: "may get finalizers",
      edits: [["metadata.finalizers", ["example.com/keep", "orphan"]]]
    },
    {
      why: "may reorder or repeat finalizers while it is being deleted",
      old: edited(deleting, ["metadata.finalizers", ["a.b/c", "d.e/f"]]),
      edits: [["metadata.finalizers", ["d.e/f", "a.b/c", "a.b/c"]]]
    },
    {
      why: "may repeat the grace period",
      old: deleting,
      edits: [["metadata.deletionGracePeriodSeconds", 30]]
    },
    {
      why: "may omit the grace period with the deletion timestamp",
      old: deleting,
      edits: [
        ["metadata.deletionGracePeriodSeconds", undefined],
        ["metadata.deletionTimestamp", undefined]
      ]
    },
    { why: "may omit the generation", edits: [["metadata.generation", undefined]] },
    { why: "may repeat the generation", edits: [["metadata.generation", 3]] },
    { why: "may set the generation 0", old: aDeployment(), edits: [["metadata.generation", 0]] },
    {
      why: "may not change the namespace",
      edits: [["metadata.namespace", "other"]],
      errors: ['metadata.namespace: Invalid value: "other": field is immutable']
    },
    {
      why: "may not omit the namespace",
      edits: [["metadata.namespace", undefined]],
      errors: ['metadata.namespace: Invalid value: "": field is immutable']
    },
    {
      why: "reports immutable fields before invalid ones",
      edits: [
        ["metadata.name", "shop"],
        ["metadata.labels", { "/a": "b" }]
      ],
      errors: [
        'metadata.name: Invalid value: "shop": field is immutable',
        'metadata.labels: Invalid value: "/a": prefix part must be non-empty'
      ]
    }
  ])("$why", ({ old = stored, edits, errors = [] }) => {
    const problems = errorTexts(validateUpdate(deployments, edited(old, ...edits), old))
    expect(problems.filter((text) => text.startsWith("metadata"))).toEqual(errors)
    const status = errorTexts(validateStatusUpdate(deployments, edited(old, ...edits), old))
    expect(status).toEqual(errors)
  })
})

describe("metadata of a custom resource", () => {
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer", minimum: 1, default: 7 } } }
    }
  }
  const versions = [aVersion({ schema: { openAPIV3Schema: schema } })]
  const kindCalled = (name: string): Kind => {
    const kinds = kindsOfDefinition(aDefinition({ versions, names: { ...cronTabNames, kind: name } }))
    if (kinds === undefined) throw new Error("it is not established")
    return kinds.stored
  }
  const cronTabs = kindCalled("CronTab")
  const aTab = (spec: object, metadata: object = {}) => ({
    apiVersion: "stable.example.com/v1",
    kind: "CronTab",
    metadata: { name: "a", namespace: "shop", ...metadata },
    spec
  })

  it("is accompanied by defaults and validation of its schema", () => {
    expect(withDefaults(cronTabs, aTab({}))).toEqual(aTab({ size: 7 }))
    const [small, large] = [aTab({ size: 0 }), aTab({ size: 3 })]
    const error = "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"
    expect(errorTexts(validateCreate(cronTabs, small))).toEqual([error])
    expect(errorTexts(validateUpdate(cronTabs, small, large))).toEqual([error])
    expect(validateCreate(cronTabs, large)).toEqual([])
  })

  it("accepts finalizers without a domain, like those of a definition", () => {
    const definitions = kindNamed("CustomResourceDefinition")
    const errorsOf = (kind: Kind, finalizers: ReadonlyArray<string>) => {
      const metadata = {
        name: "a.example.com",
        finalizers,
        ...(kind.namespaced ? { namespace: "shop" } : {})
      }
      const object = { apiVersion: "v1", kind: kind.kind, metadata }
      return errorTexts(validateCreate(kind, object)).filter((text) => text.startsWith("metadata.fin"))
    }
    const odd = `metadata.finalizers: Invalid value: "-a": ${namePartRule}`
    const both =
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
      "finalizer orphan and foregroundDeletion cannot be both set"
    for (const kind of [cronTabs, definitions]) {
      expect(errorsOf(kind, ["keep", "foregroundDeletion"])).toEqual([])
      expect(errorsOf(kind, ["orphan", "foregroundDeletion"])).toEqual([both])
      expect(errorsOf(kind, ["keep", "-a"])).toEqual([odd])
    }
    expect(errorsOf(configMaps, ["keep"])).toEqual([
      `metadata.finalizers[0]: Invalid value: "keep": ${unqualifiedFinalizer}`
    ])
  })

  it("has the name rule of most kinds, even when its kind is called Service", () => {
    const services = kindCalled("Service")
    expect(validateCreate(services, aTab({ size: 1 }, { name: "3.web" }))).toEqual([])
  })

  describe("when decoded", () => {
    const kinds = { ...builtInKinds, findServed: () => cronTabs }
    const decoded = (value: object) => decodeObject(value, { strict: false, kinds })

    it("is pruned together with fields unknown to the schema", () => {
      const odd = aTab({ size: 3, sise: 5 }, { creationTimestamp: null, lables: {} })
      expect(decoded(odd)).toMatchObject({ ok: true, kind: cronTabs, object: aTab({ size: 3 }) })
      const { metadata: _metadata, ...bare } = aTab({ size: 3 })
      expect(decoded(bare)).toMatchObject({ ok: true, object: { ...bare, metadata: {} } })
      expect(decoded({ ...bare, metadata: null })).toMatchObject({
        ok: true,
        object: { ...bare, metadata: {} }
      })
    })

    it("rejects a wrong type", () => {
      expect(decoded({ ...aTab({}), metadata: { name: 7 } })).toMatchObject({
        ok: false,
        path: ["metadata", "name"]
      })
    })
  })
})
