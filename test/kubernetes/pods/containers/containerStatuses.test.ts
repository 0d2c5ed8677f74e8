import { describe, expect, it } from "vitest"
import { neverRanEnd } from "../../../../src/kubernetes/pods/containers/containers.ts"
import { containerStatuses } from "../../../../src/kubernetes/pods/containers/containerStatuses.ts"
import {
  aContainerStatus,
  aPod,
  aRunningState,
  aTerminatedState,
  aTime,
  aWaitingState,
  startMillis
} from "../../../builders.ts"
import { anInit, aSidecar, someFacts, withCode } from "../containerFixtures.ts"
import type { ContainerFacts } from "../../../../src/kubernetes/pods/containers/containers.ts"
import type { ContainerStatus, Pod } from "../../../../src/kubernetes/meta/objects.ts"

const podWithoutInits = aPod({ uid: "8f-3c", spec: { containers: [{ name: "app", image: "web:v1" }] } })
const podWithInits: Pod = {
  ...podWithoutInits,
  spec: {
    ...podWithoutInits.spec,
    initContainers: [
      { name: "setup", image: "web:v1" },
      { name: "side", image: "log:v1", restartPolicy: "Always" }
    ]
  }
}

/** The last status after these steps, one per second; a status in place of facts is written by another client. */
const statusAfter = (
  pod: Pod,
  ...steps: ReadonlyArray<ContainerFacts | Partial<ContainerStatus>>
): ContainerStatus => {
  let present: ContainerStatus | undefined
  for (const [index, step] of steps.entries()) {
    const isFacts = "doing" in step
    const stored = present === undefined ? [] : [present]
    const of = { ...pod, status: { phase: "Running", containerStatuses: stored, initContainerStatuses: [] } }
    const asInit = { ...of, status: { ...of.status, containerStatuses: [], initContainerStatuses: stored } }
    present = isFacts
      ? containerStatuses(step.role === "app" ? of : asInit, [step], startMillis + (index + 1) * 1000)[0]
      : aContainerStatus({ image: "web:v1", ...step })
  }
  if (present === undefined) throw new Error("no step")
  return present
}

const id = (place: string) => `containerd://8f3c${place}`
const run = (restartCount: number, code?: number, more: Partial<ContainerFacts> = {}) =>
  someFacts("running", { restartCount, ...(code === undefined ? {} : withCode(code)), ...more })
const crashBackOff = (restartCount: number, code: number) =>
  someFacts("crashBackOff", { restartCount, crashes: 2, ...withCode(code) })
const ends = (restartCount: number, code: number) =>
  someFacts("terminated", { restartCount, ...withCode(code) })
const creating = someFacts("creating")

const ended = (exitCode: number, from: number, to: number, place: string) =>
  aTerminatedState(exitCode, {
    from,
    to,
    reason: exitCode === 0 ? "Completed" : "Error",
    containerID: id(place)
  })

describe("the state waiting of a container", () => {
  it.each([
    { why: "it is created", pod: podWithoutInits, facts: creating, waiting: { reason: "ContainerCreating" } },
    {
      why: "init containers come first",
      pod: podWithInits,
      facts: creating,
      waiting: { reason: "PodInitializing" }
    },
    {
      why: "it is queued behind others",
      pod: podWithInits,
      facts: someFacts("queued"),
      waiting: { reason: "PodInitializing" }
    },
    {
      why: "the pull policy forbids the pull",
      pod: podWithoutInits,
      facts: someFacts("imageRefused"),
      waiting: {
        reason: "ErrImageNeverPull",
        message: 'Container image "web:v1" is not present with pull policy of Never'
      }
    },
    {
      why: "the pull failed",
      pod: podWithoutInits,
      facts: someFacts("pullFailed", { pullError: "manifest unknown" }),
      waiting: { reason: "ErrImagePull", message: "manifest unknown" }
    },
    {
      why: "the pull failed and waits for its back-off",
      pod: podWithoutInits,
      facts: someFacts("pullBackOff", { pullError: "manifest unknown" }),
      waiting: {
        reason: "ImagePullBackOff",
        message: 'Back-off pulling image "web:v1": ErrImagePull: manifest unknown'
      }
    }
  ])("$waiting.reason: $why", ({ pod, facts, waiting }) => {
    expect(statusAfter(pod, facts)).toMatchObject({ state: { waiting }, lastState: {} })
    expect(statusAfter(pod, facts).lastState).toEqual({})
  })
})

describe("the readiness of a container", () => {
  it.each([
    { facts: run(0, undefined, { ready: true }), ready: true, why: "an app container is ready" },
    { facts: run(0), ready: false, why: "an app container is not ready" },
    { facts: ends(0, 0), ready: false, why: "an app container has terminated" },
    { facts: anInit("terminated", withCode(0)), ready: true, why: "an init container has succeeded" },
    { facts: anInit("terminated", withCode(1)), ready: false, why: "an init container has failed" },
    { facts: anInit("running", withCode(0)), ready: false, why: "an init container runs again" },
    { facts: aSidecar("terminated", withCode(0)), ready: false, why: "a sidecar has terminated" }
  ])("is $ready for role $facts.role: $why", ({ facts, ready }) => {
    expect(statusAfter(podWithInits, facts).ready).toBe(ready)
  })
})

describe("the ID of a container", () => {
  it.each([
    { facts: creating, place: undefined, why: "no run yet" },
    { facts: run(0), place: "a00", why: "the first run" },
    { facts: run(2, 3), place: "a02", why: "the third run" },
    { facts: crashBackOff(0, 3), place: "a00", why: "the last run while it waits" },
    { facts: anInit("running"), place: "b00", why: "an init container has another ID" },
    { facts: someFacts("terminated", { lastExit: neverRanEnd }), place: undefined, why: "it never ran" }
  ])("ends in $place: $why", ({ facts, place }) => {
    const status = statusAfter(podWithInits, facts)
    expect(status.containerID).toBe(place === undefined ? undefined : id(place))
    expect(status.imageID).toBe(place === undefined ? "" : "web:v1")
    expect("containerID" in status).toBe(place !== undefined)
  })
})

describe("the state and last state of a container", () => {
  it.each([
    {
      why: "keep the start time while it runs",
      status: statusAfter(podWithoutInits, creating, run(0), run(0)),
      state: aRunningState(2),
      lastState: {}
    },
    {
      why: "keep the start time of an init container",
      status: statusAfter(podWithInits, anInit("running"), anInit("running")),
      state: aRunningState(1),
      lastState: {}
    },
    {
      why: "keep the first report of a termination",
      status: statusAfter(podWithoutInits, run(0), ends(0, 3), ends(0, 3)),
      state: ended(3, 1, 2, "a00"),
      lastState: {}
    },
    {
      why: "move the termination of the first run to the last state",
      status: statusAfter(podWithoutInits, run(0), ends(0, 3), run(1, 3), run(1, 3)),
      state: aRunningState(3),
      lastState: ended(3, 1, 2, "a00")
    },
    {
      why: "keep the last state while it waits",
      status: statusAfter(
        podWithoutInits,
        run(0),
        ends(0, 3),
        crashBackOff(0, 3),
        crashBackOff(0, 3),
        run(1, 3)
      ),
      state: aRunningState(5),
      lastState: ended(3, 1, 2, "a00")
    },
    {
      why: "derive a termination that was not reported",
      status: statusAfter(podWithoutInits, run(0), run(1, 3)),
      state: aRunningState(2),
      lastState: ended(3, 1, 2, "a00")
    },
    {
      why: "replace the last state by a later termination that was not reported",
      status: statusAfter(podWithoutInits, run(0), ends(0, 3), run(1, 3), run(2, 4)),
      state: aRunningState(4),
      lastState: ended(4, 3, 4, "a01")
    },
    {
      why: "derive the run and its termination when it waits after creation",
      status: statusAfter(podWithoutInits, creating, crashBackOff(0, 3)),
      state: aWaitingState("CrashLoopBackOff"),
      lastState: ended(3, 2, 2, "a00")
    },
    {
      why: "derive the run and its termination when it waits at first",
      status: statusAfter(podWithoutInits, crashBackOff(0, 3)),
      state: aWaitingState("CrashLoopBackOff"),
      lastState: ended(3, 1, 1, "a00")
    },
    {
      why: "derive the termination when it waits after its run",
      status: statusAfter(podWithoutInits, run(0), crashBackOff(0, 3)),
      state: aWaitingState("CrashLoopBackOff"),
      lastState: ended(3, 1, 2, "a00")
    },
    {
      why: "give a run without duration the same start and end, and no last state",
      status: statusAfter(podWithoutInits, run(0), ends(1, 4)),
      state: ended(4, 2, 2, "a01"),
      lastState: {}
    },
    {
      why: "show the last run when it is deleted while it waits",
      status: statusAfter(podWithoutInits, run(0), ends(0, 3), crashBackOff(0, 3), ends(0, 3)),
      state: ended(3, 1, 2, "a00"),
      lastState: {}
    },
    {
      why: "show the second run when it is deleted in it",
      status: statusAfter(podWithoutInits, run(0), ends(0, 3), run(1, 3), ends(1, 0)),
      state: ended(0, 3, 4, "a01"),
      lastState: ended(3, 1, 2, "a00")
    }
  ])("$why", ({ status, state, lastState }) => {
    expect(status.state).toMatchObject(state)
    expect(status.lastState).toEqual(lastState)
  })

  it("are ContainerStatusUnknown for a container that was deleted before its first run", () => {
    const status = statusAfter(podWithoutInits, creating, someFacts("terminated", { lastExit: neverRanEnd }))
    expect(status.state).toEqual({
      terminated: {
        exitCode: 137,
        reason: "ContainerStatusUnknown",
        message: "The container could not be located when the pod was terminated"
      }
    })
    expect(status.lastState).toEqual({})
  })
})

describe("a container status written by another client", () => {
  it.each([
    {
      why: "a run starts now",
      next: run(0),
      state: aRunningState(2)
    },
    {
      why: "a termination is now",
      next: ends(0, 3),
      state: ended(3, 2, 2, "a00")
    }
  ])("without a state: $why", ({ next, state }) => {
    const status = statusAfter(podWithoutInits, { restartCount: 0 }, next)
    expect(status.state).toEqual(state)
    expect(status.lastState).toEqual({})
  })

  it("without a container ID has none in its termination", () => {
    const status = statusAfter(podWithoutInits, { state: aRunningState(0) }, ends(0, 3))
    expect(status.state?.terminated).toStrictEqual({
      exitCode: 3,
      reason: "Error",
      startedAt: aTime(0),
      finishedAt: aTime(2)
    })
  })
})
