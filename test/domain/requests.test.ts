import { describe, expect, it } from "vitest"
import { parseQuantityMillis, podRequestsOf } from "../../src/kubernetes/pods/podRequests.ts"
import type { PodSpec } from "../../src/kubernetes/meta/objects.ts"

type Asked = Readonly<Record<string, string>>

const containers = (asked: ReadonlyArray<Asked | undefined>) =>
  asked.map((requests, index) => ({
    name: `c${index}`,
    image: "i",
    ...(requests === undefined ? {} : { resources: { requests } })
  }))

const specOf = (running: ReadonlyArray<Asked | undefined>, init?: ReadonlyArray<Asked>): PodSpec => ({
  containers: containers(running),
  ...(init === undefined ? {} : { initContainers: containers(init) })
})

/** The first of the init containers goes on running. */
const withSidecar = (running: ReadonlyArray<Asked>, init: ReadonlyArray<Asked>): PodSpec => {
  const { initContainers = [], ...spec } = specOf(running, init)
  const [sidecar, ...others] = initContainers
  if (sidecar === undefined) throw new Error("no sidecar")
  return { ...spec, initContainers: [{ ...sidecar, restartPolicy: "Always" }, ...others] }
}

describe("what a Pod asks of its node", () => {
  it.each([
    { why: "nothing", spec: specOf([undefined, {}]), cpu: 0n, memory: 0n },
    {
      why: "the sum of its containers",
      spec: specOf([{ cpu: "250m", memory: "64Mi" }, { cpu: "1.5" }, undefined]),
      cpu: 1750n,
      memory: 67_108_864_000n
    },
    {
      why: "init containers run one after another: the greediest alone counts",
      spec: specOf([{ cpu: "100m", memory: "1k" }], [{ cpu: "3" }, { cpu: "2", memory: "5" }]),
      cpu: 3000n,
      memory: 1_000_000n
    },
    {
      why: "each resource for itself",
      spec: specOf([{ cpu: "2" }], [{ memory: "7" }]),
      cpu: 2000n,
      memory: 7_000n
    },
    {
      why: "a sidecar runs beside what comes after it, and beside the containers",
      spec: withSidecar([{ cpu: "1" }], [{ cpu: "200m", memory: "7" }, { cpu: "3" }]),
      cpu: 3200n,
      memory: 7_000n
    },
    {
      why: "the sidecar and the containers together are more than any start",
      spec: withSidecar([{ cpu: "3" }], [{ cpu: "500m" }, { cpu: "900m" }]),
      cpu: 3500n,
      memory: 0n
    },
    {
      why: "what running it costs comes on top",
      spec: { ...specOf([{ cpu: "1", memory: "1k" }]), overhead: { cpu: "250m", memory: "24" } },
      cpu: 1250n,
      memory: 1_024_000n
    },
    { why: "less than a thousandth is a thousandth", spec: specOf([{ cpu: "1u" }]), cpu: 1n, memory: 0n }
  ])("cpu $cpu, memory $memory: $why", ({ spec, cpu, memory }) => {
    expect(podRequestsOf(spec)).toEqual({ cpuMillis: cpu, memoryMillis: memory })
  })

  it("Pods that share frozen containers share the sum; loose ones are read each time", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    expect(podRequestsOf(shared)).toBe(podRequestsOf({ ...shared, nodeName: "n1" }))
    const loose = specOf([{ cpu: "1" }])
    podRequestsOf(loose)
    Object.assign(loose.containers[0] ?? {}, { resources: { requests: { cpu: "5" } } })
    expect(podRequestsOf(loose).cpuMillis).toBe(5000n)
  })

  it("Pods that share frozen containers and start otherwise do not share the sum", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    const greedy = { ...shared, initContainers: containers([{ cpu: "8" }]) }
    expect([shared, greedy, shared].map((it) => podRequestsOf(it).cpuMillis)).toEqual([1000n, 8000n, 1000n])
  })

  it("nor do those that share them and cost otherwise to run", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    const dear = { ...shared, overhead: { cpu: "250m" } }
    expect([shared, dear, shared].map((it) => podRequestsOf(it).cpuMillis)).toEqual([1000n, 1250n, 1000n])
  })

  it.each([
    { text: undefined, amount: 0n },
    { text: "two", amount: 0n },
    { text: "110", amount: 110_000n }
  ])("an amount of '$text' is $amount thousandths", ({ text, amount }) => {
    expect(parseQuantityMillis(text)).toBe(amount)
  })
})
