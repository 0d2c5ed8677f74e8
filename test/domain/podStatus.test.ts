import { describe, expect, it } from "vitest"
import { podStatus } from "../../src/kubernetes/pods/podStatus.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { aPod, aTime, startMillis } from "../builders.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { Pod, PodStatus } from "../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../builders.ts"

const facts = (doing: ContainerFacts["doing"], more: Partial<ContainerFacts> = {}): ContainerFacts => ({
  name: "app",
  role: "app",
  doing,
  ready: false,
  started: doing === "running",
  restartCount: 0,
  lastExit: undefined,
  crashes: 0,
  pullError: undefined,
  ...more
})
const ready = (name = "app") => facts("running", { name, ready: true })
const exited = (code: number, name = "app") =>
  facts("terminated", { name, lastExit: { code, reason: code === 0 ? "Completed" : "Error" } })

const fresh = (options: PodOptions = {}): Pod => {
  const pod = aPod({ phase: "Pending", ...options })
  return { ...pod, status: { phase: pod.status.phase } }
}

/** The status after what happened, one step after another: each a second later than the one before. */
const statusAfter = (pod: Pod, ...steps: ReadonlyArray<ReadonlyArray<ContainerFacts>>): PodStatus =>
  steps.reduce<Pod>(
    (before, containers, index) => ({
      ...before,
      status: podStatus({
        pod: before,
        containers,
        addresses: { podIP: "10.0.0.7", hostIP: "192.168.0.1" },
        nowMillis: startMillis + (index + 1) * 1000
      })
    }),
    pod
  ).status

const two = {
  spec: {
    containers: [
      { name: "app", image: "i:v1" },
      { name: "side", image: "i:v2" }
    ]
  }
}
const policy = (restartPolicy: string) => ({ spec: { ...aPod().spec, restartPolicy } })

describe("the phase of a Pod", () => {
  it.each<{
    readonly why: string
    readonly pod?: PodOptions
    readonly containers: ReadonlyArray<ContainerFacts>
    readonly phase: string
  }>([
    { why: "nothing has started", containers: [facts("creating")], phase: "Pending" },
    { why: "an image cannot be pulled", containers: [facts("pullBackOff")], phase: "Pending" },
    {
      why: "one of two has not started",
      pod: two,
      containers: [ready(), facts("creating", { name: "side" })],
      phase: "Pending"
    },
    {
      why: "all have started",
      pod: two,
      containers: [ready(), facts("running", { name: "side" })],
      phase: "Running"
    },
    {
      why: "between restarts",
      containers: [facts("crashBackOff", { lastExit: { code: 1, reason: "Error" }, restartCount: 3 })],
      phase: "Running"
    },
    { why: "ended, to be started again", containers: [exited(0)], phase: "Running" },
    {
      why: "never started again, and well",
      pod: policy("Never"),
      containers: [exited(0)],
      phase: "Succeeded"
    },
    { why: "never started again, and badly", pod: policy("Never"), containers: [exited(3)], phase: "Failed" },
    {
      why: "well, so not started again",
      pod: policy("OnFailure"),
      containers: [exited(0)],
      phase: "Succeeded"
    },
    { why: "badly, so started again", pod: policy("OnFailure"), containers: [exited(3)], phase: "Running" },
    {
      why: "one still runs",
      pod: { spec: { ...two.spec, restartPolicy: "Never" } },
      containers: [exited(3), facts("running", { name: "side" })],
      phase: "Running"
    },
    {
      why: "one of two ended badly",
      pod: { spec: { ...two.spec, restartPolicy: "Never" } },
      containers: [exited(3), exited(0, "side")],
      phase: "Failed"
    },
    {
      why: "a Pod that ran does not go back to Pending",
      pod: { phase: "Running" },
      containers: [facts("pullBackOff")],
      phase: "Running"
    }
  ])("$phase: $why", ({ pod = {}, containers, phase }) => {
    expect(statusAfter(fresh(pod), containers).phase).toBe(phase)
  })
})

const readyOf = (status: PodStatus) => conditionOf(status.conditions, "Ready")

describe("the conditions of a Pod", () => {
  it("stand in the kubelet's order", () => {
    const types = statusAfter(fresh(), [facts("creating")]).conditions?.map(({ type }) => type)
    expect(types).toEqual([
      "PodReadyToStartContainers",
      "Initialized",
      "Ready",
      "ContainersReady",
      "PodScheduled"
    ])
  })

  it("Ready is false with the names of those that are not ready, and true without a reason", () => {
    const creating = statusAfter(fresh(two), [facts("creating"), facts("creating", { name: "side" })])
    expect(readyOf(creating)).toEqual({
      type: "Ready",
      observedGeneration: 1,
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: aTime(1),
      reason: "ContainersNotReady",
      message: "containers with unready status: [app side]"
    })
    expect(readyOf(statusAfter(fresh(), [ready()]))).toEqual({
      type: "Ready",
      observedGeneration: 1,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: aTime(1)
    })
  })

  it("the transition time moves only when the status does", () => {
    const both = [facts("running"), facts("running", { name: "side" })]
    const status = statusAfter(fresh(two), both, [ready(), facts("running", { name: "side" })])
    expect(readyOf(status)).toMatchObject({
      message: "containers with unready status: [side]",
      lastTransitionTime: aTime(1)
    })
    const turned = statusAfter(fresh(two), both, both, [ready(), ready("side")])
    expect(readyOf(turned)?.lastTransitionTime).toBe(aTime(3))
  })

  it("one that says the same is the very same object", () => {
    const pod = fresh()
    const first = statusAfter(pod, [ready()])
    const second = statusAfter({ ...pod, status: first }, [ready()])
    expect(readyOf(second)).toBe(readyOf(first))
  })

  it("a Pod that is done is not ready, because it is completed", () => {
    expect(readyOf(statusAfter(fresh(policy("Never")), [exited(0)]))).toMatchObject({
      status: "False",
      reason: "PodCompleted"
    })
  })
})

const containerOf = (status: PodStatus) => status.containerStatuses?.[0]

describe("the status of a container", () => {
  const end = { code: 2, reason: "Error" }
  it.each([
    { container: facts("creating"), state: { waiting: { reason: "ContainerCreating" } } },
    {
      container: facts("pullBackOff"),
      state: {
        waiting: {
          reason: "ImagePullBackOff",
          message: 'Back-off pulling image "registry.example/app:v1"'
        }
      }
    },
    { container: facts("running"), state: { running: { startedAt: aTime(1) } } }
  ])("$container.doing", ({ container, state }) => {
    expect(containerOf(statusAfter(fresh(), [container]))?.state).toEqual(state)
  })

  it("a run keeps its start, its end is kept as the last state of the next", () => {
    const status = statusAfter(
      fresh(),
      [facts("running")],
      [ready()],
      [facts("terminated", { lastExit: end })],
      [facts("crashBackOff", { lastExit: end })],
      [facts("running", { lastExit: end, restartCount: 1 })]
    )
    const terminated = { exitCode: 2, reason: "Error", startedAt: aTime(1), finishedAt: aTime(3) }
    expect(containerOf(status)).toMatchObject({
      restartCount: 1,
      state: { running: { startedAt: aTime(5) } },
      lastState: { terminated }
    })
  })

  it.each([
    { crashes: 2, wait: "10s" },
    { crashes: 3, wait: "20s" },
    { crashes: 6, wait: "2m40s" },
    { crashes: 7, wait: "5m0s" },
    { crashes: 19, wait: "5m0s" }
  ])(
    "after $crashes crashes in a row it says that it waits $wait, whatever else there was",
    ({ crashes, wait }) => {
      const crashing = facts("crashBackOff", { lastExit: end, restartCount: 41, crashes })
      expect(containerOf(statusAfter(fresh({ name: "p", uid: "u-1" }), [crashing]))?.state).toEqual({
        waiting: {
          reason: "CrashLoopBackOff",
          message: `back-off ${wait} restarting failed container=app pod=p_shop(u-1)`
        }
      })
    }
  )

  it("only one that has run has an identity", () => {
    expect(containerOf(statusAfter(fresh(), [facts("creating")]))).toMatchObject({ imageID: "" })
    expect(containerOf(statusAfter(fresh(), [facts("creating")]))).not.toHaveProperty("containerID")
    expect(containerOf(statusAfter(fresh(), [ready()]))?.containerID).toContain("containerd://")
  })
})

describe("addresses and the start are said once", () => {
  it("and stay", () => {
    const status = statusAfter(fresh(), [facts("creating")], [ready()])
    expect(status).toMatchObject({
      startTime: aTime(1),
      podIP: "10.0.0.7",
      podIPs: [{ ip: "10.0.0.7" }],
      hostIP: "192.168.0.1"
    })
    const moved = podStatus({
      pod: { ...fresh(), status },
      containers: [ready()],
      addresses: { podIP: "10.9.9.9", hostIP: "1.1.1.1" },
      nowMillis: startMillis + 99_000
    })
    expect([moved.podIP, moved.hostIP, moved.startTime]).toEqual(["10.0.0.7", "192.168.0.1", aTime(1)])
  })
})
