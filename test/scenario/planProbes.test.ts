import { describe, expect, it } from "vitest"
import { planNext } from "./planWorlds.ts"

const asks = (path: string, more: object = {}) => ({ httpGet: { path, port: 80 }, periodSeconds: 5, ...more })
const advised = async (container: object, assume = "ready=40s"): Promise<ReadonlyArray<string>> => {
  const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
  const { advice } = await planNext({ replicas: 2, spec, container }, { assume })
  return advice.filter((sentence) => /^(?:liveness|startup)Probe/.test(sentence))
}

describe("a probe that ends a container before it has ever answered", () => {
  it("is told of with the sum and what to change, where it asks for what the readiness probe asks for", async () => {
    const probes = { readinessProbe: asks("/"), livenessProbe: asks("/", { initialDelaySeconds: 2 }) }
    expect(await advised(probes)).toEqual([
      'livenessProbe of container "app" has failed 3 times 12s after the start (initialDelaySeconds: 2, and 2 times ' +
        "periodSeconds: 5), and it takes up to 40s to answer: a kubelet ends it before that, again and again. " +
        "Say a startupProbe that asks for the same, with periodSeconds: 5 and failureThreshold: 13: " +
        "half as much again"
    ])
    const startupProbe = asks("/", { failureThreshold: 13 })
    expect(await advised({ ...probes, startupProbe })).toEqual([])
  })

  it("is told of where it may do so, as its runs are not in step with the start", async () => {
    const probes = { readinessProbe: asks("/"), livenessProbe: asks("/", { failureThreshold: 4 }) }
    const [advice] = await advised(probes, "ready=18s")
    expect(advice).toMatch(
      /^livenessProbe .* failed 4 times 15s after .* up to 18s .* a kubelet may end it before that\./
    )
    expect((await advised(probes, "ready=20100ms"))[0]).toContain("ends it before that, again and again")
  })

  it("is told of where it is the only one: nothing is known to answer sooner", async () => {
    const [advice] = await advised({ livenessProbe: asks("/") })
    expect(advice).toMatch(
      /^livenessProbe .* failed 3 times 10s after .* up to 40s .* ends it before that, again and again\. Say a startupProbe/
    )
    expect(await advised({ livenessProbe: asks("/") }, "ready=10s")).toEqual([])
  })

  it("is told of where it is the startup probe, whatever that asks for", async () => {
    const [advice] = await advised({ startupProbe: asks("/up"), readinessProbe: asks("/") })
    expect(advice).toMatch(
      /^startupProbe .* failed 3 times 10s after .* up to 40s .* Say failureThreshold: 13/
    )
  })

  const patient: ReadonlyArray<{
    readonly why: string
    readonly container: object
    readonly assume?: string
  }> = [
    {
      why: "it asks for something of its own",
      container: { readinessProbe: asks("/"), livenessProbe: asks("/alive") }
    },
    {
      why: "it waits long enough",
      container: { readinessProbe: asks("/"), livenessProbe: asks("/", { initialDelaySeconds: 30 }) }
    },
    {
      why: "the container answers when it is asked for the last time",
      container: { readinessProbe: asks("/"), livenessProbe: asks("/") },
      assume: "ready=10s"
    }
  ]
  it.for(patient)("is not told of where $why", async ({ container, assume }) => {
    expect(await advised(container, assume)).toEqual([])
  })
})
