import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  hungProbeFailsMillis,
  killingProbe,
  probeFailsMillis,
  probeSucceedsMillis
} from "../../../../src/kubernetes/pods/containers/probes.ts"
import { isPreStopUntimed } from "../../../../src/kubernetes/pods/containers/containers.ts"
import type { ProbeTiming } from "../../../../src/kubernetes/pods/containers/probes.ts"

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
    expect(probe && [probe.field, probe.earliestKillMillis, probe.latestKillMillis]).toEqual(ends)
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

const seed = 20_260_509

/** The slow model of a probe: probes one by one, and counts equal results in a row. */
const changesAt = (timing: ProbeTiming, changesMillis: number, threshold: number): number => {
  let consecutive = 0
  for (let at = timing.initialDelayMillis; ; at += timing.periodMillis) {
    consecutive = at >= changesMillis ? consecutive + 1 : 0
    if (consecutive >= threshold) return at
  }
}

/** The slow model of a worker and its ticker, which keeps one tick and drops those that follow while a probe runs. */
const timesOutAt = (timing: ProbeTiming, hangsMillis: number, isAnswered: boolean): number => {
  const { initialDelayMillis, periodMillis, timeoutMillis, failureThreshold } = timing
  let [failures, millis, tick] = [0, initialDelayMillis, initialDelayMillis]
  for (;;) {
    const isHung = millis >= hangsMillis
    if (isHung) millis += timeoutMillis
    failures = isHung || !isAnswered ? failures + 1 : 0
    if (failures >= failureThreshold) return millis
    const isTickKept = tick + periodMillis <= millis
    if (isTickKept) while (tick + periodMillis <= millis) tick += periodMillis
    else millis = tick += periodMillis
  }
}

describe(`laws of probes (seed ${seed})`, () => {
  const timings = fc.record({
    initialDelayMillis: fc.integer({ min: 0, max: 20 }).map((it) => it * 1000),
    periodMillis: fc.integer({ min: 1, max: 13 }).map((it) => it * 1000),
    timeoutMillis: fc.integer({ min: 1, max: 30 }).map((it) => it * 1000),
    successThreshold: fc.integer({ min: 1, max: 4 }),
    failureThreshold: fc.integer({ min: 1, max: 5 })
  })
  it("change their result when the slow model does", () => {
    fc.assert(
      fc.property(timings, fc.nat(90_000), (timing, changes) => {
        expect(probeSucceedsMillis(timing, changes)).toBe(changesAt(timing, changes, timing.successThreshold))
        expect(probeFailsMillis(timing, changes)).toBe(changesAt(timing, changes, timing.failureThreshold))
      }),
      { seed, numRuns: 1_000 }
    )
  })

  it("time out when the slow model does", () => {
    fc.assert(
      fc.property(timings, fc.nat(90_000), fc.boolean(), (timing, hangs, isAnswered) => {
        expect(hungProbeFailsMillis(timing, hangs, { isAnswered })).toBe(
          timesOutAt(timing, hangs, isAnswered)
        )
      }),
      { seed, numRuns: 1_000 }
    )
  })
})
