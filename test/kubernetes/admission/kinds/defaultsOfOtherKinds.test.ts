import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import type { LooseDraft } from "../../../builders.ts"

const aSecret = (fields: object): LooseDraft => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login", namespace: "shop" },
  ...fields
})

const anAutoscaler = (spec: object | undefined): LooseDraft => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop" },
  ...(spec === undefined ? {} : { spec })
})

describe("defaults of a Secret (TestSetDefaultSecret)", () => {
  const secrets = kindNamed("Secret")

  it.each([
    { why: "sets the type Opaque", fields: {}, defaulted: { type: "Opaque" } },
    { why: "keeps a given type", fields: { type: "tls" }, defaulted: { type: "tls" } },
    {
      why: "encodes stringData as data",
      fields: { stringData: { user: "möwe", empty: "" } },
      defaulted: { type: "Opaque", data: { user: "bcO2d2U=", empty: "" } }
    },
    {
      why: "lets stringData override data",
      fields: { type: "tls", data: { a: "YQ==", b: "Yg==" }, stringData: { b: "c" } },
      defaulted: { type: "tls", data: { a: "YQ==", b: "Yw==" } }
    },
    {
      why: "ignores a null stringData",
      fields: { data: { a: "YQ==" }, stringData: null },
      defaulted: { type: "Opaque", data: { a: "YQ==" }, stringData: null }
    }
  ])("$why", ({ fields, defaulted }) => {
    expect(withDefaults(secrets, aSecret(fields))).toEqual(aSecret(defaulted))
  })

  it("returns the same object when it has all defaults", () => {
    const whole = aSecret({ type: "Opaque", data: { a: "YQ==" } })
    expect(withDefaults(secrets, whole)).toBe(whole)
  })
})

describe("defaults of a HorizontalPodAutoscaler", () => {
  const autoscalers = kindNamed("HorizontalPodAutoscaler")
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } }
  }
  const memory = {
    type: "Resource",
    resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } }
  }

  it.each([
    {
      why: "minReplicas 1 and 80% of the cpu",
      spec: { maxReplicas: 7 },
      filled: { maxReplicas: 7, minReplicas: 1, metrics: [cpu] }
    },
    {
      why: "the cpu metric for an empty list",
      spec: { minReplicas: 3, maxReplicas: 7, metrics: [] },
      filled: { minReplicas: 3, maxReplicas: 7, metrics: [cpu] }
    },
    {
      why: "no metric beside its own",
      spec: { maxReplicas: 7, metrics: [memory] },
      filled: { maxReplicas: 7, minReplicas: 1, metrics: [memory] }
    },
    { why: "nothing without a spec", spec: undefined, filled: undefined }
  ])("sets $why", ({ spec, filled }) => {
    expect(withDefaults(autoscalers, anAutoscaler(spec))).toEqual(anAutoscaler(filled))
  })
})

describe("defaults of a PriorityClass (TestSetDefaultPreempting)", () => {
  it.each([
    { given: {}, policy: "PreemptLowerPriority" },
    { given: { preemptionPolicy: "Never" }, policy: "Never" }
  ])("sets $policy for $given", ({ given, policy }) => {
    const draft = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "high" },
      ...given
    }
    expect(withDefaults(kindNamed("PriorityClass"), draft)).toEqual({ ...draft, preemptionPolicy: policy })
  })
})

describe("defaults of required structs", () => {
  it.each([
    { name: "ResourceQuota", field: "spec", given: { hard: { pods: "3" } } },
    { name: "PodDisruptionBudget", field: "spec", given: { minAvailable: 1 } },
    { name: "Event", field: "involvedObject", given: { kind: "Pod" } }
  ])("give $name an empty $field", ({ name, field, given }) => {
    const kind = kindNamed(name)
    const draft = { apiVersion: "v1", kind: name, metadata: { name: "a", namespace: "shop" } }
    const whole = { ...draft, [field]: given }
    expect(withDefaults(kind, draft)).toEqual({ ...draft, [field]: {} })
    expect(withDefaults(kind, whole)).toBe(whole)
  })
})
