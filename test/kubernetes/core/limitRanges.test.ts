import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { podLimits } from "../../../src/kubernetes/core/limitRanges.ts"
import { anObject, kindNamed } from "../../builders.ts"
import type { LimitRange } from "../../../src/kubernetes/core/limitRanges.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"

const kind = kindNamed("LimitRange")

const aRange = (limits: ReadonlyArray<object>, name = "sizes"): LimitRange => {
  const range = anObject("LimitRange", { name }, { spec: { limits } })
  return withDefaults(kind, range) as LimitRange
}

const aSpec = (...containers: ReadonlyArray<object>): PodSpec => ({
  containers: containers.map((resources, index) => ({ name: `c${index}`, image: "app:v1", resources }))
})

const containerRange = (item: object): LimitRange => aRange([{ type: "Container", ...item }])

describe("defaults of a LimitRange", () => {
  it.each([
    {
      why: "max becomes default and defaultRequest",
      item: { max: { cpu: "2" } },
      filled: { default: { cpu: "2" }, defaultRequest: { cpu: "2" } }
    },
    {
      why: "min becomes defaultRequest",
      item: { min: { cpu: "1" } },
      filled: { defaultRequest: { cpu: "1" } }
    },
    {
      why: "given values are kept",
      item: { max: { cpu: "4" }, min: { cpu: "1" }, default: { cpu: "3" }, defaultRequest: { cpu: "2" } },
      filled: { default: { cpu: "3" }, defaultRequest: { cpu: "2" } }
    }
  ])("for containers: $why", ({ item, filled }) => {
    expect(containerRange(item).spec.limits).toEqual([{ type: "Container", ...item, ...filled }])
  })

  it("for Pods are not set", () => {
    expect(aRange([{ type: "Pod", max: { cpu: "2" } }]).spec.limits).toEqual([
      { type: "Pod", max: { cpu: "2" } }
    ])
  })
})

describe("the defaults of LimitRanges for a Pod", () => {
  const pod = (spec: PodSpec) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec })

  it("fill missing requests and limits, and are listed in an annotation", () => {
    const { fillDefaults: fill } = podLimits([
      containerRange({ default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "250m" } })
    ])
    const spec = {
      ...aSpec({}, { limits: { cpu: "7" }, requests: { memory: "5Mi" } }),
      initContainers: [{ name: "init", image: "app:v1" }]
    }
    const filled = fill(pod(spec))
    expect(filled.spec?.containers.map(({ resources }) => resources)).toEqual([
      { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "250m", memory: "1Gi" } },
      { limits: { cpu: "7", memory: "1Gi" }, requests: { cpu: "250m", memory: "5Mi" } }
    ])
    expect(filled.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; " +
        "cpu request for container c1; memory limit for container c1; " +
        "cpu, memory request for init container init; cpu, memory limit for init container init"
    )
  })

  it("leave a complete Pod alone", () => {
    const complete = pod(aSpec({ limits: { cpu: "1" }, requests: { cpu: "1" } }))
    expect(podLimits([containerRange({ default: { cpu: "5" } })]).fillDefaults(complete)).toBe(complete)
  })

  it("come from the first range by name, the annotation from the last one that set something", () => {
    const { fillDefaults: fill } = podLimits([
      aRange([{ type: "Container", default: { cpu: "2", memory: "2Gi" } }], "b"),
      aRange([{ type: "Container", default: { cpu: "1" } }], "a")
    ])
    const filled = fill(pod(aSpec({})))
    expect(filled.spec?.containers[0]?.resources?.limits).toEqual({ cpu: "1", memory: "2Gi" })
    expect(filled.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: memory request for container c0; memory limit for container c0"
    )
  })

  it("share the filled spec among Pods of one template", () => {
    const { fillDefaults: fill } = podLimits([containerRange({ default: { cpu: "1" } })])
    const spec = deepFreeze(aSpec({}))
    expect(fill(pod(spec)).spec).toBe(fill({ ...pod(spec), metadata: { name: "other" } }).spec)
  })
})

describe("the refusal of a Pod by LimitRanges", () => {
  const rows: ReadonlyArray<{
    readonly item: object
    readonly spec: PodSpec
    readonly expected: string | undefined
  }> = [
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({ limits: { cpu: "1000m" } }),
      expected: undefined
    },
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({ limits: { cpu: "2" } }),
      expected: "maximum cpu usage per Container is 1, but limit is 2"
    },
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({}),
      expected: "maximum cpu usage per Container is 1.  No limit is specified"
    },
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({ limits: { cpu: "1" }, requests: { cpu: "3" } }),
      expected: "maximum cpu usage per Container is 1, but request is 3"
    },
    {
      item: { type: "Container", max: { memory: "1Gi", cpu: "1" } },
      spec: aSpec({ limits: { cpu: "2", memory: "2048Mi" } }, { limits: { cpu: "2", memory: "1Gi" } }),
      expected:
        "[maximum cpu usage per Container is 1, but limit is 2, " +
        "maximum memory usage per Container is 1Gi, but limit is 2Gi]"
    },
    {
      item: { type: "Container", min: { memory: "64Mi" } },
      spec: aSpec({}),
      expected: "minimum memory usage per Container is 64Mi.  No request is specified"
    },
    {
      item: { type: "Container", min: { memory: "64Mi" } },
      spec: aSpec({ requests: { memory: "5Mi" } }),
      expected: "minimum memory usage per Container is 64Mi, but request is 5Mi"
    },
    {
      item: { type: "Container", min: { cpu: "1" } },
      spec: aSpec({ requests: { cpu: "1" }, limits: { cpu: "500m" } }),
      expected: "minimum cpu usage per Container is 1, but limit is 500m"
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      spec: aSpec({ requests: { cpu: "300m" }, limits: { cpu: "1" } }),
      expected: "cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333"
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "1500m" } },
      spec: aSpec({ requests: { cpu: "2" }, limits: { cpu: "3" } }),
      expected: undefined
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      spec: aSpec({ limits: { cpu: "1" } }),
      expected:
        "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      spec: aSpec({ requests: { cpu: "1" } }),
      expected: "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"
    },
    {
      item: { type: "Pod", max: { cpu: "3" } },
      spec: aSpec({ limits: { cpu: "2" } }, { limits: { cpu: "2" } }),
      expected: "maximum cpu usage per Pod is 3, but limit is 4"
    },
    { item: { type: "PersistentVolumeClaim", max: { storage: "1Gi" } }, spec: aSpec({}), expected: undefined }
  ]
  it.each(rows)("is $problems", ({ item, spec, expected }) => {
    expect(podLimits([{ ...aRange([]), spec: { limits: [item] } } as LimitRange]).violation(spec)).toBe(
      expected
    )
  })
})

describe("the violation of a LimitRange by a claim", () => {
  const item = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } }
  it.each([
    { requests: { storage: "2Gi" }, expected: undefined },
    {
      requests: { storage: "500Mi" },
      expected: "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi"
    },
    {
      requests: { storage: "8Gi" },
      expected: "maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 8Gi"
    }
  ])("of $requests.storage is $expected", ({ requests, expected }) => {
    expect(podLimits([aRange([item])]).claimViolation(requests)).toBe(expected)
  })
})

describe("validation of a LimitRange", () => {
  const rows: ReadonlyArray<{ readonly item: object; readonly expected: ReadonlyArray<string> }> = [
    { item: { type: "Container", max: { cpu: "2" }, min: { cpu: "1" } }, expected: [] },
    {
      item: { type: "Container", max: { cpu: "1" }, min: { cpu: "2" } },
      expected: [
        'min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        'defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'default[cpu]: Invalid value: "2": min value 2 is greater than default value 1'
      ]
    },
    {
      item: { type: "Container", default: { memory: "1Gi" }, defaultRequest: { memory: "2Gi" } },
      expected: [
        'defaultRequest[memory]: Invalid value: "2Gi": default request value 2Gi is greater than default limit value 1Gi'
      ]
    },
    {
      item: { type: "Container", max: { cpu: "1" }, default: { cpu: "3" }, defaultRequest: { cpu: "1" } },
      expected: ['default[cpu]: Invalid value: "1": default value 3 is greater than max value 1']
    },
    {
      item: { type: "Pod", maxLimitRequestRatio: { cpu: "800m" } },
      expected: ['maxLimitRequestRatio[cpu]: Invalid value: "800m": ratio 800m is less than 1']
    },
    {
      item: {
        type: "Pod",
        max: { memory: "2Gi" },
        min: { memory: "512Mi" },
        maxLimitRequestRatio: { memory: "10" }
      },
      expected: [
        'maxLimitRequestRatio[memory]: Invalid value: "10": ratio 10 is greater than max/min = 4.000000'
      ]
    },
    {
      item: { type: "Pod", default: { cpu: "1" } },
      expected: ["default: Forbidden: may not be specified when `type` is 'Pod'"]
    },
    {
      item: { type: "Bucket" },
      expected: ['type: Invalid value: "Bucket": must be a standard limit type or fully qualified']
    },
    {
      item: { type: "Pod", max: { cpu: "many" } },
      expected: [
        'max[cpu]: Invalid value: "many": quantities must match the regular expression ' +
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
      ]
    }
  ]
  it.each(rows)("checks $item", ({ item, expected }) => {
    const range = withDefaults(kind, aRange([item]))
    const problems = validateCreate(kind, range).map((error) => `${error.field}: ${errorBody(error)}`)
    expect(problems).toEqual(expected.map((text) => `spec.limits[0].${text}`))
  })

  it("reports a repeated type", () => {
    const twice = aRange([{ type: "Pod" }, { type: "Pod" }])
    expect(validateCreate(kind, twice).map(({ field, type }) => `${field} ${type}`)).toEqual([
      "spec.limits[1].type FieldValueDuplicate"
    ])
  })
})
