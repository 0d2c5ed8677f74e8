import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../../builders.ts"
import { validateCreate, validateUpdate } from "../../../../../src/kubernetes/admission/admit.ts"
import { texts } from "../../drafts.ts"
import type { LooseDraft } from "../../../../builders.ts"

const kind = kindNamed("HorizontalPodAutoscaler")

const draftOf = (more: object): LooseDraft => ({
  apiVersion: "autoscaling/v2",
  kind: kind.kind,
  metadata: { name: "web", namespace: "shop" },
  ...more
})
const aScaler = (spec: object): LooseDraft =>
  draftOf({ spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, ...spec } })

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
    expect(texts(validateCreate(kind, aScaler(spec)))).toEqual(errors)
  })
})

describe("the target of a HorizontalPodAutoscaler (TestValidateHorizontalPodAutoscaler)", () => {
  it.each([
    { why: "requires a name", scaleTargetRef: { kind: "Deployment" }, errors: [noName] },
    {
      why: "rejects an empty name",
      scaleTargetRef: { kind: "Deployment", name: "" },
      errors: [noName]
    },
    { why: "requires a kind", scaleTargetRef: { name: "web" }, errors: [noKind] },
    { why: "rejects an empty kind", scaleTargetRef: { kind: "", name: "web" }, errors: [noKind] },
    { why: "is required", scaleTargetRef: undefined, errors: [noKind, noName] }
  ])("$why", ({ scaleTargetRef, errors }) => {
    expect(texts(validateCreate(kind, aScaler({ maxReplicas: 3, scaleTargetRef })))).toEqual(errors)
  })

  it("is required even without a spec", () => {
    expect(texts(validateCreate(kind, draftOf({})))).toEqual([notPositive(0), tooSmall(0), noKind, noName])
  })

  it("may change in an update, but not become empty", () => {
    const stored = aScaler({ maxReplicas: 3 })
    const other = aScaler({ maxReplicas: 3, scaleTargetRef: { kind: "ReplicaSet", name: "api" } })
    expect(validateUpdate(kind, other, stored)).toEqual([])
    expect(texts(validateUpdate(kind, aScaler({ maxReplicas: 3, scaleTargetRef: {} }), stored))).toEqual([
      noKind,
      noName
    ])
  })
})
