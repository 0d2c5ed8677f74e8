import { describe, expect, it } from "vitest"
import {
  millisSinceStartOrExit,
  storedContainerFacts,
  containerFactsOfPod
} from "../../../../src/kubernetes/pods/containers/storedContainers.ts"
import {
  aContainerStatus,
  aPod,
  aRunningState,
  aTerminatedState,
  aWaitingState,
  startMillis
} from "../../../builders.ts"
import type { ContainerStatus, Pod } from "../../../../src/kubernetes/meta/objects.ts"

const storedStatus = (name: string, status: Partial<ContainerStatus> = {}): ContainerStatus =>
  aContainerStatus({ name, ready: true, restartCount: 4, ...status })

const ended = (from: number, to: number) => aTerminatedState(2, { from, to })
const running = aRunningState(3)

describe("the containers of a stored Pod", () => {
  const pod = aPod({
    spec: {
      containers: [{ name: "app", image: "web:v1" }],
      initContainers: [
        { name: "setup", image: "web:v1" },
        { name: "side", image: "log:v1", restartPolicy: "Always" }
      ]
    }
  })
  /** `setup init queued` for each container. */
  const textsOf = (stored: Pod): ReadonlyArray<string> =>
    containerFactsOfPod(stored).map(({ name, role, doing }) => `${name} ${role} ${doing}`)
  const withStatuses = (
    inits: ReadonlyArray<ContainerStatus>,
    app: ContainerStatus = storedStatus("app", { state: aWaitingState("PodInitializing") })
  ): Pod => ({
    ...pod,
    status: { phase: "Pending", initContainerStatuses: inits, containerStatuses: [app] }
  })

  it("start with the init containers, all queued without statuses", () => {
    expect(textsOf(pod)).toEqual(["setup init queued", "side sidecar queued", "app app queued"])
  })

  it.each<{ readonly spec: Partial<Pod["spec"]> }>([{ spec: {} }, { spec: { initContainers: [] } }])(
    "are creating when there are no init containers: $spec",
    ({ spec }) => {
      expect(textsOf(aPod({ spec }))).toEqual(["app app creating"])
    }
  )

  it("are queued when there are several, except those that have begun", () => {
    const containers = ["app", "log", "proxy"].map((name) => ({ name, image: `${name}:v1` }))
    const statuses = [
      storedStatus("app", { state: running }),
      storedStatus("log", { state: aWaitingState("ErrImagePull") })
    ]
    const several = aPod({ spec: { containers } })
    expect(textsOf(several)).toEqual(["app app queued", "log app queued", "proxy app queued"])
    expect(textsOf({ ...several, status: { phase: "Pending", containerStatuses: statuses } })).toEqual([
      "app app running",
      "log app pullFailed",
      "proxy app queued"
    ])
  })

  it.each([
    {
      why: "the first init container succeeded",
      stored: withStatuses([
        storedStatus("setup", { state: ended(1, 2) }),
        storedStatus("side", { state: aWaitingState("x") })
      ]),
      texts: ["setup init terminated", "side sidecar queued", "app app queued"]
    },
    {
      why: "the first pull failed, so it is not queued",
      stored: withStatuses([storedStatus("setup", { state: aWaitingState("ErrImagePull") })]),
      texts: ["setup init pullFailed", "side sidecar queued", "app app queued"]
    },
    {
      why: "all have started and one is created again",
      stored: withStatuses(
        [storedStatus("setup", { state: ended(1, 2) }), storedStatus("side", { state: running })],
        storedStatus("app", { state: aWaitingState("ContainerCreating"), lastState: ended(4, 5) })
      ),
      texts: ["setup init terminated", "side sidecar running", "app app creating"]
    }
  ])("follow from their statuses: $why", ({ stored, texts }) => {
    expect(textsOf(stored)).toEqual(texts)
  })
})

describe("the facts of a stored container status", () => {
  it.each([
    {
      why: "it runs and is ready",
      status: storedStatus("app", { state: running, started: true }),
      ready: true,
      started: true
    },
    {
      why: "it runs and is not ready",
      status: storedStatus("app", { state: running, ready: false }),
      ready: false,
      started: false
    },
    {
      why: "a terminated init container is ready in its status only",
      status: storedStatus("app", { state: ended(1, 2) }),
      ready: false,
      started: false
    },
    { why: "there is no status", status: undefined, ready: false, started: false },
    {
      why: "a handwritten status without the other fields",
      status: { name: "app", state: running } as ContainerStatus,
      ready: false,
      started: false
    }
  ])("ready: $ready, started: $started: $why", ({ status, ready, started }) => {
    expect(storedContainerFacts("app", status)).toMatchObject({ ready, started })
  })

  it("have 0 restarts without a status", () => {
    expect(storedContainerFacts("app", undefined).restartCount).toBe(0)
    expect(storedContainerFacts("app", storedStatus("app")).restartCount).toBe(4)
  })

  it.each(["InvalidImageName", "ErrImageNeverPull"])("have a refused image for %s", (reason) => {
    expect(storedContainerFacts("app", storedStatus("app", { state: aWaitingState(reason) })).doing).toBe(
      "imageRefused"
    )
  })

  it.each([
    { why: "the given reason", ended: { exitCode: 137, reason: "OOMKilled" }, reason: "OOMKilled" },
    { why: "no reason", ended: { exitCode: 2 }, reason: "Error" }
  ])("have a last exit with $reason: $why", ({ ended, reason }) => {
    const facts = storedContainerFacts("app", storedStatus("app", { state: { terminated: ended } }))
    expect(facts.lastExit).toEqual({ code: ended.exitCode, reason })
  })

  it.each([
    { why: "no run yet", status: undefined, crashes: 0 },
    {
      why: "the first run",
      status: storedStatus("app", { restartCount: 0, state: running }),
      crashes: 0
    },
    {
      why: "the end of one of many runs",
      status: storedStatus("app", { state: ended(1, 9) }),
      crashes: 5
    },
    {
      why: "another run",
      status: storedStatus("app", { state: running, lastState: ended(1, 9) }),
      crashes: 4
    },
    {
      why: "a run of just below ten minutes",
      status: storedStatus("app", { state: ended(1, 600) }),
      crashes: 5
    },
    {
      why: "a run of more than ten minutes",
      status: storedStatus("app", { state: ended(1, 601) }),
      crashes: 1
    },
    {
      why: "another run after an hour",
      status: storedStatus("app", { state: running, lastState: ended(0, 3600) }),
      crashes: 1
    },
    {
      why: "a run without times",
      status: storedStatus("app", { state: { terminated: { exitCode: 2 } } }),
      crashes: 5
    },
    {
      why: "a back-off with its duration",
      status: storedStatus("app", {
        state: aWaitingState("CrashLoopBackOff", "back-off 20s restarting"),
        lastState: ended(1, 9)
      }),
      crashes: 3
    },
    {
      why: "a back-off without its duration",
      status: storedStatus("app", { state: aWaitingState("CrashLoopBackOff") }),
      crashes: 5
    }
  ])("have $crashes consecutive crashes: $why", ({ status, crashes }) => {
    expect(storedContainerFacts("app", status).crashes).toBe(crashes)
  })

  it.each([
    { state: aWaitingState("ErrImagePull", "manifest unknown"), error: "manifest unknown" },
    {
      state: aWaitingState(
        "ImagePullBackOff",
        'Back-off pulling image "web:v1": ErrImagePull: not: ErrImagePull: found'
      ),
      error: "not: ErrImagePull: found"
    },
    { state: aWaitingState("ImagePullBackOff", 'Back-off pulling image "web:v1"'), error: undefined },
    { state: aWaitingState("ContainerCreating"), error: undefined },
    { state: running, error: undefined }
  ])("have the pull error “$error”", ({ state, error }) => {
    expect(storedContainerFacts("app", storedStatus("app", { state })).pullError).toBe(error)
  })
})

describe("the time since the last change of a container", () => {
  it.each([
    { why: "no status", status: undefined, elapsed: 0 },
    { why: "no state", status: storedStatus("app"), elapsed: 0 },
    {
      why: "no termination",
      status: storedStatus("app", { state: { waiting: {} }, lastState: {} }),
      elapsed: 0
    },
    {
      why: "a termination without time",
      status: storedStatus("app", { state: { terminated: { exitCode: 1 } } }),
      elapsed: 0
    },
    {
      why: "the last termination when there is no state",
      status: storedStatus("app", { lastState: ended(1, 9) }),
      elapsed: 2_000
    }
  ])("is $elapsed ms: $why", ({ status, elapsed }) => {
    expect(millisSinceStartOrExit(status, startMillis + 11_000)).toBe(elapsed)
  })
})
