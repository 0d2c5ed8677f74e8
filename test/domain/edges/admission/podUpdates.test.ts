import { describe, expect, it } from "vitest"
import { validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { aPod, at, edited, frozen, labelRule, pods, texts } from "../../admission/drafts.ts"
import type { LooseDraft } from "../../admission/drafts.ts"

const aStored = (spec: object = {}): LooseDraft =>
  frozen(withDefaults(pods, aPod({ nodeName: "node-3", ...spec })))
const stored = aStored({ initContainers: [{ name: "init", image: "init:v1" }], volumes: [{ name: "v" }] })

/** As a patch leaves it: what it does not touch is what was there. */
const patched = (pod: LooseDraft, spec: object): LooseDraft => ({ ...pod, spec: { ...pod.spec, ...spec } })

/** What is wrong, but for the list of fields that may change. */
const errorsOf = (pod: LooseDraft, old: LooseDraft): ReadonlyArray<string> =>
  texts(validateUpdate(pods, withDefaults(pods, pod), old)).map((text) =>
    text.replace(/pod updates may not change fields other than .*/, "…")
  )

describe("the one part that a patch changes is looked at (TestValidatePodUpdate)", () => {
  const image = "spec.0.image"
  const containers = edited({ spec: at(stored, "spec.containers") as object }, [image, " app"]).spec
  const initContainers = edited({ spec: at(stored, "spec.initContainers") as object }, [image, " init"]).spec
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
  ])("its $part", ({ spec, errors }) => {
    expect(errorsOf(patched(stored, spec), stored)).toEqual(errors)
  })

  it("also its settings", () => {
    expect(errorsOf(patched(stored, { dnsPolicy: "Mine" }), stored)).toEqual([
      'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", ' +
        '"Default", "None"',
      'spec: Forbidden: …\n- dnsPolicy: "ClusterFirst"\n+ dnsPolicy: "Mine"'
    ])
  })
})

describe("what else of a Pod would change (TestValidatePodUpdate)", () => {
  it.each([
    {
      why: "in the order of names, and nothing of what was not there",
      spec: { subdomain: "a", hostname: "b" },
      says: '+ hostname: "b"\n+ subdomain: "a"'
    },
    {
      why: "nor of what is not there any more",
      spec: { nodeName: undefined },
      says: '- nodeName: "node-3"'
    }
  ])("is told $why", ({ spec, says }) => {
    expect(errorsOf(patched(stored, spec), stored)).toEqual([`spec: Forbidden: …\n${says}`])
  })
})

describe("a grace period that was negative (TestValidatePodUpdate)", () => {
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
