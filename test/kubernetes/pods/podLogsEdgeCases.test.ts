import { describe, expect, it } from "vitest"
import { logLines, findLoggedRun, selectLogLines } from "../../../src/kubernetes/pods/podLogs.ts"
import {
  aContainerStatus,
  aPod,
  aRunningState,
  aTerminatedState,
  aTime,
  aWaitingState,
  anEvent,
  startMillis
} from "../../builders.ts"
import { normalizeEvent } from "../../../src/kubernetes/meta/normalizeEvent.ts"
import type { ContainerStatus, EventObject, Pod, PodCondition } from "../../../src/kubernetes/meta/objects.ts"

const ended = (from: number, to: number) =>
  aTerminatedState(3, { from, to, reason: "Error", containerID: "containerd://x" })
/** No containerID: its log is gone. */
const removed = (from: number, to: number) => aTerminatedState(3, { from, to, reason: "Error" })

interface LoggedContainer {
  readonly status: Partial<ContainerStatus>
  readonly conditions?: ReadonlyArray<PodCondition>
  readonly metadata?: Partial<Pod["metadata"]>
  readonly isInit?: boolean
}

const aLoggedPod = ({ status, conditions, metadata, isInit = false }: LoggedContainer): Pod => {
  const pod = aPod({ name: "web-1", created: 1 })
  const statuses = [aContainerStatus(status)]
  const app = { name: "app", image: "web:v1" }
  const other = { name: "other", image: "other:v1" }
  return {
    ...pod,
    metadata: { ...pod.metadata, ...metadata },
    spec: isInit
      ? { ...pod.spec, containers: [other], initContainers: [app] }
      : { ...pod.spec, containers: [other, app] },
    status: {
      phase: "Running",
      ...(conditions === undefined ? {} : { conditions }),
      ...(isInit ? { initContainerStatuses: statuses } : { containerStatuses: statuses })
    }
  }
}

const aProbeEvent = (first: number, involved = "spec.containers{app}"): EventObject =>
  anEvent({
    first,
    involvedObject: { kind: "Pod", name: "web-1", ...(involved === "" ? {} : { fieldPath: involved }) },
    message: "Liveness probe failed: no answer"
  })

/** `3: text`, the seconds since the start before each line. */
const linesOf = (pod: Pod, events: ReadonlyArray<EventObject> = [], previous = false) =>
  logLines({ pod, container: "app", previous, events: events.map(normalizeEvent) }).map(
    ({ atMillis, text }) => `${(atMillis - startMillis) / 1000}: ${text}`
  )

const startLine = "app: web:v1 starts in web-1"
const isReady = (status: string, since?: number): PodCondition => ({
  type: "ContainersReady",
  status,
  ...(since === undefined ? {} : { lastTransitionTime: aTime(since) })
})

describe("the lines of a log", () => {
  it("are sorted by time, whatever their source", () => {
    const pod = aLoggedPod({
      status: { state: aRunningState(3), ready: true },
      conditions: [isReady("True", 9)],
      metadata: { deletionTimestamp: aTime(36), deletionGracePeriodSeconds: 30 }
    })
    expect(linesOf(pod, [aProbeEvent(8), aProbeEvent(4)])).toEqual([
      `3: ${startLine}`,
      "4: app: liveness probe failed: no answer",
      "6: asked to stop, 30s left",
      "8: app: liveness probe failed: no answer",
      "9: app: ready"
    ])
  })

  it("include the last instant, and no events of other containers", () => {
    const pod = aLoggedPod({ status: { state: ended(3, 9) } })
    expect(
      linesOf(pod, [
        aProbeEvent(10),
        aProbeEvent(9),
        aProbeEvent(5, ""),
        aProbeEvent(5, "spec.containers{other}")
      ])
    ).toEqual([`3: ${startLine}`, "9: app: liveness probe failed: no answer", "9: ended: exit code 3"])
  })

  it("are absent while the container waits", () => {
    expect(linesOf(aLoggedPod({ status: { state: { waiting: {} } } }))).toEqual([])
  })

  it("begin with the Pod's creation when the start is unknown", () => {
    expect(linesOf(aLoggedPod({ status: { state: aRunningState() } }))).toEqual([`1: ${startLine}`])
  })
})

describe("the line for readiness", () => {
  const readyStatus = { state: aRunningState(3), ready: true }
  it.each([
    {
      why: "the container is ready since then",
      talker: { status: readyStatus, conditions: [isReady("True", 5)] },
      expected: true
    },
    {
      why: "another container is not ready",
      talker: { status: readyStatus, conditions: [isReady("False", 5)] },
      expected: false
    },
    {
      why: "the container is not ready",
      talker: { status: { state: aRunningState(3) }, conditions: [isReady("True", 5)] },
      expected: false
    },
    { why: "the condition is missing", talker: { status: readyStatus }, expected: false },
    {
      why: "the condition has no time",
      talker: { status: readyStatus, conditions: [isReady("True")] },
      expected: false
    },
    {
      why: "a sidecar is not ready",
      talker: { status: readyStatus, conditions: [isReady("True", 5)], isInit: true },
      expected: false
    }
  ])("is there: $expected: $why", ({ talker, expected }) => {
    expect(linesOf(aLoggedPod(talker))).toEqual([`3: ${startLine}`, ...(expected ? ["5: app: ready"] : [])])
  })

  it("belongs to the current run, not to one that ended in the same second", () => {
    const pod = aLoggedPod({
      status: { state: aRunningState(9), lastState: ended(3, 9), restartCount: 1, ready: true },
      conditions: [isReady("True", 9)]
    })
    expect(linesOf(pod)).toEqual([`9: ${startLine} (run 2)`, "9: app: ready"])
    expect(linesOf(pod, [], true)).toEqual([`3: ${startLine}`, "9: ended: exit code 3"])
  })
})

describe("the line for the deletion", () => {
  const deletionTimestamp = aTime(9)
  it.each([
    { why: "the run goes on", state: aRunningState(3), expected: ["9: asked to stop, 0s left"] },
    {
      why: "the run ended at that instant",
      state: ended(3, 9),
      expected: ["9: asked to stop, 0s left", "9: ended: exit code 3"]
    },
    { why: "the run had ended before", state: ended(3, 8), expected: ["8: ended: exit code 3"] }
  ])("is there when $why: $expected", ({ state, expected }) => {
    expect(linesOf(aLoggedPod({ status: { state }, metadata: { deletionTimestamp } }))).toEqual([
      `3: ${startLine}`,
      ...expected
    ])
  })
})

describe("a run without a container ID has no log", () => {
  const subject = 'container "app" in pod "web-1"'
  const waiting = aWaitingState("CrashLoopBackOff")
  const notFound = `previous terminated ${subject} not found`
  it.each([
    {
      why: "it is the previous run",
      status: { state: aRunningState(9), lastState: removed(3, 8) },
      previous: true,
      refusal: notFound
    },
    {
      why: "there is no previous run",
      status: { state: aRunningState(9), lastState: {} },
      previous: true,
      refusal: notFound
    },
    {
      why: "it waits",
      status: { state: waiting, lastState: removed(3, 8) },
      previous: false,
      refusal: `${subject} is terminated`
    },
    {
      why: "it has ended",
      status: { state: removed(3, 8) },
      previous: false,
      refusal: `${subject} is terminated`
    }
  ])("$refusal: $why", ({ status, previous, refusal }) => {
    expect(findLoggedRun({ pod: aLoggedPod({ status }), container: "app", previous })).toEqual({ refusal })
  })

  it("unless the run before has one", () => {
    const status = { state: removed(9, 9), lastState: ended(3, 8), restartCount: 1 }
    expect(linesOf(aLoggedPod({ status }))).toEqual([`3: ${startLine}`, "8: ended: exit code 3"])
  })
})

describe("the requested lines", () => {
  const lines = [1, 2, 3].map((second) => ({ atMillis: startMillis + second * 1000, text: `${second}` }))
  it.each([
    { tailLines: undefined, texts: ["1", "2", "3"] },
    { tailLines: 2, texts: ["2", "3"] },
    { tailLines: 3, texts: ["1", "2", "3"] },
    { tailLines: 7, texts: ["1", "2", "3"] }
  ])("with tailLines $tailLines are $texts", ({ tailLines, texts }) => {
    const bounds = { tailLines, sinceMillis: undefined, limitBytes: undefined, timestamps: false }
    expect(selectLogLines(lines, bounds).map(({ text }) => text)).toEqual(texts)
  })
})
