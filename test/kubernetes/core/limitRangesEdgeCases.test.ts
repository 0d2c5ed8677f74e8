import { describe, expect, it } from "vitest"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { podLimits } from "../../../src/kubernetes/core/limitRanges.ts"
import { anObject } from "../../builders.ts"
import type { LimitRange } from "../../../src/kubernetes/core/limitRanges.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"

type Item = LimitRange["spec"]["limits"][number]

const aRange = (limits: ReadonlyArray<Item>, name = "sizes"): LimitRange =>
  anObject("LimitRange", { name }, { spec: { limits: [...limits] } })

const containerRange = (item: Omit<Item, "type">, name = "sizes"): LimitRange =>
  aRange([{ type: "Container", ...item }], name)

const aSpec = (...containers: ReadonlyArray<object | undefined>): PodSpec => ({
  containers: containers.map((resources, index) => ({
    name: `c${index}`,
    ...(resources === undefined ? {} : { resources })
  }))
})

const podOf = (spec?: PodSpec) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  ...(spec === undefined ? {} : { spec })
})

const limitRangerAnnotation = "kubernetes.io/limit-ranger"

describe("the defaults of LimitRanges for a Pod", () => {
  it.each<{
    why: string
    ranges: ReadonlyArray<LimitRange>
    spec: PodSpec
    filledSpec: object
    plugin: string
  }>([
    {
      why: "limits only",
      ranges: [containerRange({ default: { memory: "2Mi", cpu: "2" } })],
      spec: aSpec(undefined),
      filledSpec: aSpec({ limits: { memory: "2Mi", cpu: "2" } }),
      plugin: "cpu, memory limit for container c0"
    },
    {
      why: "requests only",
      ranges: [containerRange({ defaultRequest: { cpu: "1" } })],
      spec: aSpec(undefined),
      filledSpec: aSpec({ requests: { cpu: "1" } }),
      plugin: "cpu request for container c0"
    },
    {
      why: "for the container without limits",
      ranges: [containerRange({ default: { cpu: "2" } })],
      spec: aSpec({ limits: { cpu: "3" } }, {}),
      filledSpec: aSpec({ limits: { cpu: "3" } }, { limits: { cpu: "2" } }),
      plugin: "cpu limit for container c1"
    },
    {
      why: "for init containers",
      ranges: [containerRange({ default: { cpu: "2" } })],
      spec: { ...aSpec({ limits: { cpu: "3" } }), initContainers: [{ name: "i" }] },
      filledSpec: {
        ...aSpec({ limits: { cpu: "3" } }),
        initContainers: [{ name: "i", resources: { limits: { cpu: "2" } } }]
      },
      plugin: "cpu limit for init container i"
    },
    {
      why: "of the first LimitRange by name",
      ranges: [
        containerRange({ default: { cpu: "1" } }, "a"),
        containerRange({ default: { cpu: "2" } }, "b"),
        containerRange({ default: { cpu: "3" } }, "c")
      ],
      spec: aSpec({}),
      filledSpec: aSpec({ limits: { cpu: "1" } }),
      plugin: "cpu limit for container c0"
    },
    {
      why: "of type Container only",
      ranges: [
        aRange([
          { type: "PersistentVolumeClaim", default: { storage: "7Gi" }, defaultRequest: { storage: "1Gi" } },
          { type: "Container", default: { cpu: "1" } }
        ])
      ],
      spec: aSpec({}),
      filledSpec: aSpec({ limits: { cpu: "1" } }),
      plugin: "cpu limit for container c0"
    }
  ])("are set $why", ({ ranges, spec, filledSpec, plugin }) => {
    const filled = podLimits(ranges).fillDefaults(podOf(spec))
    expect(filled.spec).toStrictEqual(filledSpec)
    expect(filled.metadata.annotations).toEqual({
      [limitRangerAnnotation]: `LimitRanger plugin set: ${plugin}`
    })
  })

  it("are not set without a spec", () => {
    const pod = podOf()
    expect(podLimits([containerRange({ default: { cpu: "1" } })]).fillDefaults(pod)).toBe(pod)
  })

  it("are computed again for a spec that is not frozen", () => {
    const { fillDefaults: fill, violation: refusal } = podLimits([
      containerRange({ default: { cpu: "1" }, max: { cpu: "3" } })
    ])
    const containers: PodSpec["containers"] = [
      { name: "c0", resources: { limits: { memory: "1Mi", cpu: "2" } } }
    ]
    const spec = { containers }
    expect([fill(podOf(spec)).spec, refusal(spec)]).toEqual([spec, undefined])
    containers[0] = { name: "c0", resources: { limits: { memory: "1Mi", cpu: "7" } } }
    expect(refusal(spec)).toBe("maximum cpu usage per Container is 3, but limit is 7")
    containers[0] = { name: "c0", resources: { limits: { memory: "5Mi" } } }
    expect(fill(podOf(spec)).spec).toEqual(aSpec({ limits: { cpu: "1", memory: "5Mi" } }))
  })

  it("are followed by the same refusal every time", () => {
    const { violation: refusal } = podLimits([containerRange({ max: { cpu: "3" } })])
    const [small, large] = [aSpec({ limits: { cpu: "1" } }), aSpec({ limits: { cpu: "9" } })].map(deepFreeze)
    if (small === undefined || large === undefined) throw new Error("no specs")
    const problem = "maximum cpu usage per Container is 3, but limit is 9"
    expect([small, large, small, large].map(refusal)).toEqual([undefined, problem, undefined, problem])
  })
})

describe("the refusal of a Pod by LimitRanges", () => {
  const ratio = "cpu max limit to request ratio per Container is 2"
  it.each<{ why: string; items: ReadonlyArray<Item>; spec: PodSpec; problem: string | undefined }>([
    {
      why: "a minimum of requests needs no limit",
      items: [{ type: "Container", min: { cpu: "1" } }],
      spec: aSpec({ requests: { cpu: "1" } }),
      problem: undefined
    },
    {
      why: "a limit may equal or exceed the minimum",
      items: [{ type: "Container", min: { cpu: "1" } }],
      spec: aSpec(
        { requests: { cpu: "1" }, limits: { cpu: "1" } },
        { requests: { cpu: "1" }, limits: { cpu: "7" } }
      ),
      problem: undefined
    },
    {
      why: "a request may equal the maximum",
      items: [{ type: "Container", max: { cpu: "3" } }],
      spec: aSpec({ requests: { cpu: "3" }, limits: { cpu: "3" } }),
      problem: undefined
    },
    {
      why: "a request may be below the maximum",
      items: [{ type: "Container", max: { cpu: "3" } }],
      spec: aSpec({ requests: { cpu: "2" }, limits: { cpu: "3" } }),
      problem: undefined
    },
    {
      why: "resources are sorted by name",
      items: [{ type: "Container", min: { cpu: "1", memory: "1Mi" } }],
      spec: aSpec(undefined),
      problem:
        "[minimum cpu usage per Container is 1.  No request is specified, " +
        "minimum memory usage per Container is 1Mi.  No request is specified]"
    },
    {
      why: "a Pod's requests are those of its containers",
      items: [{ type: "Pod", min: { cpu: "5" } }],
      spec: aSpec({ requests: { cpu: "1" } }, { requests: { cpu: "3" } }),
      problem: "minimum cpu usage per Pod is 5, but request is 4"
    },
    {
      why: "a request of 0 has no ratio",
      items: [{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }],
      spec: aSpec({ requests: { cpu: "0" }, limits: { cpu: "1" } }),
      problem: `${ratio}, but no request is specified or request is 0`
    },
    {
      why: "a limit of 0 has no ratio",
      items: [{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }],
      spec: aSpec({ requests: { cpu: "1" }, limits: { cpu: "0" } }),
      problem: `${ratio}, but no limit is specified or limit is 0`
    },
    {
      why: "limits of claims do not apply to Pods",
      items: [
        { type: "PersistentVolumeClaim", min: { cpu: "1" } },
        { type: "Container", min: { cpu: "1" } }
      ],
      spec: aSpec({}),
      problem: "minimum cpu usage per Container is 1.  No request is specified"
    }
  ])("$why", ({ items, spec, problem }) => {
    expect(podLimits([aRange(items)]).violation(spec)).toBe(problem)
  })
})
