import { describe, expect, it } from "vitest"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { podLimits } from "../../../src/kubernetes/core/limitRanges.ts"
import { aPod } from "../../builders.ts"
import type { LimitRange } from "../../../src/kubernetes/core/limitRanges.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"

type Item = LimitRange["spec"]["limits"][number]

const aRange = (limits: ReadonlyArray<Item>, name = "sizes"): LimitRange => ({
  ...aPod({ name }),
  kind: "LimitRange",
  spec: { limits: [...limits] }
})

const ofContainers = (item: Omit<Item, "type">, name = "sizes"): LimitRange =>
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

const note = "kubernetes.io/limit-ranger"

describe("what a Pod gets of LimitRanges", () => {
  it.each<{ why: string; ranges: ReadonlyArray<LimitRange>; spec: PodSpec; gets: object; told: string }>([
    {
      why: "limits alone where there are no others",
      ranges: [ofContainers({ default: { memory: "2Mi", cpu: "2" } })],
      spec: aSpec(undefined),
      gets: aSpec({ limits: { memory: "2Mi", cpu: "2" } }),
      told: "cpu, memory limit for container c0"
    },
    {
      why: "requests alone where there are no others",
      ranges: [ofContainers({ defaultRequest: { cpu: "1" } })],
      spec: aSpec(undefined),
      gets: aSpec({ requests: { cpu: "1" } }),
      told: "cpu request for container c0"
    },
    {
      why: "something for the container that lacks it, and nothing for the other",
      ranges: [ofContainers({ default: { cpu: "2" } })],
      spec: aSpec({ limits: { cpu: "3" } }, {}),
      gets: aSpec({ limits: { cpu: "3" } }, { limits: { cpu: "2" } }),
      told: "cpu limit for container c1"
    },
    {
      why: "the same for what runs before",
      ranges: [ofContainers({ default: { cpu: "2" } })],
      spec: { ...aSpec({ limits: { cpu: "3" } }), initContainers: [{ name: "i" }] },
      gets: {
        ...aSpec({ limits: { cpu: "3" } }),
        initContainers: [{ name: "i", resources: { limits: { cpu: "2" } } }]
      },
      told: "cpu limit for init container i"
    },
    {
      why: "what the first says in the order of their names",
      ranges: [
        ofContainers({ default: { cpu: "1" } }, "a"),
        ofContainers({ default: { cpu: "2" } }, "b"),
        ofContainers({ default: { cpu: "3" } }, "c")
      ],
      spec: aSpec({}),
      gets: aSpec({ limits: { cpu: "1" } }),
      told: "cpu limit for container c0"
    },
    {
      why: "nothing of what a claim gets",
      ranges: [
        aRange([
          { type: "PersistentVolumeClaim", default: { storage: "7Gi" }, defaultRequest: { storage: "1Gi" } },
          { type: "Container", default: { cpu: "1" } }
        ])
      ],
      spec: aSpec({}),
      gets: aSpec({ limits: { cpu: "1" } }),
      told: "cpu limit for container c0"
    }
  ])("is $why", ({ ranges, spec, gets, told }) => {
    const filled = podLimits(ranges).fillDefaults(podOf(spec))
    expect(filled.spec).toStrictEqual(gets)
    expect(filled.metadata.annotations).toEqual({ [note]: `LimitRanger plugin set: ${told}` })
  })

  it("is nothing where it has no spec to fill", () => {
    const pod = podOf()
    expect(podLimits([ofContainers({ default: { cpu: "1" } })]).fillDefaults(pod)).toBe(pod)
  })

  it("is asked again of a spec that may have changed", () => {
    const { fillDefaults: fill, violation: refusal } = podLimits([
      ofContainers({ default: { cpu: "1" }, max: { cpu: "3" } })
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

  it("is refused every time", () => {
    const { violation: refusal } = podLimits([ofContainers({ max: { cpu: "3" } })])
    const [small, large] = [aSpec({ limits: { cpu: "1" } }), aSpec({ limits: { cpu: "9" } })].map(deepFreeze)
    if (small === undefined || large === undefined) throw new Error("no specs")
    const says = "maximum cpu usage per Container is 3, but limit is 9"
    expect([small, large, small, large].map(refusal)).toEqual([undefined, says, undefined, says])
  })
})

describe("where a Pod is refused and where it is not", () => {
  const ratio = "cpu max limit to request ratio per Container is 2"
  it.each<{ why: string; items: ReadonlyArray<Item>; spec: PodSpec; says: string | undefined }>([
    {
      why: "a least request does not ask for a limit",
      items: [{ type: "Container", min: { cpu: "1" } }],
      spec: aSpec({ requests: { cpu: "1" } }),
      says: undefined
    },
    {
      why: "a limit may be the least amount, and more",
      items: [{ type: "Container", min: { cpu: "1" } }],
      spec: aSpec(
        { requests: { cpu: "1" }, limits: { cpu: "1" } },
        { requests: { cpu: "1" }, limits: { cpu: "7" } }
      ),
      says: undefined
    },
    {
      why: "a request may be the greatest amount",
      items: [{ type: "Container", max: { cpu: "3" } }],
      spec: aSpec({ requests: { cpu: "3" }, limits: { cpu: "3" } }),
      says: undefined
    },
    {
      why: "a request below the greatest amount is fine",
      items: [{ type: "Container", max: { cpu: "3" } }],
      spec: aSpec({ requests: { cpu: "2" }, limits: { cpu: "3" } }),
      says: undefined
    },
    {
      why: "resources come in the order of their names",
      items: [{ type: "Container", min: { cpu: "1", memory: "1Mi" } }],
      spec: aSpec(undefined),
      says:
        "[minimum cpu usage per Container is 1.  No request is specified, " +
        "minimum memory usage per Container is 1Mi.  No request is specified]"
    },
    {
      why: "a Pod asks for what its containers ask for",
      items: [{ type: "Pod", min: { cpu: "5" } }],
      spec: aSpec({ requests: { cpu: "1" } }, { requests: { cpu: "3" } }),
      says: "minimum cpu usage per Pod is 5, but request is 4"
    },
    {
      why: "a request of nothing has no ratio",
      items: [{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }],
      spec: aSpec({ requests: { cpu: "0" }, limits: { cpu: "1" } }),
      says: `${ratio}, but no request is specified or request is 0`
    },
    {
      why: "neither has a limit of nothing",
      items: [{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }],
      spec: aSpec({ requests: { cpu: "1" }, limits: { cpu: "0" } }),
      says: `${ratio}, but no limit is specified or limit is 0`
    },
    {
      why: "what is said of claims says nothing of Pods",
      items: [
        { type: "PersistentVolumeClaim", min: { cpu: "1" } },
        { type: "Container", min: { cpu: "1" } }
      ],
      spec: aSpec({}),
      says: "minimum cpu usage per Container is 1.  No request is specified"
    }
  ])("$why", ({ items, spec, says }) => {
    expect(podLimits([aRange(items)]).violation(spec)).toBe(says)
  })
})
