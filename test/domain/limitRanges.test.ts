import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../src/kubernetes/validation/fieldErrors.ts"
import { deepFreeze } from "../../src/kubernetes/meta/deepFreeze.ts"
import { podLimits } from "../../src/kubernetes/core/limitRanges.ts"
import { kindNamed } from "./admission/drafts.ts"
import { aPod } from "../builders.ts"
import type { LimitRange } from "../../src/kubernetes/core/limitRanges.ts"
import type { PodSpec } from "../../src/kubernetes/meta/objects.ts"

const kind = kindNamed("LimitRange")

const aRange = (limits: ReadonlyArray<object>, name = "sizes"): LimitRange => {
  const range = { ...aPod({ name }), apiVersion: "v1", kind: "LimitRange", spec: { limits } }
  return withDefaults(kind, range) as LimitRange
}

const aSpec = (...containers: ReadonlyArray<object>): PodSpec => ({
  containers: containers.map((resources, index) => ({ name: `c${index}`, image: "app:v1", resources }))
})

const ofContainers = (item: object): LimitRange => aRange([{ type: "Container", ...item }])

describe("a LimitRange of containers", () => {
  it.each([
    {
      why: "a greatest amount is what a container gets, and asks for",
      item: { max: { cpu: "2" } },
      filled: { default: { cpu: "2" }, defaultRequest: { cpu: "2" } }
    },
    {
      why: "a least amount is what it asks for",
      item: { min: { cpu: "1" } },
      filled: { defaultRequest: { cpu: "1" } }
    },
    {
      why: "what is said stays",
      item: { max: { cpu: "4" }, min: { cpu: "1" }, default: { cpu: "3" }, defaultRequest: { cpu: "2" } },
      filled: { default: { cpu: "3" }, defaultRequest: { cpu: "2" } }
    }
  ])("fills itself in: $why", ({ item, filled }) => {
    expect(ofContainers(item).spec.limits).toEqual([{ type: "Container", ...item, ...filled }])
  })

  it("of Pods stays as it is", () => {
    expect(aRange([{ type: "Pod", max: { cpu: "2" } }]).spec.limits).toEqual([
      { type: "Pod", max: { cpu: "2" } }
    ])
  })
})

describe("a Pod among LimitRanges", () => {
  const pod = (spec: PodSpec) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec })

  it("gets what it does not say, and is told what", () => {
    const { fillDefaults: fill } = podLimits([
      ofContainers({ default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "250m" } })
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

  it("that says everything is left alone", () => {
    const said = pod(aSpec({ limits: { cpu: "1" }, requests: { cpu: "1" } }))
    expect(podLimits([ofContainers({ default: { cpu: "5" } })]).fillDefaults(said)).toBe(said)
  })

  it("is filled in by the first in the order of names; the last that did something has the word", () => {
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

  it("shares what is filled in with every other of its template", () => {
    const { fillDefaults: fill } = podLimits([ofContainers({ default: { cpu: "1" } })])
    const spec = deepFreeze(aSpec({}))
    expect(fill(pod(spec)).spec).toBe(fill({ ...pod(spec), metadata: { name: "other" } }).spec)
  })
})

describe("a Pod is refused", () => {
  const rows: ReadonlyArray<{
    readonly item: object
    readonly spec: PodSpec
    readonly says: string | undefined
  }> = [
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({ limits: { cpu: "1000m" } }),
      says: undefined
    },
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({ limits: { cpu: "2" } }),
      says: "maximum cpu usage per Container is 1, but limit is 2"
    },
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({}),
      says: "maximum cpu usage per Container is 1.  No limit is specified"
    },
    {
      item: { type: "Container", max: { cpu: "1" } },
      spec: aSpec({ limits: { cpu: "1" }, requests: { cpu: "3" } }),
      says: "maximum cpu usage per Container is 1, but request is 3"
    },
    {
      item: { type: "Container", max: { memory: "1Gi", cpu: "1" } },
      spec: aSpec({ limits: { cpu: "2", memory: "2048Mi" } }, { limits: { cpu: "2", memory: "1Gi" } }),
      says:
        "[maximum cpu usage per Container is 1, but limit is 2, " +
        "maximum memory usage per Container is 1Gi, but limit is 2Gi]"
    },
    {
      item: { type: "Container", min: { memory: "64Mi" } },
      spec: aSpec({}),
      says: "minimum memory usage per Container is 64Mi.  No request is specified"
    },
    {
      item: { type: "Container", min: { memory: "64Mi" } },
      spec: aSpec({ requests: { memory: "5Mi" } }),
      says: "minimum memory usage per Container is 64Mi, but request is 5Mi"
    },
    {
      item: { type: "Container", min: { cpu: "1" } },
      spec: aSpec({ requests: { cpu: "1" }, limits: { cpu: "500m" } }),
      says: "minimum cpu usage per Container is 1, but limit is 500m"
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      spec: aSpec({ requests: { cpu: "300m" }, limits: { cpu: "1" } }),
      says: "cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333"
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "1500m" } },
      spec: aSpec({ requests: { cpu: "2" }, limits: { cpu: "3" } }),
      says: undefined
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      spec: aSpec({ limits: { cpu: "1" } }),
      says: "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"
    },
    {
      item: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      spec: aSpec({ requests: { cpu: "1" } }),
      says: "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"
    },
    {
      item: { type: "Pod", max: { cpu: "3" } },
      spec: aSpec({ limits: { cpu: "2" } }, { limits: { cpu: "2" } }),
      says: "maximum cpu usage per Pod is 3, but limit is 4"
    },
    { item: { type: "PersistentVolumeClaim", max: { storage: "1Gi" } }, spec: aSpec({}), says: undefined }
  ]
  it.each(rows)("$says", ({ item, spec, says }) => {
    expect(podLimits([{ ...aRange([]), spec: { limits: [item] } } as LimitRange]).violation(spec)).toBe(says)
  })
})

describe("a LimitRange is invalid", () => {
  const rows: ReadonlyArray<{ readonly item: object; readonly says: ReadonlyArray<string> }> = [
    { item: { type: "Container", max: { cpu: "2" }, min: { cpu: "1" } }, says: [] },
    {
      item: { type: "Container", max: { cpu: "1" }, min: { cpu: "2" } },
      says: [
        'min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        'defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'default[cpu]: Invalid value: "2": min value 2 is greater than default value 1'
      ]
    },
    {
      item: { type: "Container", default: { memory: "1Gi" }, defaultRequest: { memory: "2Gi" } },
      says: [
        'defaultRequest[memory]: Invalid value: "2Gi": default request value 2Gi is greater than default limit value 1Gi'
      ]
    },
    {
      item: { type: "Container", max: { cpu: "1" }, default: { cpu: "3" }, defaultRequest: { cpu: "1" } },
      says: ['default[cpu]: Invalid value: "1": default value 3 is greater than max value 1']
    },
    {
      item: { type: "Pod", maxLimitRequestRatio: { cpu: "800m" } },
      says: ['maxLimitRequestRatio[cpu]: Invalid value: "800m": ratio 800m is less than 1']
    },
    {
      item: {
        type: "Pod",
        max: { memory: "2Gi" },
        min: { memory: "512Mi" },
        maxLimitRequestRatio: { memory: "10" }
      },
      says: ['maxLimitRequestRatio[memory]: Invalid value: "10": ratio 10 is greater than max/min = 4.000000']
    },
    {
      item: { type: "Pod", default: { cpu: "1" } },
      says: ["default: Forbidden: may not be specified when `type` is 'Pod'"]
    },
    {
      item: { type: "Bucket" },
      says: ['type: Invalid value: "Bucket": must be a standard limit type or fully qualified']
    },
    {
      item: { type: "Pod", max: { cpu: "many" } },
      says: [
        'max[cpu]: Invalid value: "many": quantities must match the regular expression ' +
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
      ]
    }
  ]
  it.each(rows)("or not: $item", ({ item, says }) => {
    const range = withDefaults(kind, aRange([item]))
    const problems = validateCreate(kind, range).map((error) => `${error.field}: ${errorBody(error)}`)
    expect(problems).toEqual(says.map((text) => `spec.limits[0].${text}`))
  })

  it("where one type is there twice", () => {
    const twice = aRange([{ type: "Pod" }, { type: "Pod" }])
    expect(validateCreate(kind, twice).map(({ field, type }) => `${field} ${type}`)).toEqual([
      "spec.limits[1].type FieldValueDuplicate"
    ])
  })
})
