import { describe, expect, it } from "vitest"
import {
  activityElapsedMillis,
  storedContainerFacts,
  storedContainers
} from "../../../src/kubernetes/pods/containers/storedContainers.ts"
import { aPod, aTime, someContainerStatus, startMillis } from "../../builders.ts"
import type { ContainerStatus, Pod } from "../../../src/kubernetes/meta/objects.ts"

const said = (name: string, status: Partial<ContainerStatus> = {}): ContainerStatus => ({
  ...someContainerStatus(4),
  name,
  ...status
})

const ran = (from: number, to: number) => ({
  terminated: { exitCode: 2, startedAt: aTime(from), finishedAt: aTime(to) }
})
const running = { running: { startedAt: aTime(3) } }
const waiting = (reason: string, message?: string) => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) }
})

describe("the containers of a Pod, as it is stored", () => {
  const pod = aPod({
    spec: {
      containers: [{ name: "app", image: "web:v1" }],
      initContainers: [
        { name: "setup", image: "web:v1" },
        { name: "side", image: "log:v1", restartPolicy: "Always" }
      ]
    }
  })
  /** `setup init queued`, one after another. */
  const textsOf = (stored: Pod): ReadonlyArray<string> =>
    storedContainers(stored).map(({ name, role, doing }) => `${name} ${role} ${doing}`)
  const withStatuses = (
    inits: ReadonlyArray<ContainerStatus>,
    app: ContainerStatus = said("app", { state: waiting("PodInitializing") })
  ): Pod => ({
    ...pod,
    status: { phase: "Pending", initContainerStatuses: inits, containerStatuses: [app] }
  })

  it("are those for init first, and none has had its turn when nothing was said", () => {
    expect(textsOf(pod)).toEqual(["setup init queued", "side sidecar queued", "app app queued"])
  })

  it.each<{ readonly spec: Partial<Pod["spec"]> }>([{ spec: {} }, { spec: { initContainers: [] } }])(
    "are being created at once where there is none for init: $spec",
    ({ spec }) => {
      expect(textsOf(aPod({ spec }))).toEqual(["app app creating"])
    }
  )

  it.each([
    {
      why: "the first has done its work",
      stored: withStatuses([said("setup", { state: ran(1, 2) }), said("side", { state: waiting("x") })]),
      texts: ["setup init terminated", "side sidecar queued", "app app queued"]
    },
    {
      why: "a pull has failed, so it has had its turn",
      stored: withStatuses([said("setup", { state: waiting("ErrImagePull") })]),
      texts: ["setup init pullFailed", "side sidecar queued", "app app queued"]
    },
    {
      why: "all have begun, and one is created anew",
      stored: withStatuses(
        [said("setup", { state: ran(1, 2) }), said("side", { state: running })],
        said("app", { state: waiting("ContainerCreating"), lastState: ran(4, 5) })
      ),
      texts: ["setup init terminated", "side sidecar running", "app app creating"]
    }
  ])("are where they were: $why", ({ stored, texts }) => {
    expect(textsOf(stored)).toEqual(texts)
  })
})

describe("what a stored status says of a container", () => {
  it.each([
    {
      why: "it runs and answers",
      status: said("app", { state: running, started: true }),
      ready: true,
      started: true
    },
    {
      why: "it does not answer",
      status: said("app", { state: running, ready: false }),
      ready: false,
      started: false
    },
    {
      why: "one for init is called ready when it is done",
      status: said("app", { state: ran(1, 2) }),
      ready: false,
      started: false
    },
    { why: "nothing was said", status: undefined, ready: false, started: false },
    {
      why: "a hand wrote it and left the rest out",
      status: { name: "app", state: running } as ContainerStatus,
      ready: false,
      started: false
    }
  ])("ready: $ready, started: $started: $why", ({ status, ready, started }) => {
    expect(storedContainerFacts("app", status)).toMatchObject({ ready, started })
  })

  it("counts no restart that it does not speak of", () => {
    expect(storedContainerFacts("app", undefined).restartCount).toBe(0)
    expect(storedContainerFacts("app", said("app")).restartCount).toBe(4)
  })

  it.each(["InvalidImageName", "ErrImageNeverPull"])("%s: its image is refused", (reason) => {
    expect(storedContainerFacts("app", said("app", { state: waiting(reason) })).doing).toBe("imageRefused")
  })

  it.each([
    { why: "as it says", ended: { exitCode: 137, reason: "OOMKilled" }, reason: "OOMKilled" },
    { why: "nothing says why", ended: { exitCode: 2 }, reason: "Error" }
  ])("its last run ended with $reason: $why", ({ ended, reason }) => {
    const facts = storedContainerFacts("app", said("app", { state: { terminated: ended } }))
    expect(facts.lastExit).toEqual({ code: ended.exitCode, reason })
  })

  it.each([
    { why: "it has never run", status: undefined, crashes: 0 },
    {
      why: "it runs for the first time",
      status: said("app", { restartCount: 0, state: running }),
      crashes: 0
    },
    { why: "one run of many has ended", status: said("app", { state: ran(1, 9) }), crashes: 5 },
    { why: "it runs again", status: said("app", { state: running, lastState: ran(1, 9) }), crashes: 4 },
    { why: "nearly ten minutes", status: said("app", { state: ran(1, 600) }), crashes: 5 },
    { why: "ten good minutes", status: said("app", { state: ran(1, 601) }), crashes: 1 },
    {
      why: "an hour, and it runs again",
      status: said("app", { state: running, lastState: ran(0, 3600) }),
      crashes: 1
    },
    { why: "no times are told", status: said("app", { state: { terminated: { exitCode: 2 } } }), crashes: 5 },
    {
      why: "it waits, and says how long",
      status: said("app", {
        state: waiting("CrashLoopBackOff", "back-off 20s restarting"),
        lastState: ran(1, 9)
      }),
      crashes: 3
    },
    { why: "it waits", status: said("app", { state: waiting("CrashLoopBackOff") }), crashes: 5 }
  ])("has crashed $crashes times in a row: $why", ({ status, crashes }) => {
    expect(storedContainerFacts("app", status).crashes).toBe(crashes)
  })

  it.each([
    { state: waiting("ErrImagePull", "manifest unknown"), error: "manifest unknown" },
    {
      state: waiting(
        "ImagePullBackOff",
        'Back-off pulling image "web:v1": ErrImagePull: not: ErrImagePull: found'
      ),
      error: "not: ErrImagePull: found"
    },
    { state: waiting("ImagePullBackOff", 'Back-off pulling image "web:v1"'), error: undefined },
    { state: waiting("ContainerCreating"), error: undefined },
    { state: running, error: undefined }
  ])("the registry said “$error”", ({ state, error }) => {
    expect(storedContainerFacts("app", said("app", { state })).pullError).toBe(error)
  })
})

describe("how long a container has been at what it does", () => {
  it.each([
    { why: "nothing was said of it", status: undefined, elapsed: 0 },
    { why: "nothing was said of its state", status: said("app"), elapsed: 0 },
    { why: "nothing has ended", status: said("app", { state: { waiting: {} }, lastState: {} }), elapsed: 0 },
    {
      why: "it has ended, nobody knows when",
      status: said("app", { state: { terminated: { exitCode: 1 } } }),
      elapsed: 0
    },
    {
      why: "since its last end, all that is told",
      status: said("app", { lastState: ran(1, 9) }),
      elapsed: 2_000
    }
  ])("$elapsed ms: $why", ({ status, elapsed }) => {
    expect(activityElapsedMillis(status, startMillis + 11_000)).toBe(elapsed)
  })
})
