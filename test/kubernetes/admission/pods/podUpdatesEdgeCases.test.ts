import { describe, expect, it } from "vitest"
import { validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { aPod, valueAt, edited, deepFrozen, labelRule, pods, errorTexts } from "../drafts.ts"
import type { LooseDraft } from "../../../builders.ts"

const aStored = (spec: object = {}): LooseDraft =>
  deepFrozen(withDefaults(pods, aPod({ nodeName: "node-3", ...spec })))
const stored = aStored({ initContainers: [{ name: "init", image: "init:v1" }], volumes: [{ name: "v" }] })

/** A Pod as a patch leaves it, which shares its unchanged parts with the old one. */
const patched = (pod: LooseDraft, spec: object): LooseDraft => ({ ...pod, spec: { ...pod.spec, ...spec } })

const errorsOf = (pod: LooseDraft, old: LooseDraft): ReadonlyArray<string> =>
  errorTexts(validateUpdate(pods, withDefaults(pods, pod), old)).map((text) =>
    text.replace(/pod updates may not change fields other than .*/, "…")
  )

describe("an update of one part of a Pod (TestValidatePodUpdate)", () => {
  const image = "spec.0.image"
  const containers = edited({ spec: valueAt(stored, "spec.containers") as object }, [image, " app"]).spec
  const initContainers = edited({ spec: valueAt(stored, "spec.initContainers") as object }, [
    image,
    " init"
  ]).spec
  const spaces = "must not have leading or trailing whitespace"

  it.each([
    {
      part: "containers",
      spec: { containers },
      errors: [`spec.containers[0].image: Invalid value: " app": ${spaces}`]
    },
    {
      part: "init containers",
      spec: { initContainers },
      errors: [`spec.initContainers[0].image: Invalid value: " init": ${spaces}`]
    },
    {
      part: "volumes",
      spec: { volumes: [{ name: "V" }] },
      errors: [
        `spec.volumes[0].name: Invalid value: "V": ${labelRule}`,
        'spec: Forbidden: …\n- volumes: [{"name":"v","emptyDir":{}}]\n+ volumes: [{"name":"V","emptyDir":{}}]'
      ]
    }
  ])("validates its $part", ({ spec, errors }) => {
    expect(errorsOf(patched(stored, spec), stored)).toEqual(errors)
  })

  it("validates its other fields", () => {
    expect(errorsOf(patched(stored, { dnsPolicy: "Mine" }), stored)).toEqual([
      'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", ' +
        '"Default", "None"',
      'spec: Forbidden: …\n- dnsPolicy: "ClusterFirst"\n+ dnsPolicy: "Mine"'
    ])
  })
})

describe("the difference in an update error (TestValidatePodUpdate)", () => {
  it.each([
    {
      why: "lists new fields by name",
      spec: { subdomain: "a", hostname: "b" },
      expected: '+ hostname: "b"\n+ subdomain: "a"'
    },
    {
      why: "lists removed fields",
      spec: { nodeName: undefined },
      expected: '- nodeName: "node-3"'
    }
  ])("$why", ({ spec, expected }) => {
    expect(errorsOf(patched(stored, spec), stored)).toEqual([`spec: Forbidden: …\n${expected}`])
  })
})

describe("a negative grace period (TestValidatePodUpdate)", () => {
  it.each([
    { before: -5, after: 1, isAllowed: true },
    { before: -5, after: 2, isAllowed: false },
    { before: -5, after: -4, isAllowed: false },
    { before: 0, after: 1, isAllowed: false },
    { before: 30, after: 1, isAllowed: false }
  ])("of $before may become $after: $isAllowed", ({ before, after, isAllowed }) => {
    const old = aStored({ terminationGracePeriodSeconds: before })
    const next = patched(old, { terminationGracePeriodSeconds: after })
    expect(errorsOf(next, old)).toEqual(
      isAllowed
        ? []
        : [
            `spec: Forbidden: …\n- terminationGracePeriodSeconds: ${before}\n+ terminationGracePeriodSeconds: ${after}`
          ]
    )
  })
})
