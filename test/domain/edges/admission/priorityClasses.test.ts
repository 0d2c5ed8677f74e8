import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { kindNamed, texts } from "../../admission/drafts.ts"
import type { Draft } from "../../../../src/kubernetes/meta/objects.ts"

const kind = kindNamed("PriorityClass")

const aClass = (name: string, more: object): Draft => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: kind.kind,
  metadata: { name },
  ...more
})

const reserved = (why: string) => [
  "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. " +
    `error: ${why}`
]

describe("a PriorityClass (TestValidatePriorityClass)", () => {
  it.each([
    { why: "is worth what it says", name: "mine", more: { value: 7 }, errors: [] },
    { why: "may be worth less than nothing", name: "mine", more: { value: -2_000_000_007 }, errors: [] },
    { why: "may be worth nothing", name: "mine", more: {}, errors: [] },
    { why: "may be worth as much as any", name: "mine", more: { value: 1_000_000_000 }, errors: [] },
    {
      why: "is worth no more than that",
      name: "mine",
      more: { value: 1_000_000_001 },
      errors: ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]
    },
    { why: "may have system in its name", name: "my-system-class", more: { value: 7 }, errors: [] },
    {
      why: "takes no name of the system's",
      name: "system-mine",
      more: { value: 7 },
      errors: reserved("system-mine is not a known system priority class")
    },
    {
      why: "takes no name of the system's, not even to be worth nothing",
      name: "system-mine",
      more: {},
      errors: reserved("system-mine is not a known system priority class")
    },
    {
      why: "may be one of the system's as it is",
      name: "system-cluster-critical",
      more: { value: 2_000_000_000 },
      errors: []
    },
    {
      why: "may be the highest of the system's as it is",
      name: "system-node-critical",
      more: { value: 2_000_001_000 },
      errors: []
    },
    {
      why: "of the system is worth what every cluster says",
      name: "system-node-critical",
      more: { value: 2_000_000_000 },
      errors: reserved("value of system-node-critical PriorityClass must be 2000001000")
    },
    {
      why: "may drive out what is worth less",
      name: "mine",
      more: { preemptionPolicy: "PreemptLowerPriority" },
      errors: []
    },
    { why: "may drive out nothing", name: "mine", more: { preemptionPolicy: "Never" }, errors: [] },
    {
      why: "knows no third way",
      name: "mine",
      more: { preemptionPolicy: "Always" },
      errors: [
        'preemptionPolicy: Unsupported value: "Always": supported values: "Never", "PreemptLowerPriority"'
      ]
    }
  ])("$why", ({ name, more, errors }) => {
    expect(texts(validateCreate(kind, aClass(name, more)))).toEqual(errors)
  })

  it("may get its name later", () => {
    const draft = { ...aClass("", { value: 7 }), metadata: { generateName: "system-" } }
    expect(validateCreate(kind, draft)).toEqual([])
  })
})

describe("a stored PriorityClass (TestValidatePriorityClassUpdate)", () => {
  const revalued = ["value: Forbidden: may not be changed in an update."]

  const stored = { metadata: { name: "mine", resourceVersion: "7" } }
  it.each([
    {
      why: "may get another description",
      from: { value: 7, preemptionPolicy: "Never" },
      to: { value: 7, preemptionPolicy: "Never", description: "for what must not wait" },
      errors: []
    },
    { why: "is worth what it was", from: { value: 7 }, to: { value: 9 }, errors: revalued },
    { why: "is worth nothing where it does not say", from: {}, to: { value: 0 }, errors: [] },
    { why: "need not say that it is worth nothing", from: { value: 0 }, to: {}, errors: [] },
    { why: "does not come to be worth something", from: {}, to: { value: 1 }, errors: revalued },
    { why: "does not cease to be worth something", from: { value: 1 }, to: {}, errors: revalued },
    {
      why: "drives out what it did",
      from: { preemptionPolicy: "PreemptLowerPriority" },
      to: { preemptionPolicy: "Never" },
      errors: ['preemptionPolicy: Invalid value: "Never": field is immutable']
    }
  ])("$why", ({ from, to, errors }) => {
    const [object, old] = [aClass("mine", { ...to, ...stored }), aClass("mine", { ...from, ...stored })]
    expect(texts(validateUpdate(kind, object, old))).toEqual(errors)
  })
})
