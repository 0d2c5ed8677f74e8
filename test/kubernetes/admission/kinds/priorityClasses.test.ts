import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { validateCreate, validateUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { errorTexts } from "../drafts.ts"
import type { Draft } from "../../../../src/kubernetes/meta/objects.ts"

const kind = kindNamed("PriorityClass")

const aClass = (name: string, more: object): Draft => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: kind.kind,
  metadata: { name },
  ...more
})

const reservedName = (why: string) => [
  "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. " +
    `error: ${why}`
]

describe("a PriorityClass (TestValidatePriorityClass)", () => {
  it.each([
    { why: "has a value", name: "mine", more: { value: 7 }, errors: [] },
    { why: "may have a negative value", name: "mine", more: { value: -2_000_000_007 }, errors: [] },
    {
      why: "rejects an empty preemption policy, which is no missing one",
      name: "mine",
      more: { value: 7, preemptionPolicy: "" },
      errors: ["preemptionPolicy: Required value"]
    },
    { why: "may have no value", name: "mine", more: {}, errors: [] },
    { why: "may have the largest value of a user", name: "mine", more: { value: 1_000_000_000 }, errors: [] },
    {
      why: "rejects a larger value",
      name: "mine",
      more: { value: 1_000_000_001 },
      errors: ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]
    },
    { why: "may have system inside its name", name: "my-system-class", more: { value: 7 }, errors: [] },
    {
      why: "rejects the prefix system-",
      name: "system-mine",
      more: { value: 7 },
      errors: reservedName("system-mine is not a known system priority class")
    },
    {
      why: "rejects the prefix system- without a value",
      name: "system-mine",
      more: {},
      errors: reservedName("system-mine is not a known system priority class")
    },
    {
      why: "may be system-cluster-critical with its value",
      name: "system-cluster-critical",
      more: { value: 2_000_000_000 },
      errors: []
    },
    {
      why: "may be system-node-critical with its value",
      name: "system-node-critical",
      more: { value: 2_000_001_000 },
      errors: []
    },
    {
      why: "rejects another value for a system class",
      name: "system-node-critical",
      more: { value: 2_000_000_000 },
      errors: reservedName("value of system-node-critical PriorityClass must be 2000001000")
    },
    {
      why: "may preempt",
      name: "mine",
      more: { preemptionPolicy: "PreemptLowerPriority" },
      errors: []
    },
    { why: "may preempt never", name: "mine", more: { preemptionPolicy: "Never" }, errors: [] },
    {
      why: "rejects an unknown preemption policy",
      name: "mine",
      more: { preemptionPolicy: "Always" },
      errors: [
        'preemptionPolicy: Unsupported value: "Always": supported values: "Never", "PreemptLowerPriority"'
      ]
    }
  ])("$why", ({ name, more, errors }) => {
    expect(errorTexts(validateCreate(kind, aClass(name, more)))).toEqual(errors)
  })

  it("may have a generateName", () => {
    const draft = { ...aClass("", { value: 7 }), metadata: { generateName: "system-" } }
    expect(validateCreate(kind, draft)).toEqual([])
  })
})

describe("an update of a PriorityClass (TestValidatePriorityClassUpdate)", () => {
  const valueChanged = ["value: Forbidden: may not be changed in an update."]

  const stored = { metadata: { name: "mine", resourceVersion: "7" } }
  it.each([
    {
      why: "may change the description",
      oldFields: { value: 7, preemptionPolicy: "Never" },
      newFields: { value: 7, preemptionPolicy: "Never", description: "for what must not wait" },
      errors: []
    },
    {
      why: "may not change the value",
      oldFields: { value: 7 },
      newFields: { value: 9 },
      errors: valueChanged
    },
    { why: "may add a value of 0", oldFields: {}, newFields: { value: 0 }, errors: [] },
    { why: "may remove a value of 0", oldFields: { value: 0 }, newFields: {}, errors: [] },
    { why: "may not add a value", oldFields: {}, newFields: { value: 1 }, errors: valueChanged },
    { why: "may not remove a value", oldFields: { value: 1 }, newFields: {}, errors: valueChanged },
    {
      why: "may not change the preemption policy",
      oldFields: { preemptionPolicy: "PreemptLowerPriority" },
      newFields: { preemptionPolicy: "Never" },
      errors: ['preemptionPolicy: Invalid value: "Never": field is immutable']
    }
  ])("$why", ({ oldFields, newFields, errors }) => {
    const [object, old] = [
      aClass("mine", { ...newFields, ...stored }),
      aClass("mine", { ...oldFields, ...stored })
    ]
    expect(errorTexts(validateUpdate(kind, object, old))).toEqual(errors)
  })
})
