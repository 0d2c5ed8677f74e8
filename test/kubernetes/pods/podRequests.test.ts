import { describe, expect, it } from "vitest"
import { parseMilliValue, podRequestsOf } from "../../../src/kubernetes/pods/podRequests.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"

type Requests = Readonly<Record<string, string>>

const containers = (list: ReadonlyArray<Requests | undefined>) =>
  list.map((requests, index) => ({
    name: `c${index}`,
    image: "i",
    ...(requests === undefined ? {} : { resources: { requests } })
  }))

const specOf = (running: ReadonlyArray<Requests | undefined>, init?: ReadonlyArray<Requests>): PodSpec => ({
  containers: containers(running),
  ...(init === undefined ? {} : { initContainers: containers(init) })
})

/** A spec whose first init container is a sidecar. */
const withSidecar = (running: ReadonlyArray<Requests>, init: ReadonlyArray<Requests>): PodSpec => {
  const { initContainers = [], ...spec } = specOf(running, init)
  const [sidecar, ...others] = initContainers
  if (sidecar === undefined) throw new Error("no sidecar")
  return { ...spec, initContainers: [{ ...sidecar, restartPolicy: "Always" }, ...others] }
}

describe("the requests of a Pod", () => {
  it.each([
    { why: "none", spec: specOf([undefined, {}]), cpu: 0n, memory: 0n },
    {
      why: "the sum of the containers",
      spec: specOf([{ cpu: "250m", memory: "64Mi" }, { cpu: "1.5" }, undefined]),
      cpu: 1750n,
      memory: 67_108_864_000n
    },
    {
      why: "the largest init container, as they run one after another",
      spec: specOf([{ cpu: "100m", memory: "1k" }], [{ cpu: "3" }, { cpu: "2", memory: "5" }]),
      cpu: 3000n,
      memory: 1_000_000n
    },
    {
      why: "each resource by itself",
      spec: specOf([{ cpu: "2" }], [{ memory: "7" }]),
      cpu: 2000n,
      memory: 7_000n
    },
    {
      why: "a sidecar beside later init containers and containers",
      spec: withSidecar([{ cpu: "1" }], [{ cpu: "200m", memory: "7" }, { cpu: "3" }]),
      cpu: 3200n,
      memory: 7_000n
    },
    {
      why: "a sidecar and the containers exceed every init container",
      spec: withSidecar([{ cpu: "3" }], [{ cpu: "500m" }, { cpu: "900m" }]),
      cpu: 3500n,
      memory: 0n
    },
    {
      why: "overhead is added",
      spec: { ...specOf([{ cpu: "1", memory: "1k" }]), overhead: { cpu: "250m", memory: "24" } },
      cpu: 1250n,
      memory: 1_024_000n
    },
    { why: "rounded up to a thousandth", spec: specOf([{ cpu: "1u" }]), cpu: 1n, memory: 0n }
  ])("are cpu $cpu and memory $memory: $why", ({ spec, cpu, memory }) => {
    expect(podRequestsOf(spec)).toEqual({ cpuMillicores: cpu, memoryMillibytes: memory })
  })

  it("are cached for frozen containers, and computed again for others", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    expect(podRequestsOf(shared)).toBe(podRequestsOf({ ...shared, nodeName: "n1" }))
    const mutable = specOf([{ cpu: "1" }])
    podRequestsOf(mutable)
    Object.assign(mutable.containers[0] ?? {}, { resources: { requests: { cpu: "5" } } })
    expect(podRequestsOf(mutable).cpuMillicores).toBe(5000n)
  })

  it("are not shared by Pods with other init containers", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    const greedy = { ...shared, initContainers: containers([{ cpu: "8" }]) }
    expect([shared, greedy, shared].map((it) => podRequestsOf(it).cpuMillicores)).toEqual([
      1000n,
      8000n,
      1000n
    ])
  })

  it("are not shared by Pods with other overhead", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    const withOverhead = { ...shared, overhead: { cpu: "250m" } }
    expect([shared, withOverhead, shared].map((it) => podRequestsOf(it).cpuMillicores)).toEqual([
      1000n,
      1250n,
      1000n
    ])
  })

  it("are the Pod's own amounts where it states them", () => {
    const spec = { ...specOf([{ cpu: "1", memory: "7" }]), resources: { requests: { cpu: "3" } } }
    expect(podRequestsOf(spec)).toEqual({ cpuMillicores: 3000n, memoryMillibytes: 7_000n })
  })

  it.each([
    { text: undefined, amount: 0n },
    { text: "two", amount: 0n },
    { text: "110", amount: 110_000n }
  ])("are $amount thousandths for '$text'", ({ text, amount }) => {
    expect(parseMilliValue(text)).toBe(amount)
  })
})
