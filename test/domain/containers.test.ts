import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { backOffMillis, backOffResetMillis } from "../../src/kubernetes/pods/containers/backOff.ts"
import { containerPlan } from "../../src/kubernetes/pods/containers/containers.ts"
import {
  readyAfterMillis,
  flapReadyMillis,
  runEnd,
  startedAfterMillis,
  flapUnreadyMillis
} from "../../src/kubernetes/pods/containers/containerRuns.ts"
import {
  activityElapsedMillis,
  storedContainerFacts
} from "../../src/kubernetes/pods/containers/storedContainers.ts"
import {
  probeFailsMillis,
  probeTiming,
  probeSucceedsMillis
} from "../../src/kubernetes/pods/containers/probes.ts"
import { aTime, someContainerStatus, startMillis } from "../builders.ts"
import type { ContainerLife, PodLife } from "../../src/kubernetes/pods/podLife.ts"
import type { ContainerStatus } from "../../src/kubernetes/meta/objects.ts"
import type { ProbeTiming } from "../../src/kubernetes/pods/containers/probes.ts"

const someLife: ContainerLife = {
  pullMillis: 0,
  pullFailures: 0,
  pullError: "no",
  startMillis: 0,
  readyMillis: 0,
  exit: undefined,
  flap: undefined,
  hangMillis: undefined
}

type Probe = NonNullable<Parameters<typeof probeTiming>[0]>

const aPlan = (
  life: Partial<ContainerLife>,
  probes: {
    readonly readinessProbe?: Probe
    readonly livenessProbe?: Probe
    readonly startupProbe?: Probe
  } = {}
) =>
  containerPlan(
    { name: "app", image: "i", ...probes },
    { role: "app", spec: {}, life: aPodLife({ ...someLife, ...life }) }
  )

const aPodLife = (otherContainers: ContainerLife): PodLife => ({
  mover: "kubelet",
  scheduleMillis: 0,
  containers: {},
  otherContainers,
  terminateMillis: 700
})

describe("a probe says nothing of its timing: every 10 s from the start, three failures, one success", () => {
  it("by Kubernetes' defaults", () => {
    expect(probeTiming({})).toEqual({
      initialDelayMillis: 0,
      periodMillis: 10_000,
      successThreshold: 1,
      failureThreshold: 3
    })
    expect(probeTiming(undefined)).toBeUndefined()
  })
})

describe("when a container is ready", () => {
  it.each([
    {
      why: "without probes when the application answers",
      life: { readyMillis: 700 },
      probes: {},
      ready: 700
    },
    {
      why: "the probe asks at 0, 5, 10: an application that answers at 7 is found at 10",
      life: { readyMillis: 7_000 },
      probes: { readinessProbe: { periodSeconds: 5 } },
      ready: 10_000
    },
    {
      why: "one that answers at once is not asked before the delay",
      life: {},
      probes: { readinessProbe: { initialDelaySeconds: 3, periodSeconds: 5 } },
      ready: 3_000
    },
    {
      why: "three answers in a row are wanted",
      life: { readyMillis: 4_000 },
      probes: { readinessProbe: { initialDelaySeconds: 1, periodSeconds: 2, successThreshold: 3 } },
      ready: 9_000
    },
    {
      why: "readiness is not asked before the startup probe has succeeded",
      life: { readyMillis: 1_000 },
      probes: { startupProbe: { initialDelaySeconds: 7 }, readinessProbe: { periodSeconds: 2 } },
      ready: 8_000
    },
    {
      why: "a startup probe alone",
      life: { readyMillis: 11_000 },
      probes: { startupProbe: {} },
      ready: 20_000
    }
  ])("$ready ms: $why", ({ life, probes, ready }) => {
    expect(readyAfterMillis(aPlan(life, probes))).toBe(ready)
  })

  it("has started at once without a startup probe, else with its first success", () => {
    expect(startedAfterMillis(aPlan({ readyMillis: 9_000 }))).toBe(0)
    expect(startedAfterMillis(aPlan({ readyMillis: 9_000 }, { startupProbe: { periodSeconds: 4 } }))).toBe(
      12_000
    )
  })

  it("readiness that comes and goes is seen by the probe, late and only by its threshold", () => {
    const flap = { readyMillis: 12_000, unreadyMillis: 3_000, times: 2 }
    expect([flapReadyMillis(aPlan({ flap })), flapUnreadyMillis(aPlan({ flap }))]).toEqual([12_000, 3_000])
    const probed = aPlan({ flap }, { readinessProbe: { periodSeconds: 5, failureThreshold: 2 } })
    expect([flapReadyMillis(probed), flapUnreadyMillis(probed)]).toEqual([20_000, 5_000])
  })
})

const asks = (path: string, more: Probe = {}): Probe => ({ httpGet: { path, port: 80 }, ...more })

describe("how a run ends", () => {
  const exit = { afterMillis: 4_000, code: 3, reason: "Error", times: 2 }
  it.each([
    { why: "nothing ends it", life: {}, probes: {}, restarts: 0, end: "lasts" },
    { why: "a crash", life: { exit }, probes: {}, restarts: 0, end: "exited 3 at 4000" },
    { why: "the second crash", life: { exit }, probes: {}, restarts: 1, end: "exited 3 at 4000" },
    { why: "two crashes and no more", life: { exit }, probes: {}, restarts: 2, end: "lasts" },
    {
      why: "an application that never starts in time is killed: 3 failures at 0, 10, 20",
      life: { readyMillis: 21_000 },
      probes: { startupProbe: {} },
      restarts: 0,
      end: "startupFailed 143 at 20000"
    },
    {
      why: "one that answers at the last probe is not",
      life: { readyMillis: 20_000 },
      probes: { startupProbe: {} },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "one that hangs at 12 fails at 20, 30, 40",
      life: { hangMillis: 12_000 },
      probes: { livenessProbe: {} },
      restarts: 7,
      end: "livenessFailed 143 at 40000"
    },
    { why: "nobody asks", life: { hangMillis: 12_000 }, probes: {}, restarts: 0, end: "lasts" },
    {
      why: "liveness that asks for what readiness asks for is not answered before either: 3 failures by 9, 14, 19",
      life: { readyMillis: 19_001 },
      probes: {
        readinessProbe: asks("/"),
        livenessProbe: asks("/", { initialDelaySeconds: 4, periodSeconds: 5 })
      },
      restarts: 7,
      end: "livenessFailed 143 at 19000"
    },
    {
      why: "one that answers by then is not, though it might be: that is another thing with each start",
      life: { readyMillis: 19_000 },
      probes: {
        readinessProbe: asks("/"),
        livenessProbe: asks("/", { initialDelaySeconds: 4, periodSeconds: 5 })
      },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "liveness that asks for something of its own is answered from the start, as far as anybody knows",
      life: { readyMillis: 90_000 },
      probes: { readinessProbe: asks("/"), livenessProbe: asks("/alive") },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "liveness that alone asks for anything is answered when the application is: 3 failures by 10, 20, 30",
      life: { readyMillis: 30_001 },
      probes: { livenessProbe: asks("/") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "that its Pod counts as ready before answers nothing",
      life: { readyMillis: 0, answersMillis: 30_001 },
      probes: { livenessProbe: asks("/") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "and one that answers by then is left alone",
      life: { readyMillis: 0, answersMillis: 30_000 },
      probes: { livenessProbe: asks("/") },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "a startup probe holds it back",
      life: { readyMillis: 90_000 },
      probes: {
        readinessProbe: asks("/"),
        livenessProbe: asks("/"),
        startupProbe: asks("/", { failureThreshold: 10 })
      },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "what hangs before it has ever answered fails no later for that",
      life: { readyMillis: 30_001, hangMillis: 12_000 },
      probes: { readinessProbe: asks("/"), livenessProbe: asks("/") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "liveness is not asked before it has started",
      life: { hangMillis: 1_000, readyMillis: 15_000 },
      probes: {
        livenessProbe: { periodSeconds: 1, failureThreshold: 1 },
        startupProbe: { periodSeconds: 15 }
      },
      restarts: 0,
      end: "livenessFailed 143 at 15000"
    },
    {
      why: "whatever comes first",
      life: { exit, hangMillis: 0 },
      probes: { livenessProbe: { periodSeconds: 1 } },
      restarts: 0,
      end: "livenessFailed 143 at 2000"
    }
  ])("$end: $why", ({ life, probes, restarts, end }) => {
    const found = runEnd(aPlan(life, probes), restarts)
    expect(found === undefined ? "lasts" : `${found.because} ${found.code} at ${found.afterMillis}`).toBe(end)
  })
})

describe("back-off doubles from 10 s to 300 s", () => {
  it.each([
    [0, 10],
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 80],
    [5, 160],
    [6, 300],
    [7, 300],
    [2_000, 300]
  ])("before attempt %i: %i s", (failures, seconds) => {
    expect(backOffMillis(failures)).toBe(seconds * 1000)
  })

  it("is forgiven by ten minutes", () => {
    expect(backOffResetMillis).toBe(600_000)
  })
})

const said = (status: Partial<ContainerStatus>): ContainerStatus => ({ ...someContainerStatus(4), ...status })
const ended = { exitCode: 2, reason: "Error", finishedAt: aTime(8) }

describe("a stored status says where a container is", () => {
  it.each([
    { status: undefined, doing: "creating", exit: undefined },
    {
      status: said({ state: { waiting: { reason: "ContainerCreating" } } }),
      doing: "creating",
      exit: undefined
    },
    {
      status: said({ state: { waiting: { reason: "ErrImagePull" } } }),
      doing: "pullFailed",
      exit: undefined
    },
    {
      status: said({ state: { waiting: { reason: "ImagePullBackOff" } } }),
      doing: "pullBackOff",
      exit: undefined
    },
    {
      status: said({ state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: ended } }),
      doing: "crashBackOff",
      exit: 2
    },
    { status: said({ state: { running: { startedAt: aTime(3) } } }), doing: "running", exit: undefined },
    {
      status: said({ state: { running: {} }, lastState: { terminated: ended } }),
      doing: "running",
      exit: 2
    },
    { status: said({ state: { terminated: ended } }), doing: "terminated", exit: 2 }
  ])("$doing", ({ status, doing, exit }) => {
    const facts = storedContainerFacts("app", status)
    expect(facts.doing).toBe(doing)
    expect(facts.lastExit?.code).toBe(exit)
    expect(facts.restartCount).toBe(status === undefined ? 0 : 4)
  })

  it.each([
    { why: "since it runs", state: { running: { startedAt: aTime(3) } }, elapsed: 8_500 },
    { why: "since it ended", state: { terminated: ended }, elapsed: 3_500 },
    { why: "nobody knows", state: { waiting: {} }, elapsed: 0 },
    { why: "not in the future", state: { running: { startedAt: aTime(99) } }, elapsed: 0 }
  ])("has been at it for $elapsed ms: $why", ({ state, elapsed }) => {
    expect(activityElapsedMillis(said({ state }), startMillis + 11_500)).toBe(elapsed)
  })

  it("waiting since it ended counts from the end", () => {
    const status = said({ state: { waiting: {} }, lastState: { terminated: ended } })
    expect(activityElapsedMillis(status, startMillis + 9_000)).toBe(1_000)
  })
})

const seed = 20_260_509

/** The slow prober: asks again and again, and counts like answers in a row. */
const turnsAt = (timing: ProbeTiming, changesMillis: number, threshold: number): number => {
  let inARow = 0
  for (let at = timing.initialDelayMillis; ; at += timing.periodMillis) {
    inARow = at >= changesMillis ? inARow + 1 : 0
    if (inARow >= threshold) return at
  }
}

describe(`laws of probes (seed ${seed})`, () => {
  const timings = fc.record({
    initialDelayMillis: fc.integer({ min: 0, max: 20 }).map((it) => it * 1000),
    periodMillis: fc.integer({ min: 1, max: 13 }).map((it) => it * 1000),
    successThreshold: fc.integer({ min: 1, max: 4 }),
    failureThreshold: fc.integer({ min: 1, max: 5 })
  })
  it("a result turns when the slow prober says so", () => {
    fc.assert(
      fc.property(timings, fc.nat(90_000), (timing, changes) => {
        expect(probeSucceedsMillis(timing, changes)).toBe(turnsAt(timing, changes, timing.successThreshold))
        expect(probeFailsMillis(timing, changes)).toBe(turnsAt(timing, changes, timing.failureThreshold))
      }),
      { seed, numRuns: 1_000 }
    )
  })
})
