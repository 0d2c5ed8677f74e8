import { describe, expect, it } from "vitest"
import { millis, requestsOf } from "../../src/domain/requests.ts"
import type { PodSpec } from "../../src/domain/objects.ts"

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
    { why: "less than a thousandth is a thousandth", spec: specOf([{ cpu: "1u" }]), cpu: 1n, memory: 0n }
  ])("cpu $cpu, memory $memory: $why", ({ spec, cpu, memory }) => {
    expect(requestsOf(spec)).toEqual({ cpuMillis: cpu, memoryMillis: memory })
  })

  it("Pods that share frozen containers share the sum; loose ones are read each time", () => {
    const spec = specOf([{ cpu: "1" }])
    const shared = { ...spec, containers: Object.freeze(spec.containers) as PodSpec["containers"] }
    expect(requestsOf(shared)).toBe(requestsOf({ ...shared, nodeName: "n1" }))
    const loose = specOf([{ cpu: "1" }])
    requestsOf(loose)
    Object.assign(loose.containers[0] ?? {}, { resources: { requests: { cpu: "5" } } })
    expect(requestsOf(loose).cpuMillis).toBe(5000n)
  })

  it.each([
    { text: undefined, amount: 0n },
    { text: "two", amount: 0n },
    { text: "110", amount: 110_000n }
  ])("an amount of '$text' is $amount thousandths", ({ text, amount }) => {
    expect(millis(text)).toBe(amount)
  })
})
