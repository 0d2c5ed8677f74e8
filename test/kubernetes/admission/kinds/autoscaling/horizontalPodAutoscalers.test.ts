import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../../builders.ts"
import { validateCreate, validateUpdate } from "../../../../../src/kubernetes/admission/admit.ts"
import { errorTexts } from "../../drafts.ts"
import type { LooseDraft } from "../../../../builders.ts"

const kind = kindNamed("HorizontalPodAutoscaler")

const draftOf = (more: object): LooseDraft => ({
  apiVersion: "autoscaling/v2",
  kind: kind.kind,
  metadata: { name: "web", namespace: "shop" },
  ...more
})
const aScaler = (spec: object): LooseDraft =>
  draftOf({ spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, ...spec } })

const tooSmall = (size: number) =>
  `spec.maxReplicas: Invalid value: ${size}: must be greater than or equal to \`minReplicas\``
const noOutsideMetric =
  "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas"
const notPositive = (size: number) => `spec.maxReplicas: Invalid value: ${size}: must be greater than 0`
const [noKind, noName] = ["kind", "name"].map((field) => `spec.scaleTargetRef.${field}: Required value`)

describe("the bounds of a HorizontalPodAutoscaler (TestValidateHorizontalPodAutoscaler)", () => {
  it.each([
    { why: "may differ", spec: { minReplicas: 3, maxReplicas: 7 }, errors: [] },
    { why: "may be equal", spec: { minReplicas: 7, maxReplicas: 7 }, errors: [] },
    { why: "may both be one", spec: { minReplicas: 1, maxReplicas: 1 }, errors: [] },
    { why: "default to one at the lower end", spec: { maxReplicas: 1 }, errors: [] },
    {
      why: "reject maxReplicas below minReplicas",
      spec: { minReplicas: 7, maxReplicas: 5 },
      errors: [tooSmall(5)]
    },
    {
      why: "reject a minReplicas of 0",
      spec: { minReplicas: 0, maxReplicas: 3 },
      errors: ["spec.minReplicas: Invalid value: 0: must be greater than or equal to 1", noOutsideMetric]
    },
    {
      why: "reject 0 for both",
      spec: { minReplicas: 0, maxReplicas: 0 },
      errors: [
        "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        notPositive(0),
        noOutsideMetric
      ]
    },
    { why: "require maxReplicas", spec: { minReplicas: 1 }, errors: [notPositive(0), tooSmall(0)] }
  ])("$why", ({ spec, errors }) => {
    expect(errorTexts(validateCreate(kind, aScaler(spec)))).toEqual(errors)
  })
})

const noGroup = 'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }

describe("the target of a HorizontalPodAutoscaler (TestValidateHorizontalPodAutoscaler)", () => {
  it.each([
    { why: "requires a name", scaleTargetRef: { ...target, name: undefined }, errors: [noName] },
    { why: "rejects an empty name", scaleTargetRef: { ...target, name: "" }, errors: [noName] },
    { why: "requires a kind", scaleTargetRef: { ...target, kind: undefined }, errors: [noKind] },
    { why: "rejects an empty kind", scaleTargetRef: { ...target, kind: "" }, errors: [noKind] },
    { why: "is required", scaleTargetRef: undefined, errors: [noKind, noName, noGroup] },
    {
      why: "requires an API version",
      scaleTargetRef: { ...target, apiVersion: undefined },
      errors: [noGroup]
    },
    {
      why: "rejects an API version without a group",
      scaleTargetRef: { ...target, apiVersion: "v1" },
      errors: ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group']
    },
    {
      why: "rejects an API version with two slashes",
      scaleTargetRef: { ...target, apiVersion: "a/b/c" },
      errors: [
        'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
      ]
    },
    {
      why: "may be a ReplicationController, whose group has no name",
      scaleTargetRef: { kind: "ReplicationController", name: "web" },
      errors: []
    }
  ])("$why", ({ scaleTargetRef, errors }) => {
    expect(errorTexts(validateCreate(kind, aScaler({ maxReplicas: 3, scaleTargetRef })))).toEqual(errors)
  })

  it("is required even without a spec", () => {
    expect(errorTexts(validateCreate(kind, draftOf({})))).toEqual([
      notPositive(0),
      tooSmall(0),
      noKind,
      noName,
      noGroup
    ])
  })

  const withoutVersion = { kind: "Deployment", name: "web" }

  it.each([
    { why: "may change", old: target, scaleTargetRef: { ...target, name: "api" }, errors: [] },
    { why: "may not become empty", old: target, scaleTargetRef: {}, errors: [noKind, noName, noGroup] },
    {
      why: "may keep a missing API version that is stored already",
      old: withoutVersion,
      scaleTargetRef: { ...withoutVersion, name: "api" },
      errors: []
    },
    {
      why: "needs an API version once its kind changes",
      old: withoutVersion,
      scaleTargetRef: { kind: "ReplicaSet", name: "web" },
      errors: [noGroup]
    }
  ])("$why in an update", ({ old, scaleTargetRef, errors }) => {
    const scalerOf = (reference: object) => aScaler({ maxReplicas: 3, scaleTargetRef: reference })
    expect(errorTexts(validateUpdate(kind, scalerOf(scaleTargetRef), scalerOf(old)))).toEqual(errors)
  })
})
