import { describe, expect, it } from "vitest"
import { podStatus } from "../../../src/kubernetes/pods/podStatus.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import { someFacts, withCode } from "./containerFixtures.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { Pod, PodStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

const ready = (name = "app") => someFacts("running", { name, ready: true })
const exited = (code: number, name = "app") => someFacts("terminated", { name, ...withCode(code) })

const aPendingPod = (options: PodOptions = {}): Pod => {
  const pod = aPod({ phase: "Pending", ...options })
  return { ...pod, status: { phase: pod.status.phase } }
}

/** The status after these steps, one per second. */
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

const podOfTwo = {
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
    { why: "no container has started", containers: [someFacts("creating")], phase: "Pending" },
    { why: "an image cannot be pulled", containers: [someFacts("pullBackOff")], phase: "Pending" },
    {
      why: "one of two containers has not started",
      pod: podOfTwo,
      containers: [ready(), someFacts("creating", { name: "side" })],
      phase: "Pending"
    },
    {
      why: "all containers have started",
      pod: podOfTwo,
      containers: [ready(), someFacts("running", { name: "side" })],
      phase: "Running"
    },
    {
      why: "a container waits between restarts",
      containers: [someFacts("crashBackOff", { lastExit: { code: 1, reason: "Error" }, restartCount: 3 })],
      phase: "Running"
    },
    { why: "a container has terminated and restarts", containers: [exited(0)], phase: "Running" },
    {
      why: "Never, after success",
      pod: policy("Never"),
      containers: [exited(0)],
      phase: "Succeeded"
    },
    { why: "Never, after a failure", pod: policy("Never"), containers: [exited(3)], phase: "Failed" },
    {
      why: "OnFailure, after success",
      pod: policy("OnFailure"),
      containers: [exited(0)],
      phase: "Succeeded"
    },
    {
      why: "OnFailure, after a failure",
      pod: policy("OnFailure"),
      containers: [exited(3)],
      phase: "Running"
    },
    {
      why: "one of two containers still runs",
      pod: { spec: { ...podOfTwo.spec, restartPolicy: "Never" } },
      containers: [exited(3), someFacts("running", { name: "side" })],
      phase: "Running"
    },
    {
      why: "one of two containers failed",
      pod: { spec: { ...podOfTwo.spec, restartPolicy: "Never" } },
      containers: [exited(3), exited(0, "side")],
      phase: "Failed"
    },
    {
      why: "a Pod that ran does not go back to Pending",
      pod: { phase: "Running" },
      containers: [someFacts("pullBackOff")],
      phase: "Running"
    }
  ])("$phase: $why", ({ pod = {}, containers, phase }) => {
    expect(statusAfter(aPendingPod(pod), containers).phase).toBe(phase)
  })
})

const readyOf = (status: PodStatus) => conditionOf(status.conditions, "Ready")

describe("the conditions of a Pod", () => {
  it("are in the kubelet's order", () => {
    const types = statusAfter(aPendingPod(), [someFacts("creating")]).conditions?.map(({ type }) => type)
    expect(types).toEqual([
      "PodReadyToStartContainers",
      "Initialized",
      "Ready",
      "ContainersReady",
      "PodScheduled"
    ])
  })

  it("name the containers that are not ready in Ready, and no reason when all are", () => {
    const creating = statusAfter(aPendingPod(podOfTwo), [
      someFacts("creating"),
      someFacts("creating", { name: "side" })
    ])
    expect(readyOf(creating)).toEqual({
      type: "Ready",
      observedGeneration: 1,
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: aTime(1),
      reason: "ContainersNotReady",
      message: "containers with unready status: [app side]"
    })
    expect(readyOf(statusAfter(aPendingPod(), [ready()]))).toEqual({
      type: "Ready",
      observedGeneration: 1,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: aTime(1)
    })
  })

  it("change their transition time only with their status", () => {
    const both = [someFacts("running"), someFacts("running", { name: "side" })]
    const status = statusAfter(aPendingPod(podOfTwo), both, [ready(), someFacts("running", { name: "side" })])
    expect(readyOf(status)).toMatchObject({
      message: "containers with unready status: [side]",
      lastTransitionTime: aTime(1)
    })
    const withNewStatus = statusAfter(aPendingPod(podOfTwo), both, both, [ready(), ready("side")])
    expect(readyOf(withNewStatus)?.lastTransitionTime).toBe(aTime(3))
  })

  it("are the same object when nothing changes", () => {
    const pod = aPendingPod()
    const first = statusAfter(pod, [ready()])
    const second = statusAfter({ ...pod, status: first }, [ready()])
    expect(readyOf(second)).toBe(readyOf(first))
  })

  it("are not ready with PodCompleted when the Pod is done", () => {
    expect(readyOf(statusAfter(aPendingPod(policy("Never")), [exited(0)]))).toMatchObject({
      status: "False",
      reason: "PodCompleted"
    })
  })
})

const containerOf = (status: PodStatus) => status.containerStatuses?.[0]

describe("the status of a container", () => {
  const end = { code: 2, reason: "Error" }
  it.each([
    { container: someFacts("creating"), state: { waiting: { reason: "ContainerCreating" } } },
    {
      container: someFacts("pullBackOff"),
      state: {
        waiting: {
          reason: "ImagePullBackOff",
          message: 'Back-off pulling image "registry.example/app:v1"'
        }
      }
    },
    { container: someFacts("running"), state: { running: { startedAt: aTime(1) } } }
  ])("is $container.doing", ({ container, state }) => {
    expect(containerOf(statusAfter(aPendingPod(), [container]))?.state).toEqual(state)
  })

  it("keeps the start time of a run, and its end as the last state of the next", () => {
    const status = statusAfter(
      aPendingPod(),
      [someFacts("running")],
      [ready()],
      [someFacts("terminated", { lastExit: end })],
      [someFacts("crashBackOff", { lastExit: end })],
      [someFacts("running", { lastExit: end, restartCount: 1 })]
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
  ])("waits $wait after $crashes consecutive crashes, whatever the restart count", ({ crashes, wait }) => {
    const crashing = someFacts("crashBackOff", { lastExit: end, restartCount: 41, crashes })
    expect(containerOf(statusAfter(aPendingPod({ name: "p", uid: "u-1" }), [crashing]))?.state).toEqual({
      waiting: {
        reason: "CrashLoopBackOff",
        message: `back-off ${wait} restarting failed container=app pod=p_shop(u-1)`
      }
    })
  })

  it("has a container ID only after a first run", () => {
    expect(containerOf(statusAfter(aPendingPod(), [someFacts("creating")]))).toMatchObject({ imageID: "" })
    expect(containerOf(statusAfter(aPendingPod(), [someFacts("creating")]))).not.toHaveProperty("containerID")
    expect(containerOf(statusAfter(aPendingPod(), [ready()]))?.containerID).toContain("containerd://")
  })
})

describe("addresses and start time", () => {
  it("are kept once they are set", () => {
    const status = statusAfter(aPendingPod(), [someFacts("creating")], [ready()])
    expect(status).toMatchObject({
      startTime: aTime(1),
      podIP: "10.0.0.7",
      podIPs: [{ ip: "10.0.0.7" }],
      hostIP: "192.168.0.1"
    })
    const moved = podStatus({
      pod: { ...aPendingPod(), status },
      containers: [ready()],
      addresses: { podIP: "10.9.9.9", hostIP: "1.1.1.1" },
      nowMillis: startMillis + 99_000
    })
    expect([moved.podIP, moved.hostIP, moved.startTime]).toEqual(["10.0.0.7", "192.168.0.1", aTime(1)])
  })
})
