import { describe, expect, it } from "vitest"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { podStatus } from "../../../src/kubernetes/pods/podStatus.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import { anInit, aSidecar, someFacts, withCode } from "./containerFixtures.ts"
import type { PodEnding } from "../../../src/kubernetes/pods/podLife.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { Pod, PodCondition, PodStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

const aPendingPod = (options: PodOptions = {}, conditions?: ReadonlyArray<PodCondition>): Pod => ({
  ...aPod(options),
  status: { phase: "Pending", ...(conditions === undefined ? {} : { conditions }) }
})

const statusOf = (
  pod: Pod,
  containers: ReadonlyArray<ContainerFacts>,
  {
    ending,
    seconds = 1,
    hostIP = "192.168.0.1"
  }: { ending?: PodEnding; seconds?: number; hostIP?: string } = {}
): PodStatus =>
  podStatus({
    pod,
    containers,
    ending,
    addresses: { podIP: "10.0.0.7", hostIP },
    nowMillis: startMillis + seconds * 1000
  })

const ready = someFacts("running", { ready: true })
const succeeded = someFacts("terminated", withCode(0))
const failed = someFacts("terminated", withCode(3))
const initDone = anInit("terminated", withCode(0))
const queued = someFacts("queued")

/** `False PodFailed: message`, without what is missing. */
const conditionText = (status: PodStatus, type: string): string => {
  const condition = conditionOf(status.conditions, type)
  const why = [condition?.reason, condition?.message].filter((it) => it !== undefined).join(": ")
  return `${condition?.status} ${why}`.trim()
}

const neverRestarting = aPendingPod({ spec: { restartPolicy: "Never" } })

describe("the status of a Pod at its end", () => {
  it.each<{
    readonly why: string
    readonly containers: ReadonlyArray<ContainerFacts>
    readonly ending?: PodEnding
    readonly ready: string
    readonly initialized: string
    readonly hasSandbox: string
    readonly reason: string | undefined
  }>([
    {
      why: "has no reason before an overdue Pod has stopped",
      containers: [ready],
      ending: "overdue",
      ready: "False PodFailed",
      initialized: "True",
      hasSandbox: "True",
      reason: undefined
    },
    {
      why: "has the reason DeadlineExceeded when an overdue Pod has stopped",
      containers: [succeeded],
      ending: "overdue",
      ready: "False PodFailed",
      initialized: "True",
      hasSandbox: "False",
      reason: "DeadlineExceeded"
    },
    {
      why: "is PodFailed after a failure",
      containers: [failed],
      ready: "False PodFailed",
      initialized: "True",
      hasSandbox: "False",
      reason: undefined
    },
    {
      why: "is PodCompleted after success",
      containers: [succeeded],
      ready: "False PodCompleted",
      initialized: "True PodCompleted",
      hasSandbox: "False",
      reason: undefined
    }
  ])("$why", ({ containers, ending, reason, ready: isReady, initialized, hasSandbox }) => {
    const status = statusOf(neverRestarting, containers, ending === undefined ? {} : { ending })
    expect(status.reason).toBe(reason)
    expect(conditionText(status, "Ready")).toBe(isReady)
    expect(conditionText(status, "Initialized")).toBe(initialized)
    expect(conditionText(status, "PodReadyToStartContainers")).toBe(hasSandbox)
  })

  it("keeps the transition time of conditions that stay True", () => {
    const before = statusOf(neverRestarting, [ready])
    const finished = statusOf({ ...neverRestarting, status: before }, [succeeded], { seconds: 9 })
    expect(conditionOf(finished.conditions, "Initialized")).toStrictEqual({
      type: "Initialized",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: aTime(1),
      observedGeneration: 1,
      reason: "PodCompleted"
    })
  })
})

describe("a Pod with init containers", () => {
  const pod = aPendingPod({
    spec: {
      containers: [{ name: "app", image: "web:v1" }],
      initContainers: [
        { name: "setup", image: "web:v1" },
        { name: "side", image: "log:v1", restartPolicy: "Always" }
      ]
    }
  })
  const incomplete = (names: string) =>
    `False ContainersNotInitialized: containers with incomplete status: [${names}]`
  const unready = (names: string) => `False ContainersNotReady: containers with unready status: [${names}]`

  it.each([
    {
      why: "the first init container runs",
      containers: [anInit("running"), aSidecar("queued"), queued],
      initialized: incomplete("setup side"),
      ready: unready("side app")
    },
    {
      why: "the sidecar has not started",
      containers: [initDone, aSidecar("creating"), queued],
      initialized: incomplete("side"),
      ready: unready("side app")
    },
    {
      why: "the app containers may start",
      containers: [initDone, aSidecar("running", { ready: true }), queued],
      initialized: "True",
      ready: unready("app")
    },
    {
      why: "the sidecar restarts",
      containers: [initDone, aSidecar("crashBackOff"), ready],
      initialized: "True",
      ready: unready("side")
    },
    {
      why: "all are ready",
      containers: [initDone, aSidecar("running", { ready: true }), ready],
      initialized: "True",
      ready: "True"
    }
  ])("Initialized $initialized, Ready $ready: $why", ({ containers, initialized, ready: isReady }) => {
    const status = statusOf(pod, containers)
    expect([conditionText(status, "Initialized"), conditionText(status, "Ready")]).toEqual([
      initialized,
      isReady
    ])
  })

  it("has separate statuses for init containers", () => {
    const status = statusOf(pod, [initDone, aSidecar("running"), ready])
    const names = [status.initContainerStatuses, status.containerStatuses].map((statuses) =>
      statuses?.map(({ name }) => name)
    )
    expect(names).toEqual([["setup", "side"], ["app"]])
    expect(statusOf(aPendingPod(), [ready])).not.toHaveProperty("initContainerStatuses")
  })
})

describe("a Pod with readiness gates", () => {
  const gated = (conditions: ReadonlyArray<PodCondition>, ...gates: ReadonlyArray<string>): Pod =>
    aPendingPod({ spec: { readinessGates: gates.map((conditionType) => ({ conditionType })) } }, conditions)
  const notReady = "False ReadinessGatesNotReady: "
  const absent = (gate: string) => `corresponding condition of pod readiness gate "${gate}" does not exist.`
  const gateNotTrue = 'the status of pod readiness gate "x/lb" is not "True", but False'
  const gateCondition = (status: string): PodCondition => ({ type: "x/lb", status })

  it.each([
    { pod: gated([], "x/lb"), ready: notReady + absent("x/lb"), why: "the condition is missing" },
    {
      pod: gated([gateCondition("False")], "x/lb"),
      ready: notReady + gateNotTrue,
      why: "the condition is False"
    },
    { pod: gated([gateCondition("True")], "x/lb"), ready: "True", why: "the condition is True" },
    {
      pod: gated([gateCondition("False")], "x/lb", "x/dns"),
      ready: `${notReady}${gateNotTrue}, ${absent("x/dns")}`,
      why: "every gate that is not True is listed"
    },
    { pod: gated([]), ready: "True", why: "there is no gate" }
  ])("has Ready $ready: $why", ({ pod, ready: isReady }) => {
    const status = statusOf(pod, [ready])
    expect(conditionText(status, "Ready")).toBe(isReady)
    expect(conditionText(status, "ContainersReady")).toBe("True")
  })

  it("reports containers that are not ready first", () => {
    expect(conditionText(statusOf(gated([], "x/lb"), [someFacts("running")]), "Ready")).toContain(
      "ContainersNotReady"
    )
  })
})

describe("the conditions of a Pod", () => {
  const types = (status: PodStatus) => status.conditions?.map(({ type }) => type)

  it("of other controllers stay in front, unchanged", () => {
    const foreign = { type: "DisruptionTarget", status: "True", lastTransitionTime: aTime(0) }
    const status = statusOf(aPendingPod({}, [foreign]), [ready])
    expect(status.conditions?.[0]).toBe(foreign)
    expect(types(status)).toHaveLength(6)
    expect(types(statusOf({ ...aPendingPod(), status }, [ready]))).toEqual(types(status))
  })

  it("have the new generation without a new transition time", () => {
    const before = statusOf(aPendingPod(), [ready])
    const pod = aPendingPod({ generation: 2 })
    const status = statusOf({ ...pod, status: before }, [ready], { seconds: 9 })
    expect(status.observedGeneration).toBe(2)
    expect(conditionOf(status.conditions, "Ready")).toMatchObject({
      observedGeneration: 2,
      lastTransitionTime: aTime(1)
    })
  })

  it("have no generation when the Pod has none, and no empty fields", () => {
    const { generation: _generation, ...metadata } = neverRestarting.metadata
    const withoutGeneration = { ...neverRestarting, metadata }
    const plain = { status: "True", lastProbeTime: null, lastTransitionTime: aTime(1) }
    const status = statusOf(withoutGeneration, [ready])
    expect(status).not.toHaveProperty("observedGeneration")
    expect(conditionOf(status.conditions, "Ready")).toStrictEqual({ type: "Ready", ...plain })
    expect(conditionOf(statusOf(withoutGeneration, [succeeded]).conditions, "Initialized")).toStrictEqual({
      type: "Initialized",
      ...plain,
      reason: "PodCompleted"
    })
  })
})

describe("the addresses of a Pod", () => {
  it("keep their first values, in both fields", () => {
    const status = statusOf(aPendingPod(), [ready])
    expect(status.hostIPs).toEqual([{ ip: "192.168.0.1" }])
    const moved = statusOf({ ...aPendingPod(), status }, [ready], { hostIP: "1.1.1.1" })
    expect([moved.hostIPs, moved.podIPs]).toEqual([[{ ip: "192.168.0.1" }], [{ ip: "10.0.0.7" }]])
  })
})
