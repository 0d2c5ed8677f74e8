import { describe, expect, it } from "vitest"
import { backOffMillis, backOffResetMillis } from "../../../../src/kubernetes/pods/containers/backOff.ts"
import { containerPlan } from "../../../../src/kubernetes/pods/containers/containers.ts"
import {
  readyAfterMillis,
  flapReadyMillis,
  readinessFailsMillis,
  runEnd,
  startedAfterMillis,
  flapUnreadyMillis
} from "../../../../src/kubernetes/pods/containers/containerRuns.ts"
import {
  millisSinceStartOrExit,
  storedContainerFacts
} from "../../../../src/kubernetes/pods/containers/storedContainers.ts"
import { probeTiming } from "../../../../src/kubernetes/pods/containers/probes.ts"
import {
  aContainerStatus,
  aRunningState,
  aTerminatedState,
  aWaitingState,
  startMillis
} from "../../../builders.ts"
import { somePodLife } from "../containerFixtures.ts"
import type { ContainerLife } from "../../../../src/kubernetes/pods/podLife.ts"
import type { ContainerStatus } from "../../../../src/kubernetes/meta/objects.ts"

type Probe = NonNullable<Parameters<typeof probeTiming>[0]>

const aPlan = (
  life: Partial<ContainerLife>,
  probes: {
    readonly readinessProbe?: Probe
    readonly livenessProbe?: Probe
    readonly startupProbe?: Probe
  } = {}
) => containerPlan({ name: "app", image: "i", ...probes }, { role: "app", spec: {}, life: somePodLife(life) })

describe("the default timing of a probe", () => {
  it("is every 10 s from the start, for a second, three failures, one success", () => {
    expect(probeTiming({})).toEqual({
      initialDelayMillis: 0,
      periodMillis: 10_000,
      timeoutMillis: 1000,
      successThreshold: 1,
      failureThreshold: 3
    })
    expect(probeTiming(undefined)).toBeUndefined()
  })
})

describe("when a container becomes ready", () => {
  it.each([
    {
      why: "with the application, without probes",
      life: { readyMillis: 700 },
      probes: {},
      ready: 700
    },
    {
      why: "with the first probe after the application answers: at 10, of 0, 5, 10",
      life: { readyMillis: 7_000 },
      probes: { readinessProbe: { periodSeconds: 5 } },
      ready: 10_000
    },
    {
      why: "not before the initial delay",
      life: {},
      probes: { readinessProbe: { initialDelaySeconds: 3, periodSeconds: 5 } },
      ready: 3_000
    },
    {
      why: "with the third success in a row",
      life: { readyMillis: 4_000 },
      probes: { readinessProbe: { initialDelaySeconds: 1, periodSeconds: 2, successThreshold: 3 } },
      ready: 9_000
    },
    {
      why: "the moment the startup probe has succeeded",
      life: { readyMillis: 1_000 },
      probes: { startupProbe: { initialDelaySeconds: 7 }, readinessProbe: { periodSeconds: 30 } },
      ready: 7_000
    },
    {
      why: "not before the initial delay, which the startup probe does not shorten",
      life: { readyMillis: 1_000 },
      probes: { startupProbe: {}, readinessProbe: { initialDelaySeconds: 15 } },
      ready: 15_000
    },
    {
      why: "with the second success in a row after the startup probe",
      life: { readyMillis: 1_000 },
      probes: {
        startupProbe: { periodSeconds: 3 },
        readinessProbe: { periodSeconds: 5, successThreshold: 2 }
      },
      ready: 8_000
    },
    {
      why: "with the startup probe alone",
      life: { readyMillis: 11_000 },
      probes: { startupProbe: {} },
      ready: 20_000
    }
  ])("$ready ms: $why", ({ life, probes, ready }) => {
    expect(readyAfterMillis(aPlan(life, probes))).toBe(ready)
  })

  it("starts at once without a startup probe, else with its first success", () => {
    expect(startedAfterMillis(aPlan({ readyMillis: 9_000 }))).toBe(0)
    expect(startedAfterMillis(aPlan({ readyMillis: 9_000 }, { startupProbe: { periodSeconds: 4 } }))).toBe(
      12_000
    )
  })

  it("loses its readiness by runs of the probe that are in step with its startup probe", () => {
    const probes = { startupProbe: { periodSeconds: 3 }, readinessProbe: { periodSeconds: 10 } }
    const runFault = { run: 0, silentMillis: 14_000 }
    // Runs at 3, 13, 23, 33 and 43 s, of which the last three fail, each after a second.
    expect(readinessFailsMillis(aPlan({ readyMillis: 2_000, runFault }, probes), 0)).toBe(44_000)
    expect(readinessFailsMillis(aPlan({ runFault }, { readinessProbe: {} }), 0)).toBe(41_000)
  })

  it("follows the readiness of a flapping application late, by the threshold of the probe", () => {
    const flap = { readyMillis: 12_000, unreadyMillis: 3_000, times: 2 }
    expect([flapReadyMillis(aPlan({ flap })), flapUnreadyMillis(aPlan({ flap }))]).toEqual([12_000, 3_000])
    const probed = aPlan({ flap }, { readinessProbe: { periodSeconds: 5, failureThreshold: 2 } })
    expect([flapReadyMillis(probed), flapUnreadyMillis(probed)]).toEqual([20_000, 5_000])
  })
})

const httpProbe = (path: string, more: Probe = {}): Probe => ({ httpGet: { path, port: 80 }, ...more })

describe("the end of a run", () => {
  const exit = { afterMillis: 4_000, code: 3, reason: "Error", times: 2 }
  it.each([
    { why: "an application that runs for ever", life: {}, probes: {}, restarts: 0, end: "lasts" },
    { why: "a crash", life: { exit }, probes: {}, restarts: 0, end: "exited 3 at 4000" },
    { why: "the second crash", life: { exit }, probes: {}, restarts: 1, end: "exited 3 at 4000" },
    { why: "no third crash", life: { exit }, probes: {}, restarts: 2, end: "lasts" },
    {
      why: "three failures of the startup probe, at 0, 10, 20",
      life: { readyMillis: 21_000 },
      probes: { startupProbe: {} },
      restarts: 0,
      end: "startupFailed 143 at 20000"
    },
    {
      why: "a startup probe that succeeds at its last attempt",
      life: { readyMillis: 20_000 },
      probes: { startupProbe: {} },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "three failures of the liveness probe, at 20, 30, 40, after a hang at 12",
      life: { hangMillis: 12_000 },
      probes: { livenessProbe: {} },
      restarts: 7,
      end: "livenessFailed 143 at 41000"
    },
    {
      why: "three failures of a liveness probe that waits for 4, at 15, 20, 25, after a hang at 12",
      life: { hangMillis: 12_000 },
      probes: { livenessProbe: { periodSeconds: 5, timeoutSeconds: 4 } },
      restarts: 0,
      end: "livenessFailed 143 at 29000"
    },
    {
      why: "three failures of a liveness probe that outlasts its period, at 15, 22, 29, after a hang at 12",
      life: { hangMillis: 12_000 },
      probes: { livenessProbe: { periodSeconds: 5, timeoutSeconds: 7 } },
      restarts: 0,
      end: "livenessFailed 143 at 36000"
    },
    {
      why: "a startup probe that is refused at 0, 5 and waits in vain at 10, 17, after a hang at 6",
      life: { readyMillis: 30_000, runFault: { run: 0, silentMillis: 6_000 } },
      probes: { startupProbe: { periodSeconds: 5, timeoutSeconds: 7, failureThreshold: 4 } },
      restarts: 0,
      end: "startupFailed 143 at 24000"
    },
    {
      why: "a startup probe that was refused often enough before a hang at 6",
      life: { readyMillis: 30_000, runFault: { run: 0, silentMillis: 6_000 } },
      probes: { startupProbe: { periodSeconds: 5, timeoutSeconds: 7, failureThreshold: 2 } },
      restarts: 0,
      end: "startupFailed 143 at 5000"
    },
    {
      why: "a hang without a liveness probe",
      life: { hangMillis: 12_000 },
      probes: {},
      restarts: 0,
      end: "lasts"
    },
    {
      why: "a liveness probe equal to the readiness probe, which fails at 9, 14, 19",
      life: { readyMillis: 19_001 },
      probes: {
        readinessProbe: httpProbe("/"),
        livenessProbe: httpProbe("/", { initialDelaySeconds: 4, periodSeconds: 5 })
      },
      restarts: 7,
      end: "livenessFailed 143 at 19000"
    },
    {
      why: "a liveness probe equal to the readiness probe, which succeeds at 19",
      life: { readyMillis: 19_000 },
      probes: {
        readinessProbe: httpProbe("/"),
        livenessProbe: httpProbe("/", { initialDelaySeconds: 4, periodSeconds: 5 })
      },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "a liveness probe unlike the readiness probe, which succeeds from the start",
      life: { readyMillis: 90_000 },
      probes: { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/alive") },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "a liveness probe alone, which fails at 10, 20, 30 until the application is ready",
      life: { readyMillis: 30_001 },
      probes: { livenessProbe: httpProbe("/") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "a liveness probe alone, which fails until the application answers, even if the Pod is ready before",
      life: { readyMillis: 0, answersMillis: 30_001 },
      probes: { livenessProbe: httpProbe("/") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "a liveness probe alone, which succeeds at its last attempt",
      life: { readyMillis: 0, answersMillis: 30_000 },
      probes: { livenessProbe: httpProbe("/") },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "a liveness probe that livesOf lets pass after the Pod is ready",
      life: { readyMillis: 0, livesMillis: 30_001 },
      probes: { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/alive") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "a liveness probe after a startup probe",
      life: { readyMillis: 90_000 },
      probes: {
        readinessProbe: httpProbe("/"),
        livenessProbe: httpProbe("/"),
        startupProbe: httpProbe("/", { failureThreshold: 10 })
      },
      restarts: 0,
      end: "lasts"
    },
    {
      why: "a hang before the first answer does not delay the failure",
      life: { readyMillis: 30_001, hangMillis: 12_000 },
      probes: { readinessProbe: httpProbe("/"), livenessProbe: httpProbe("/") },
      restarts: 0,
      end: "livenessFailed 143 at 30000"
    },
    {
      why: "no liveness probe before the startup probe has succeeded",
      life: { hangMillis: 1_000, readyMillis: 15_000 },
      probes: {
        livenessProbe: { periodSeconds: 1, failureThreshold: 1 },
        startupProbe: { periodSeconds: 15 }
      },
      restarts: 0,
      end: "livenessFailed 143 at 16000"
    },
    {
      why: "the earliest end of several",
      life: { exit, hangMillis: 0 },
      probes: { livenessProbe: { periodSeconds: 1 } },
      restarts: 0,
      end: "livenessFailed 143 at 3000"
    }
  ])("$end: $why", ({ life, probes, restarts, end }) => {
    const runEndFound = runEnd(aPlan(life, probes), restarts)
    expect(
      runEndFound === undefined
        ? "lasts"
        : `${runEndFound.because} ${runEndFound.code} at ${runEndFound.afterMillis}`
    ).toBe(end)
  })
})

describe("back-off", () => {
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
  ])("waits before attempt %i for %i s", (failures, seconds) => {
    expect(backOffMillis(failures)).toBe(seconds * 1000)
  })

  it("is reset after ten minutes", () => {
    expect(backOffResetMillis).toBe(600_000)
  })
})

const storedStatus = (status: Partial<ContainerStatus>): ContainerStatus =>
  aContainerStatus({ ready: true, restartCount: 4, ...status })
const ended = aTerminatedState(2, { reason: "Error", to: 8 })

describe("the state of a container in a stored status", () => {
  it.each([
    { status: undefined, doing: "creating", exit: undefined },
    {
      status: storedStatus({ state: aWaitingState("ContainerCreating") }),
      doing: "creating",
      exit: undefined
    },
    {
      status: storedStatus({ state: aWaitingState("ErrImagePull") }),
      doing: "pullFailed",
      exit: undefined
    },
    {
      status: storedStatus({ state: aWaitingState("ImagePullBackOff") }),
      doing: "pullBackOff",
      exit: undefined
    },
    {
      status: storedStatus({
        state: aWaitingState("CrashLoopBackOff"),
        lastState: ended
      }),
      doing: "crashBackOff",
      exit: 2
    },
    {
      status: storedStatus({ state: aRunningState(3) }),
      doing: "running",
      exit: undefined
    },
    {
      status: storedStatus({ state: aRunningState(), lastState: ended }),
      doing: "running",
      exit: 2
    },
    { status: storedStatus({ state: ended }), doing: "terminated", exit: 2 }
  ])("is $doing", ({ status, doing, exit }) => {
    const facts = storedContainerFacts("app", status)
    expect(facts.doing).toBe(doing)
    expect(facts.lastExit?.code).toBe(exit)
    expect(facts.restartCount).toBe(status === undefined ? 0 : 4)
  })

  it.each([
    { why: "since it started", state: aRunningState(3), elapsed: 8_500 },
    { why: "since it terminated", state: ended, elapsed: 3_500 },
    { why: "the status has no time", state: { waiting: {} }, elapsed: 0 },
    { why: "the time is in the future", state: aRunningState(99), elapsed: 0 }
  ])("lasts for $elapsed ms: $why", ({ state, elapsed }) => {
    expect(millisSinceStartOrExit(storedStatus({ state }), startMillis + 11_500)).toBe(elapsed)
  })

  it("lasts since the last termination while it waits", () => {
    const status = storedStatus({ state: { waiting: {} }, lastState: ended })
    expect(millisSinceStartOrExit(status, startMillis + 9_000)).toBe(1_000)
  })
})
