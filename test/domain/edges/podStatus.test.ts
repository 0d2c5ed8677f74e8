import { describe, expect, it } from "vitest"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { podStatus } from "../../../src/kubernetes/pods/podStatus.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import { anInit, aSidecar, someFacts, withCode } from "../someContainers.ts"
import type { PodEnding } from "../../../src/kubernetes/pods/podLife.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { Pod, PodCondition, PodStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

const fresh = (options: PodOptions = {}, conditions?: ReadonlyArray<PodCondition>): Pod => ({
  ...aPod(options),
  status: { phase: "Pending", ...(conditions === undefined ? {} : { conditions }) }
})

/** A second after the start, or as many as are said. */
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
const well = someFacts("terminated", withCode(0))
const badly = someFacts("terminated", withCode(3))
const initDone = anInit("terminated", withCode(0))
const queued = someFacts("queued")

/** `False PodFailed: message`, as much of it as there is. */
const said = (status: PodStatus, type: string): string => {
  const condition = conditionOf(status.conditions, type)
  const why = [condition?.reason, condition?.message].filter((it) => it !== undefined).join(": ")
  return `${condition?.status} ${why}`.trim()
}

const never = fresh({ spec: { restartPolicy: "Never" } })

describe("what a Pod says of how it ended", () => {
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
      why: "its time is over, but it is to stop yet",
      containers: [ready],
      ending: "overdue",
      ready: "False PodFailed",
      initialized: "True",
      hasSandbox: "True",
      reason: undefined
    },
    {
      why: "its time is over, and it has stopped",
      containers: [well],
      ending: "overdue",
      ready: "False PodFailed",
      initialized: "True",
      hasSandbox: "False",
      reason: "DeadlineExceeded"
    },
    {
      why: "it failed in its time",
      containers: [badly],
      ready: "False PodFailed",
      initialized: "True",
      hasSandbox: "False",
      reason: undefined
    },
    {
      why: "it went well",
      containers: [well],
      ready: "False PodCompleted",
      initialized: "True PodCompleted",
      hasSandbox: "False",
      reason: undefined
    }
  ])("$why", ({ containers, ending, reason, ready: isReady, initialized, hasSandbox }) => {
    const status = statusOf(never, containers, ending === undefined ? {} : { ending })
    expect(status.reason).toBe(reason)
    expect(said(status, "Ready")).toBe(isReady)
    expect(said(status, "Initialized")).toBe(initialized)
    expect(said(status, "PodReadyToStartContainers")).toBe(hasSandbox)
  })

  it("is said of what has been true all along as well, with the time it came true", () => {
    const before = statusOf(never, [ready])
    const done = statusOf({ ...never, status: before }, [well], { seconds: 9 })
    expect(conditionOf(done.conditions, "Initialized")).toStrictEqual({
      type: "Initialized",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: aTime(1),
      observedGeneration: 1,
      reason: "PodCompleted"
    })
  })
})

describe("a Pod with containers for init", () => {
  const pod = fresh({
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
      why: "the first is at work",
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
      why: "the apps may begin",
      containers: [initDone, aSidecar("running", { ready: true }), queued],
      initialized: "True",
      ready: unready("app")
    },
    {
      why: "the sidecar is begun again",
      containers: [initDone, aSidecar("crashBackOff"), ready],
      initialized: "True",
      ready: unready("side")
    },
    {
      why: "all answer",
      containers: [initDone, aSidecar("running", { ready: true }), ready],
      initialized: "True",
      ready: "True"
    }
  ])("Initialized $initialized, Ready $ready: $why", ({ containers, initialized, ready: isReady }) => {
    const status = statusOf(pod, containers)
    expect([said(status, "Initialized"), said(status, "Ready")]).toEqual([initialized, isReady])
  })

  it("tells of them apart", () => {
    const status = statusOf(pod, [initDone, aSidecar("running"), ready])
    const names = [status.initContainerStatuses, status.containerStatuses].map((them) =>
      them?.map(({ name }) => name)
    )
    expect(names).toEqual([["setup", "side"], ["app"]])
    expect(statusOf(fresh(), [ready])).not.toHaveProperty("initContainerStatuses")
  })
})

describe("a Pod with readiness gates", () => {
  const gated = (conditions: ReadonlyArray<PodCondition>, ...gates: ReadonlyArray<string>): Pod =>
    fresh({ spec: { readinessGates: gates.map((conditionType) => ({ conditionType })) } }, conditions)
  const notReady = "False ReadinessGatesNotReady: "
  const absent = (gate: string) => `corresponding condition of pod readiness gate "${gate}" does not exist.`
  const shut = 'the status of pod readiness gate "x/lb" is not "True", but False'
  const lb = (status: string): PodCondition => ({ type: "x/lb", status })

  it.each([
    { pod: gated([], "x/lb"), ready: notReady + absent("x/lb"), why: "nobody has said anything" },
    { pod: gated([lb("False")], "x/lb"), ready: notReady + shut, why: "somebody says no" },
    { pod: gated([lb("True")], "x/lb"), ready: "True", why: "somebody says yes" },
    {
      pod: gated([lb("False")], "x/lb", "x/dns"),
      ready: `${notReady}${shut}, ${absent("x/dns")}`,
      why: "all that say no are told"
    },
    { pod: gated([]), ready: "True", why: "there is none" }
  ])("$ready: $why", ({ pod, ready: isReady }) => {
    const status = statusOf(pod, [ready])
    expect(said(status, "Ready")).toBe(isReady)
    expect(said(status, "ContainersReady")).toBe("True")
  })

  it("says first what its containers lack", () => {
    expect(said(statusOf(gated([], "x/lb"), [someFacts("running")]), "Ready")).toContain("ContainersNotReady")
  })
})

describe("the conditions of a Pod", () => {
  const types = (status: PodStatus) => status.conditions?.map(({ type }) => type)

  it("that others keep come first and stay as they are", () => {
    const foreign = { type: "DisruptionTarget", status: "True", lastTransitionTime: aTime(0) }
    const status = statusOf(fresh({}, [foreign]), [ready])
    expect(status.conditions?.[0]).toBe(foreign)
    expect(types(status)).toHaveLength(6)
    expect(types(statusOf({ ...fresh(), status }, [ready]))).toEqual(types(status))
  })

  it("are of the generation that was seen last, and no newer for it", () => {
    const before = statusOf(fresh(), [ready])
    const pod = fresh({ generation: 2 })
    const status = statusOf({ ...pod, status: before }, [ready], { seconds: 9 })
    expect(status.observedGeneration).toBe(2)
    expect(conditionOf(status.conditions, "Ready")).toMatchObject({
      observedGeneration: 2,
      lastTransitionTime: aTime(1)
    })
  })

  it("are of no generation where the Pod was never given one, and say only what there is to say", () => {
    const { generation: _generation, ...metadata } = never.metadata
    const ageless = { ...never, metadata }
    const plain = { status: "True", lastProbeTime: null, lastTransitionTime: aTime(1) }
    const status = statusOf(ageless, [ready])
    expect(status).not.toHaveProperty("observedGeneration")
    expect(conditionOf(status.conditions, "Ready")).toStrictEqual({ type: "Ready", ...plain })
    expect(conditionOf(statusOf(ageless, [well]).conditions, "Initialized")).toStrictEqual({
      type: "Initialized",
      ...plain,
      reason: "PodCompleted"
    })
  })
})

describe("the addresses of a Pod", () => {
  it("are those it was given first, in both forms", () => {
    const status = statusOf(fresh(), [ready])
    expect(status.hostIPs).toEqual([{ ip: "192.168.0.1" }])
    const moved = statusOf({ ...fresh(), status }, [ready], { hostIP: "1.1.1.1" })
    expect([moved.hostIPs, moved.podIPs]).toEqual([[{ ip: "192.168.0.1" }], [{ ip: "10.0.0.7" }]])
  })
})
