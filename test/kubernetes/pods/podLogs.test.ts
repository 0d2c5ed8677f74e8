import { describe, expect, it } from "vitest"
import { logLineText, logLines, findLoggedRun, selectLogLines } from "../../../src/kubernetes/pods/podLogs.ts"
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
import type { ContainerStatus, EventObject, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { LogLine } from "../../../src/kubernetes/pods/podLogs.ts"

const ended = (exitCode = 3, reason = "Error") =>
  aTerminatedState(exitCode, { from: 3, to: 9, reason, containerID: "containerd://x" })

const aLoggedPod = (
  container: Partial<ContainerStatus>,
  options: { readonly readyAt?: number; readonly deleted?: boolean } = {}
): Pod => {
  const { readyAt, deleted = false } = options
  const pod = aPod({ name: "web-1" })
  const ready = { type: "ContainersReady", status: "True", lastTransitionTime: aTime(readyAt ?? 0) }
  const stopping = deleted ? { deletionTimestamp: aTime(40), deletionGracePeriodSeconds: 30 } : {}
  return {
    ...pod,
    metadata: { ...pod.metadata, ...stopping },
    status: {
      ...pod.status,
      conditions: readyAt === undefined ? [] : [ready],
      containerStatuses: [aContainerStatus({ ready: readyAt !== undefined, ...container })]
    }
  }
}

const about = (container: string) => ({
  involvedObject: { kind: "Pod", name: "web-1", fieldPath: `spec.containers{${container}}` }
})
const aProbeEvent = (options: Parameters<typeof anEvent>[0]): EventObject =>
  anEvent({ ...about("app"), ...options })

const linesOf = (
  pod: Pod,
  options: { readonly previous?: boolean; readonly events?: ReadonlyArray<EventObject> } = {}
) =>
  logLines({
    pod,
    container: "app",
    previous: options.previous ?? false,
    events: (options.events ?? []).map(normalizeEvent)
  }).map(({ atMillis, text }) => `${(atMillis - startMillis) / 1000}: ${text}`)

const startLine = "app: registry.example/app:v1 starts in web-1"

describe("the log of a container", () => {
  it("begins with image and Pod, then has the readiness", () => {
    expect(linesOf(aLoggedPod({ state: aRunningState(3) }, { readyAt: 5 }))).toEqual([
      `3: ${startLine}`,
      "5: app: ready"
    ])
  })

  it("has the first and last failure of a probe during the run", () => {
    const events = [
      aProbeEvent({ first: 2 }),
      aProbeEvent({ first: 7, last: 21, count: 4 }),
      aProbeEvent({ first: 8, ...about("sidecar") }),
      aProbeEvent({ first: 9, reason: "Pulled" })
    ]
    expect(linesOf(aLoggedPod({ state: aRunningState(3) }), { events })).toEqual([
      `3: ${startLine}`,
      "7: app: readiness probe failed: no answer",
      "21: app: readiness probe failed: no answer (4 times)"
    ])
  })

  it("covers one run: the current one or the previous one", () => {
    const pod = aLoggedPod({
      state: aRunningState(20),
      lastState: ended(),
      restartCount: 2
    })
    const events = [aProbeEvent({ first: 7 }), aProbeEvent({ first: 25 })]
    expect(linesOf(pod, { events })).toEqual([
      `20: ${startLine} (run 3)`,
      "25: app: readiness probe failed: no answer"
    ])
    expect(linesOf(pod, { events, previous: true })).toEqual([
      `3: ${startLine} (run 2)`,
      "7: app: readiness probe failed: no answer",
      "9: ended: exit code 3"
    ])
  })

  it.each([
    { code: 0, reason: "Completed", text: "done: exit code 0" },
    { code: 137, reason: "OOMKilled", text: "out of memory: killed, exit code 137" },
    { code: 5, reason: "Error", text: "ended: exit code 5" }
  ])("ends with exit code $code: $text", ({ code, reason, text }) => {
    expect(linesOf(aLoggedPod({ state: ended(code, reason) }))).toEqual([`3: ${startLine}`, `9: ${text}`])
  })

  it("has the deletion, unless the run was over before", () => {
    expect(linesOf(aLoggedPod({ state: aRunningState(3) }, { deleted: true }))).toEqual([
      `3: ${startLine}`,
      "10: asked to stop, 30s left"
    ])
    const finished = aLoggedPod({ state: ended() }, { deleted: true })
    expect(linesOf(finished)).toEqual([`3: ${startLine}`, "9: ended: exit code 3"])
  })

  it("is that of the last run while the container waits for its restart", () => {
    const waiting = aWaitingState("CrashLoopBackOff")
    const pod = aLoggedPod({
      state: waiting,
      lastState: ended(),
      restartCount: 1
    })
    const lastRun = [`3: ${startLine} (run 2)`, "9: ended: exit code 3"]
    expect([linesOf(pod), linesOf(pod, { previous: true })]).toEqual([lastRun, lastRun])
  })

  it("exists for an ephemeral container as well", () => {
    const pod = aPod({ name: "web-1" })
    const debugged = {
      ...pod,
      spec: { ...pod.spec, ephemeralContainers: [{ name: "tools", image: "busybox" }] },
      status: {
        ...pod.status,
        ephemeralContainerStatuses: [aContainerStatus({ name: "tools", state: aRunningState(3) })]
      }
    } as Pod
    const lines = logLines({ pod: debugged, container: "tools", previous: false, events: [] })
    expect(lines.map(({ text }) => text)).toEqual(["tools: busybox starts in web-1"])
  })
})

describe("a log that is not available (validateContainerLogStatus)", () => {
  const subject = 'container "app" in pod "web-1"'
  const rows: ReadonlyArray<{
    readonly why: string
    readonly status: Partial<ContainerStatus>
    readonly previous?: boolean
    readonly refusal: string
  }> = [
    {
      why: "the container is created",
      status: { state: aWaitingState("ContainerCreating") },
      refusal: `${subject} is waiting to start: ContainerCreating`
    },
    {
      why: "the pull failed",
      status: { state: aWaitingState("ErrImagePull") },
      refusal: `${subject} is waiting to start: image can't be pulled`
    },
    {
      why: "the pull waits for its back-off",
      status: { state: aWaitingState("ImagePullBackOff") },
      refusal: `${subject} is waiting to start: trying and failing to pull image`
    },
    {
      why: "the status has no state",
      status: { state: {} },
      refusal: `${subject} is waiting to start - no logs yet`
    },
    {
      why: "there is no previous run",
      status: { state: aRunningState(3) },
      previous: true,
      refusal: `previous terminated ${subject} not found`
    },
    {
      why: "it was terminated before its first run",
      status: { state: aTerminatedState(3, { from: 3, to: 9, reason: "Error" }) },
      refusal: `${subject} is terminated`
    },
    {
      why: "the Pod has another container",
      status: { name: "other" },
      refusal: `${subject} is not available`
    }
  ]
  it.each(rows)("is refused: $why", ({ status, previous = false, refusal }) => {
    expect(findLoggedRun({ pod: aLoggedPod(status), container: "app", previous })).toEqual({ refusal })
  })
})

describe("the requested lines", () => {
  const all = { tailLines: undefined, sinceMillis: undefined, limitBytes: undefined, timestamps: false }
  const lines: ReadonlyArray<LogLine> = [1, 3, 7].map((second) => ({
    atMillis: startMillis + second * 1000,
    text: `at ${second}`
  }))
  const texts = (bounds: Partial<typeof all> | object) =>
    selectLogLines(lines, { ...all, ...bounds }).map(({ text }) => text)

  it("are the last ones, after the given time", () => {
    expect([
      texts({ tailLines: 2 }),
      texts({ tailLines: 0 }),
      texts({ sinceMillis: startMillis + 3000 }),
      texts({ tailLines: 1, sinceMillis: startMillis + 8000 })
    ]).toEqual([["at 3", "at 7"], [], ["at 3", "at 7"], []])
  })

  it("have timestamps on request", () => {
    const [line = { atMillis: 0, text: "" }] = lines
    expect(logLineText(line, { ...all, timestamps: true })).toBe("2026-01-01T00:00:01.000000000Z at 1\n")
  })
})

describe("a line of a log", () => {
  it("escapes control characters of an event's message, and stays one line", () => {
    const bounds = { tailLines: undefined, sinceMillis: undefined, limitBytes: undefined, timestamps: false }
    const line = { atMillis: startMillis, text: "app: \u001B]0;title\u0007\nanother line\u009B2J" }
    expect(logLineText(line, bounds)).toBe("app: ^[]0;title^G\\nanother line\\x9b2J\n")
  })
})
