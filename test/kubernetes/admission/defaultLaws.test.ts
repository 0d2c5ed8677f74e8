import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { aDeployment, aPod, valueAt, deployments, deepFrozen, pods, errorTexts } from "./drafts.ts"
import type { LooseDraft } from "../../builders.ts"

const podSpecs = fc.record(
  {
    hostNetwork: fc.boolean(),
    restartPolicy: fc.constantFrom("Always", "Never"),
    tolerations: fc.array(fc.record({ key: fc.constantFrom("", "a"), operator: fc.constant("Exists") }), {
      maxLength: 2
    }),
    volumes: fc.uniqueArray(fc.constantFrom({ name: "v" }, { name: "w", secret: { secretName: "s" } }), {
      maxLength: 2
    }),
    containers: fc.array(
      fc.record(
        {
          image: fc.constantFrom("a", "a:v7", "a:latest"),
          ports: fc.array(fc.record({ containerPort: fc.integer({ min: 1, max: 65535 }) }), { maxLength: 3 }),
          readinessProbe: fc.constant({ httpGet: { port: 80 } }),
          resources: fc.constantFrom(
            {},
            { limits: { cpu: "0.7" } },
            { limits: {}, requests: { memory: "1Gi" } }
          )
        },
        { requiredKeys: ["image"] }
      ),
      { minLength: 1, maxLength: 3 }
    )
  },
  { requiredKeys: ["containers"] }
)

describe("laws of defaults", () => {
  const settings = { seed: 19, numRuns: 300 }

  it("are idempotent and return an object with its defaults itself", () => {
    fc.assert(
      fc.property(podSpecs, fc.boolean(), (spec, freeze) => {
        const pod = freeze ? deepFrozen(aPod(spec)) : aPod(spec)
        const once = withDefaults(pods, pod)
        expect(withDefaults(pods, once)).toBe(once)
        const deployment = withDefaults(deployments, aDeployment({ template: { spec } }))
        expect(withDefaults(deployments, deployment)).toBe(deployment)
      }),
      settings
    )
  })

  it("leave their input unchanged", () => {
    fc.assert(
      fc.property(podSpecs, (spec) => {
        const pod = aPod(spec)
        const before = structuredClone(pod)
        withDefaults(pods, pod)
        expect(pod).toEqual(before)
      }),
      settings
    )
  })

  it("share one spec among Pods of one frozen template", () => {
    fc.assert(
      fc.property(podSpecs, (spec) => {
        const shared = deepFrozen(aPod(spec).spec ?? {})
        const [first, second] = [1, 2].map((number) => {
          const pod: LooseDraft = {
            ...aPod(),
            metadata: { name: `web-${number}`, namespace: "shop" },
            spec: shared
          }
          return withDefaults(pods, pod)
        })
        expect(valueAt(first ?? {}, "spec")).toBe(valueAt(second ?? {}, "spec"))
        expect(valueAt(first ?? {}, "spec")).toEqual(
          valueAt(withDefaults(pods, aPod(structuredClone(shared))), "spec")
        )
      }),
      settings
    )
  })

  it("are cached as valid only for frozen objects", () => {
    const loose = withDefaults(pods, aPod())
    expect(validateCreate(pods, loose)).toEqual([])
    Reflect.set(Object(valueAt(loose, "spec")), "restartPolicy", "Perhaps")
    expect(errorTexts(validateCreate(pods, loose))).toEqual([
      'spec.restartPolicy: Unsupported value: "Perhaps": supported values: "Always", "OnFailure", "Never"'
    ])
  })

  it("report the same errors on every validation", () => {
    const pod = deepFrozen(withDefaults(pods, aPod({ restartPolicy: "Perhaps" })))
    expect(errorTexts(validateCreate(pods, pod))).toEqual(errorTexts(validateCreate(pods, pod)))
    expect(validateCreate(pods, pod)).toHaveLength(1)
  })
})
