import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { kindNamed, texts } from "../../admission/drafts.ts"
import type { LooseDraft } from "../../admission/drafts.ts"

const kind = kindNamed("HorizontalPodAutoscaler")

const drafted = (more: object): LooseDraft => ({
  apiVersion: "autoscaling/v2",
  kind: kind.kind,
  metadata: { name: "web", namespace: "shop" },
  ...more
})
const aScaler = (spec: object): LooseDraft =>
  drafted({ spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, ...spec } })

const tooSmall = (size: number) =>
  `spec.maxReplicas: Invalid value: ${size}: must be greater than or equal to \`minReplicas\``
const none = (size: number) => `spec.maxReplicas: Invalid value: ${size}: must be greater than 0`
const [noKind, noName] = ["kind", "name"].map((field) => `spec.scaleTargetRef.${field}: Required value`)

describe("the sizes of an autoscaler (TestValidateHorizontalPodAutoscaler)", () => {
  it.each([
    { why: "lie between two bounds", spec: { minReplicas: 3, maxReplicas: 7 }, errors: [] },
    { why: "may be one size only", spec: { minReplicas: 7, maxReplicas: 7 }, errors: [] },
    { why: "may be one, and no other", spec: { minReplicas: 1, maxReplicas: 1 }, errors: [] },
    { why: "begin at one where nobody says it", spec: { maxReplicas: 1 }, errors: [] },
    {
      why: "do not end below where they begin",
      spec: { minReplicas: 7, maxReplicas: 5 },
      errors: [tooSmall(5)]
    },
    {
      why: "do not begin at none",
      spec: { minReplicas: 0, maxReplicas: 3 },
      errors: ["spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"]
    },
    {
      why: "do not end at none, not even where they begin there",
      spec: { minReplicas: 0, maxReplicas: 0 },
      errors: ["spec.minReplicas: Invalid value: 0: must be greater than or equal to 1", none(0)]
    },
    { why: "have an end", spec: { minReplicas: 1 }, errors: [none(0), tooSmall(0)] }
  ])("$why", ({ spec, errors }) => {
    expect(texts(validateCreate(kind, aScaler(spec)))).toEqual(errors)
  })
})

describe("what an autoscaler scales (TestValidateHorizontalPodAutoscaler)", () => {
  it.each([
    { why: "has a name", scaleTargetRef: { kind: "Deployment" }, errors: [noName] },
    {
      why: "has a name that is not empty",
      scaleTargetRef: { kind: "Deployment", name: "" },
      errors: [noName]
    },
    { why: "is of a kind", scaleTargetRef: { name: "web" }, errors: [noKind] },
    { why: "is of a kind with a name", scaleTargetRef: { kind: "", name: "web" }, errors: [noKind] },
    { why: "is said", scaleTargetRef: undefined, errors: [noKind, noName] }
  ])("$why", ({ scaleTargetRef, errors }) => {
    expect(texts(validateCreate(kind, aScaler({ maxReplicas: 3, scaleTargetRef })))).toEqual(errors)
  })

  it("is said even where nothing is", () => {
    expect(texts(validateCreate(kind, drafted({})))).toEqual([none(0), tooSmall(0), noKind, noName])
  })

  it("may become another, but not nothing", () => {
    const stored = aScaler({ maxReplicas: 3 })
    const other = aScaler({ maxReplicas: 3, scaleTargetRef: { kind: "ReplicaSet", name: "api" } })
    expect(validateUpdate(kind, other, stored)).toEqual([])
    expect(texts(validateUpdate(kind, aScaler({ maxReplicas: 3, scaleTargetRef: {} }), stored))).toEqual([
      noKind,
      noName
    ])
  })
})
