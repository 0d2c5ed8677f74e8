import { describe, expect, it } from "vitest"
import { neverRanEnd } from "../../../src/kubernetes/pods/containers/containers.ts"
import { containerStatuses } from "../../../src/kubernetes/pods/containers/containerStatuses.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import { anInit, aSidecar, someFacts, withCode } from "../someContainers.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { ContainerStatus, Pod } from "../../../src/kubernetes/meta/objects.ts"

const plain = aPod({ uid: "8f-3c", spec: { containers: [{ name: "app", image: "web:v1" }] } })
const withInits: Pod = {
  ...plain,
  spec: {
    ...plain.spec,
    initContainers: [
      { name: "setup", image: "web:v1" },
      { name: "side", image: "log:v1", restartPolicy: "Always" }
    ]
  }
}

/** Each step a second later than the one before; a status in place of facts is what somebody else has written. */
const after = (
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
      : { name: "app", image: "web:v1", imageID: "", ready: false, restartCount: 0, ...step }
  }
  if (present === undefined) throw new Error("no step")
  return present
}

const id = (place: string) => `containerd://8f3c${place}`
const run = (restartCount: number, code?: number, more: Partial<ContainerFacts> = {}) =>
  someFacts("running", { restartCount, ...(code === undefined ? {} : withCode(code)), ...more })
const waits = (restartCount: number, code: number) =>
  someFacts("crashBackOff", { restartCount, crashes: 2, ...withCode(code) })
const ends = (restartCount: number, code: number) =>
  someFacts("terminated", { restartCount, ...withCode(code) })
const creating = someFacts("creating")

const ended = (code: number, from: number, to: number, place: string) => ({
  exitCode: code,
  reason: code === 0 ? "Completed" : "Error",
  startedAt: aTime(from),
  finishedAt: aTime(to),
  containerID: id(place)
})

describe("what is said of a container that waits", () => {
  it.each([
    { why: "nothing has begun", pod: plain, facts: creating, waiting: { reason: "ContainerCreating" } },
    { why: "others come first", pod: withInits, facts: creating, waiting: { reason: "PodInitializing" } },
    {
      why: "its turn has not come",
      pod: withInits,
      facts: someFacts("queued"),
      waiting: { reason: "PodInitializing" }
    },
    {
      why: "its image may not be pulled",
      pod: plain,
      facts: someFacts("imageRefused"),
      waiting: {
        reason: "ErrImageNeverPull",
        message: 'Container image "web:v1" is not present with pull policy of Never'
      }
    },
    {
      why: "the registry said no",
      pod: plain,
      facts: someFacts("pullFailed", { pullError: "manifest unknown" }),
      waiting: { reason: "ErrImagePull", message: "manifest unknown" }
    },
    {
      why: "the registry said no, and is asked again later",
      pod: plain,
      facts: someFacts("pullBackOff", { pullError: "manifest unknown" }),
      waiting: {
        reason: "ImagePullBackOff",
        message: 'Back-off pulling image "web:v1": ErrImagePull: manifest unknown'
      }
    }
  ])("$waiting.reason: $why", ({ pod, facts, waiting }) => {
    expect(after(pod, facts)).toMatchObject({ state: { waiting }, lastState: {} })
    expect(after(pod, facts).lastState).toEqual({})
  })
})

describe("whether a container is ready", () => {
  it.each([
    { facts: run(0, undefined, { ready: true }), ready: true, why: "it answers" },
    { facts: run(0), ready: false, why: "it does not" },
    { facts: ends(0, 0), ready: false, why: "it is over" },
    { facts: anInit("terminated", withCode(0)), ready: true, why: "its work is done" },
    { facts: anInit("terminated", withCode(1)), ready: false, why: "its work is not done" },
    { facts: anInit("running", withCode(0)), ready: false, why: "its work is done once more" },
    { facts: aSidecar("terminated", withCode(0)), ready: false, why: "it should go on" }
  ])("$ready of one for $facts.role: $why", ({ facts, ready }) => {
    expect(after(withInits, facts).ready).toBe(ready)
  })
})

describe("the identity of a run", () => {
  it.each([
    { facts: creating, place: undefined, why: "there was none" },
    { facts: run(0), place: "a00", why: "the first" },
    { facts: run(2, 3), place: "a02", why: "the third" },
    { facts: waits(0, 3), place: "a00", why: "the last one while it waits" },
    { facts: anInit("running"), place: "b00", why: "one for init is another" },
    { facts: someFacts("terminated", { lastExit: neverRanEnd }), place: undefined, why: "it never ran" }
  ])("is $place: $why", ({ facts, place }) => {
    const status = after(withInits, facts)
    expect(status.containerID).toBe(place === undefined ? undefined : id(place))
    expect(status.imageID).toBe(place === undefined ? "" : "web:v1")
    expect("containerID" in status).toBe(place !== undefined)
  })
})

describe("the state of a container and the one before it", () => {
  it.each([
    {
      why: "it goes on running since it began",
      status: after(plain, creating, run(0), run(0)),
      state: { running: { startedAt: aTime(2) } },
      lastState: {}
    },
    {
      why: "so does one for init",
      status: after(withInits, anInit("running"), anInit("running")),
      state: { running: { startedAt: aTime(1) } },
      lastState: {}
    },
    {
      why: "its end stays as it was told first",
      status: after(plain, run(0), ends(0, 3), ends(0, 3)),
      state: { terminated: ended(3, 1, 2, "a00") },
      lastState: {}
    },
    {
      why: "the end of the first run is the last state of the next",
      status: after(plain, run(0), ends(0, 3), run(1, 3), run(1, 3)),
      state: { running: { startedAt: aTime(3) } },
      lastState: { terminated: ended(3, 1, 2, "a00") }
    },
    {
      why: "while it waits as well",
      status: after(plain, run(0), ends(0, 3), waits(0, 3), waits(0, 3), run(1, 3)),
      state: { running: { startedAt: aTime(5) } },
      lastState: { terminated: ended(3, 1, 2, "a00") }
    },
    {
      why: "nobody was told of the end before it ran again",
      status: after(plain, run(0), run(1, 3)),
      state: { running: { startedAt: aTime(2) } },
      lastState: { terminated: ended(3, 1, 2, "a00") }
    },
    {
      why: "nor the next time: the end before that is told no more",
      status: after(plain, run(0), ends(0, 3), run(1, 3), run(2, 4)),
      state: { running: { startedAt: aTime(4) } },
      lastState: { terminated: ended(4, 3, 4, "a01") }
    },
    {
      why: "nobody was told that it ran at all before it waited",
      status: after(plain, creating, waits(0, 3)),
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: ended(3, 2, 2, "a00") }
    },
    {
      why: "nobody was told of anything before it waited",
      status: after(plain, waits(0, 3)),
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: ended(3, 1, 1, "a00") }
    },
    {
      why: "it waits, and nobody was told of the end",
      status: after(plain, run(0), waits(0, 3)),
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: ended(3, 1, 2, "a00") }
    },
    {
      why: "a run that took no time ended when it began, and of the one before nothing is known",
      status: after(plain, run(0), ends(1, 4)),
      state: { terminated: ended(4, 2, 2, "a01") },
      lastState: {}
    },
    {
      why: "told to go while it waits, its last run is its end",
      status: after(plain, run(0), ends(0, 3), waits(0, 3), ends(0, 3)),
      state: { terminated: ended(3, 1, 2, "a00") },
      lastState: {}
    },
    {
      why: "told to go in its second run, that is its end",
      status: after(plain, run(0), ends(0, 3), run(1, 3), ends(1, 0)),
      state: { terminated: ended(0, 3, 4, "a01") },
      lastState: { terminated: ended(3, 1, 2, "a00") }
    }
  ])("$why", ({ status, state, lastState }) => {
    expect(status.state).toMatchObject(state)
    expect(status.lastState).toEqual(lastState)
  })

  it("of one that was told to go before it ever ran is that nobody found it", () => {
    const status = after(plain, creating, someFacts("terminated", { lastExit: neverRanEnd }))
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

describe("a status that somebody else has written", () => {
  it.each([
    {
      why: "a run of which nothing is said begins now",
      next: run(0),
      state: { running: { startedAt: aTime(2) } }
    },
    {
      why: "an end of which nothing is said is now",
      next: ends(0, 3),
      state: { terminated: ended(3, 2, 2, "a00") }
    }
  ])("without a state: $why", ({ next, state }) => {
    const status = after(plain, { restartCount: 0 }, next)
    expect(status.state).toEqual(state)
    expect(status.lastState).toEqual({})
  })

  it("without an identity leaves the end of its run without one", () => {
    const status = after(plain, { state: { running: { startedAt: aTime(0) } } }, ends(0, 3))
    expect(status.state?.terminated).toStrictEqual({
      exitCode: 3,
      reason: "Error",
      startedAt: aTime(0),
      finishedAt: aTime(2)
    })
  })
})
