import { describe, expect, it } from "vitest"
import { killingProbe } from "../../../../src/kubernetes/pods/containers/probes.ts"
import { isPreStopUntimed } from "../../../../src/kubernetes/pods/containers/containers.ts"

const app = { name: "app", image: "a" }
const [fast, slow] = [
  { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 2 },
  { httpGet: { port: 80 }, periodSeconds: 5, failureThreshold: 4, initialDelaySeconds: 3 }
]
const otherRequest = { tcpSocket: { port: 80 } }

describe("the probe that kills a container which does not answer yet", () => {
  it.each([
    { why: "is none without probes", probes: {}, ends: undefined },
    { why: "is no readiness probe", probes: { readinessProbe: fast }, ends: undefined },
    {
      why: "is its startup probe, at a certain time",
      probes: { startupProbe: slow, livenessProbe: fast },
      ends: ["startupProbe", 18_000, 18_000]
    },
    {
      why: "is a liveness probe without a readiness probe, up to a period later",
      probes: { livenessProbe: slow },
      ends: ["livenessProbe", 18_000, 23_000]
    },
    {
      why: "is a liveness probe with the request of the readiness probe",
      probes: { livenessProbe: fast, readinessProbe: slow },
      ends: ["livenessProbe", 1000, 2000]
    },
    {
      why: "is no liveness probe with another request",
      probes: { livenessProbe: fast, readinessProbe: otherRequest },
      ends: undefined
    },
    {
      why: "is a startup probe, whatever the request of the liveness probe",
      probes: { startupProbe: fast, livenessProbe: fast, readinessProbe: otherRequest },
      ends: ["startupProbe", 1000, 1000]
    }
  ])("$why", ({ probes, ends }) => {
    const probe = killingProbe({ ...app, ...probes })
    expect(probe && [probe.field, probe.earliestEndMillis, probe.latestEndMillis]).toEqual(ends)
  })
})

describe("a preStop hook", () => {
  it.each([
    { why: "that is missing has a known duration", preStop: undefined, isUntimed: false },
    { why: "that sleeps has one", preStop: { sleep: { seconds: 3 } }, isUntimed: false },
    { why: "that runs sleep has one", preStop: { exec: { command: ["sleep", "3"] } }, isUntimed: false },
    { why: "that runs another command has none", preStop: { exec: { command: ["drain"] } }, isUntimed: true },
    { why: "that runs nothing has none", preStop: { exec: {} }, isUntimed: true },
    { why: "that sends a request has none", preStop: { httpGet: { port: 80 } }, isUntimed: true }
  ])("$why", ({ preStop, isUntimed }) => {
    expect(isPreStopUntimed({ ...app, ...(preStop === undefined ? {} : { lifecycle: { preStop } }) })).toBe(
      isUntimed
    )
  })
})
