import { describe, expect, it } from "vitest"
import { logLines, findLoggedRun, selectLogLines } from "../../../src/kubernetes/pods/podLogs.ts"
import { aPod, aTime, someContainerStatus, startMillis } from "../../builders.ts"
import { toCompleteEvent } from "../../../src/kubernetes/meta/completeEvent.ts"
import type { ContainerStatus, EventObject, Pod, PodCondition } from "../../../src/kubernetes/meta/objects.ts"

const running = (seconds: number) => ({ running: { startedAt: aTime(seconds) } })
const ended = (from: number, to: number, containerID = "containerd://x") => ({
  terminated: {
    exitCode: 3,
    reason: "Error",
    startedAt: aTime(from),
    finishedAt: aTime(to),
    ...(containerID === "" ? {} : { containerID })
  }
})

interface Talker {
  readonly status: Partial<ContainerStatus>
  readonly conditions?: ReadonlyArray<PodCondition>
  readonly metadata?: Partial<Pod["metadata"]>
  /** Its container is a sidecar. */
  readonly isInit?: boolean
}

const aTalker = ({ status, conditions, metadata, isInit = false }: Talker): Pod => {
  const pod = aPod({ name: "web-1", created: 1 })
  const told = [{ ...someContainerStatus(0), ready: false, ...status }]
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
      ...(isInit ? { initContainerStatuses: told } : { containerStatuses: told })
    }
  }
}

const anEvent = (first: number, involved = "spec.containers{app}"): EventObject => ({
  ...aPod(),
  kind: "Event",
  involvedObject: { kind: "Pod", name: "web-1", ...(involved === "" ? {} : { fieldPath: involved }) },
  reason: "Unhealthy",
  message: "Liveness probe failed: no answer",
  type: "Warning",
  source: { component: "kubelet" },
  firstTimestamp: aTime(first),
  lastTimestamp: aTime(first),
  count: 1,
  reportingComponent: "kubelet",
  reportingInstance: "n1"
})

/** `3: text`, the seconds since the start before each line. */
const linesOf = (pod: Pod, events: ReadonlyArray<EventObject> = [], previous = false) =>
  logLines({ pod, container: "app", previous, events: events.map(toCompleteEvent) }).map(
    ({ atMillis, text }) => `${(atMillis - startMillis) / 1000}: ${text}`
  )

const begins = "app: web:v1 starts in web-1"
const isReady = (status: string, since?: number): PodCondition => ({
  type: "ContainersReady",
  status,
  ...(since === undefined ? {} : { lastTransitionTime: aTime(since) })
})

describe("a log is in the order of what happened", () => {
  it("whatever is known from where", () => {
    const pod = aTalker({
      status: { state: running(3), ready: true },
      conditions: [isReady("True", 9)],
      metadata: { deletionTimestamp: aTime(36), deletionGracePeriodSeconds: 30 }
    })
    expect(linesOf(pod, [anEvent(8), anEvent(4)])).toEqual([
      `3: ${begins}`,
      "4: app: liveness probe failed: no answer",
      "6: asked to stop, 30s left",
      "8: app: liveness probe failed: no answer",
      "9: app: ready"
    ])
  })

  it("and tells to the last moment, of nothing but its container", () => {
    const pod = aTalker({ status: { state: ended(3, 9) } })
    expect(
      linesOf(pod, [anEvent(10), anEvent(9), anEvent(5, ""), anEvent(5, "spec.containers{other}")])
    ).toEqual([`3: ${begins}`, "9: app: liveness probe failed: no answer", "9: ended: exit code 3"])
  })

  it("is empty where there is none to be had", () => {
    expect(linesOf(aTalker({ status: { state: { waiting: {} } } }))).toEqual([])
  })

  it("begins with its Pod where nothing says when it began", () => {
    expect(linesOf(aTalker({ status: { state: { running: {} } } }))).toEqual([`1: ${begins}`])
  })
})

describe("that it is ready is said", () => {
  const serving = { state: running(3), ready: true }
  it.each([
    { why: "since when it is", talker: { status: serving, conditions: [isReady("True", 5)] }, said: true },
    { why: "another is not", talker: { status: serving, conditions: [isReady("False", 5)] }, said: false },
    {
      why: "it is not",
      talker: { status: { state: running(3) }, conditions: [isReady("True", 5)] },
      said: false
    },
    { why: "nobody says so", talker: { status: serving }, said: false },
    { why: "nobody says when", talker: { status: serving, conditions: [isReady("True")] }, said: false },
    {
      why: "a sidecar serves nobody",
      talker: { status: serving, conditions: [isReady("True", 5)], isInit: true },
      said: false
    }
  ])("$said: $why", ({ talker, said }) => {
    expect(linesOf(aTalker(talker))).toEqual([`3: ${begins}`, ...(said ? ["5: app: ready"] : [])])
  })

  it("of the run that goes on, not of the one that ended in the same second", () => {
    const pod = aTalker({
      status: { state: running(9), lastState: ended(3, 9), restartCount: 1, ready: true },
      conditions: [isReady("True", 9)]
    })
    expect(linesOf(pod)).toEqual([`9: ${begins} (run 2)`, "9: app: ready"])
    expect(linesOf(pod, [], true)).toEqual([`3: ${begins}`, "9: ended: exit code 3"])
  })
})

describe("that it was asked to stop is said", () => {
  const deletionTimestamp = aTime(9)
  it.each([
    { why: "of one that goes on", state: running(3), said: ["9: asked to stop, 0s left"] },
    {
      why: "of one that ended then",
      state: ended(3, 9),
      said: ["9: asked to stop, 0s left", "9: ended: exit code 3"]
    },
    { why: "not of one that had ended", state: ended(3, 8), said: ["8: ended: exit code 3"] }
  ])("$said: $why, whatever grace it had", ({ state, said }) => {
    expect(linesOf(aTalker({ status: { state }, metadata: { deletionTimestamp } }))).toEqual([
      `3: ${begins}`,
      ...said
    ])
  })
})

describe("a run that nobody can find has no log", () => {
  const subject = 'container "app" in pod "web-1"'
  const waiting = { waiting: { reason: "CrashLoopBackOff" } }
  const gone = `previous terminated ${subject} not found`
  it.each([
    {
      why: "it is the one before",
      status: { state: running(9), lastState: ended(3, 8, "") },
      previous: true,
      refusal: gone
    },
    {
      why: "there is none before",
      status: { state: running(9), lastState: {} },
      previous: true,
      refusal: gone
    },
    {
      why: "it waits",
      status: { state: waiting, lastState: ended(3, 8, "") },
      previous: false,
      refusal: `${subject} is terminated`
    },
    {
      why: "it has ended",
      status: { state: ended(3, 8, "") },
      previous: false,
      refusal: `${subject} is terminated`
    }
  ])("$refusal: $why", ({ status, previous, refusal }) => {
    expect(findLoggedRun({ pod: aTalker({ status }), container: "app", previous })).toEqual({ refusal })
  })

  it("but that of the run before where that is known", () => {
    const status = { state: ended(9, 9, ""), lastState: ended(3, 8), restartCount: 1 }
    expect(linesOf(aTalker({ status }))).toEqual([`3: ${begins}`, "8: ended: exit code 3"])
  })
})

describe("what of a log is wanted", () => {
  const lines = [1, 2, 3].map((second) => ({ atMillis: startMillis + second * 1000, text: `${second}` }))
  it.each([
    { tailLines: undefined, texts: ["1", "2", "3"] },
    { tailLines: 2, texts: ["2", "3"] },
    { tailLines: 3, texts: ["1", "2", "3"] },
    { tailLines: 7, texts: ["1", "2", "3"] }
  ])("of $tailLines lines: $texts", ({ tailLines, texts }) => {
    const bounds = { tailLines, sinceMillis: undefined, limitBytes: undefined, timestamps: false }
    expect(selectLogLines(lines, bounds).map(({ text }) => text)).toEqual(texts)
  })
})
