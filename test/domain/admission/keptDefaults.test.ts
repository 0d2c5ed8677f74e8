import { describe, expect, it } from "vitest"
import { withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { kindNamed, type LooseDraft } from "./drafts.ts"

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

describe("a Secret (TestSetDefaultSecret)", () => {
  const secrets = kindNamed("Secret")

  it.each([
    { why: "it is of no special type", fields: {}, kept: { type: "Opaque" } },
    { why: "its type is its own", fields: { type: "tls" }, kept: { type: "tls" } },
    {
      why: "its texts are kept as data",
      fields: { stringData: { user: "möwe", empty: "" } },
      kept: { type: "Opaque", data: { user: "bcO2d2U=", empty: "" } }
    },
    {
      why: "beside its data, and before it",
      fields: { type: "tls", data: { a: "YQ==", b: "Yg==" }, stringData: { b: "c" } },
      kept: { type: "tls", data: { a: "YQ==", b: "Yw==" } }
    },
    {
      why: "no text is as good as none at all",
      fields: { data: { a: "YQ==" }, stringData: null },
      kept: { type: "Opaque", data: { a: "YQ==" }, stringData: null }
    }
  ])("$why", ({ fields, kept }) => {
    expect(withDefaults(secrets, aSecret(fields))).toEqual(aSecret(kept))
  })

  it("is the same object where nothing is missing", () => {
    const whole = aSecret({ type: "Opaque", data: { a: "YQ==" } })
    expect(withDefaults(secrets, whole)).toBe(whole)
  })
})

describe("a HorizontalPodAutoscaler", () => {
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
      why: "one Pod at the least, four fifths of a processor",
      spec: { maxReplicas: 7 },
      filled: { maxReplicas: 7, minReplicas: 1, metrics: [cpu] }
    },
    {
      why: "no metrics are none",
      spec: { minReplicas: 3, maxReplicas: 7, metrics: [] },
      filled: { minReplicas: 3, maxReplicas: 7, metrics: [cpu] }
    },
    {
      why: "nothing beside those it has",
      spec: { maxReplicas: 7, metrics: [memory] },
      filled: { maxReplicas: 7, minReplicas: 1, metrics: [memory] }
    },
    { why: "nothing where it says nothing", spec: undefined, filled: undefined }
  ])("gets $why", ({ spec, filled }) => {
    expect(withDefaults(autoscalers, anAutoscaler(spec))).toEqual(anAutoscaler(filled))
  })
})

describe("a PriorityClass (TestSetDefaultPreempting)", () => {
  it.each([
    { given: {}, policy: "PreemptLowerPriority" },
    { given: { preemptionPolicy: "Never" }, policy: "Never" }
  ])("preempts by $policy where it says $given", ({ given, policy }) => {
    const draft = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "high" },
      ...given
    }
    expect(withDefaults(kindNamed("PriorityClass"), draft)).toEqual({ ...draft, preemptionPolicy: policy })
  })
})

describe("a kind that is acted upon has a spec, and an event a subject", () => {
  it.each([
    { name: "ResourceQuota", field: "spec", given: { hard: { pods: "3" } } },
    { name: "PodDisruptionBudget", field: "spec", given: { minAvailable: 1 } },
    { name: "Event", field: "involvedObject", given: { kind: "Pod" } }
  ])("$name has its $field, however empty", ({ name, field, given }) => {
    const kind = kindNamed(name)
    const draft = { apiVersion: "v1", kind: name, metadata: { name: "a", namespace: "shop" } }
    const whole = { ...draft, [field]: given }
    expect(withDefaults(kind, draft)).toEqual({ ...draft, [field]: {} })
    expect(withDefaults(kind, whole)).toBe(whole)
  })
})
