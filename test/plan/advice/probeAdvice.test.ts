import { describe, expect, it } from "vitest"
import { adviceTexts, planNext } from "../planManifests.ts"

const httpProbe = (path: string, more: object = {}) => ({
  httpGet: { path, port: 80 },
  periodSeconds: 5,
  ...more
})
const probeAdvice = async (container: object, assume = "ready=40s"): Promise<ReadonlyArray<string>> => {
  const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
  const planned = await planNext({ replicas: 2, spec, container }, { assume })
  return adviceTexts(planned).filter((sentence) => /^(?:liveness|startup)Probe/.test(sentence))
}

describe("advice on a probe that kills a container before it answers", () => {
  it("has the sum and the fix when the liveness probe equals the readiness probe", async () => {
    const probes = {
      readinessProbe: httpProbe("/"),
      livenessProbe: httpProbe("/", { initialDelaySeconds: 2 })
    }
    expect(await probeAdvice(probes)).toEqual([
      'livenessProbe of container "app" has failed 3 times 12s after the start (initialDelaySeconds: 2, and 2 × ' +
        "periodSeconds: 5), and it takes up to 40s to answer: a kubelet ends it before that, again and again. " +
        "Say a startupProbe that asks for the same, with periodSeconds: 5 and failureThreshold: 13 " +
        "(1.5 times the slowest answer)"
    ])
    const startupProbe = httpProbe("/", { failureThreshold: 13 })
    expect(await probeAdvice({ ...probes, startupProbe })).toEqual([])
  })

  it("keeps the time that the liveness probe waits for an answer and for the end", async () => {
    const patience = { timeoutSeconds: 5, terminationGracePeriodSeconds: 7 }
    const probes = { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/", patience) }
    const planned = await planNext({ replicas: 2, container: probes }, { assume: "ready=40s" })
    const advice = planned.advice.find(({ text }) => text.startsWith("livenessProbe"))
    expect(advice?.text).toContain(
      "Say a startupProbe that asks for the same, with periodSeconds: 5, timeoutSeconds: 5, " +
        "terminationGracePeriodSeconds: 7 and failureThreshold: 13 (1.5 times the slowest answer)"
    )
    expect(advice?.patch).toContain("timeoutSeconds: 5")
  })

  it("is given when the probe may kill, depending on its phase", async () => {
    const probes = { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/", { failureThreshold: 4 }) }
    const [advice] = await probeAdvice(probes, "ready=18s")
    expect(advice).toMatch(
      /^livenessProbe .* failed 4 times 15s after .* up to 18s .* a kubelet may end it before that$/
    )
    expect((await probeAdvice(probes, "ready=20100ms"))[0]).toContain("ends it before that, again and again")
  })

  it("counts the only failure of a probe with words", async () => {
    const [advice] = await probeAdvice({ livenessProbe: httpProbe("/", { failureThreshold: 1 }) })
    expect(advice).toMatch(/^livenessProbe .* failed once 0s after the start/)
  })

  it("is given when the liveness probe is the only probe", async () => {
    const [advice] = await probeAdvice({ livenessProbe: httpProbe("/") })
    expect(advice).toMatch(
      /^livenessProbe .* failed 3 times 10s after .* up to 40s .* ends it before that, again and again$/
    )
    expect(await probeAdvice({ livenessProbe: httpProbe("/") }, "ready=10s")).toEqual([])
  })

  it("is given when the liveness probe asks for another path", async () => {
    const probes = { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/alive") }
    expect((await probeAdvice(probes))[0]).toContain("ends it before that, again and again")
  })

  it("is given for a startup probe", async () => {
    const [advice] = await probeAdvice({ startupProbe: httpProbe("/up"), readinessProbe: httpProbe("/") })
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
      why: "the liveness probe waits long enough",
      container: {
        readinessProbe: httpProbe("/"),
        livenessProbe: httpProbe("/", { initialDelaySeconds: 30 })
      }
    },
    {
      why: "the container answers the last probe in time",
      container: { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/") },
      assume: "ready=10s"
    }
  ]
  it.for(patient)("is not given when $why", async ({ container, assume }) => {
    expect(await probeAdvice(container, assume)).toEqual([])
  })
})
