import { describe, expect, it } from "vitest"
import { podStatusText, shownRestarts } from "../../../src/kubernetes/pods/podStatusText.ts"
import { restartCountOf } from "../../../src/kubernetes/pods/podState.ts"
import { aContainerStatus, aPod, aRunningState, aWaitingState } from "../../builders.ts"
import type { ContainerStatus, Pod } from "../../../src/kubernetes/meta/objects.ts"

type State = NonNullable<ContainerStatus["state"]>

interface PodTraits {
  readonly init?: ReadonlyArray<Partial<ContainerStatus>>
  readonly apps?: ReadonlyArray<Partial<ContainerStatus>>
  readonly status?: Partial<Pod["status"]>
  readonly isStopping?: boolean
  /** How many of the init containers, from the first, are sidecars. */
  readonly sidecars?: number
}

const statusOf = (name: string, status: Partial<ContainerStatus>): ContainerStatus =>
  aContainerStatus({ name, image: "", ready: status.state?.running !== undefined, ...status })

const aPodWith = ({
  init = [],
  apps = [],
  status = {},
  isStopping = false,
  sidecars = 0
}: PodTraits): Pod => ({
  ...aPod({
    name: "web-1",
    terminating: isStopping,
    spec: {
      initContainers: init.map((_, index) => ({
        name: `init-${index}`,
        ...(index < sidecars && { restartPolicy: "Always" })
      })),
      containers: apps.map((_, index) => ({ name: `app-${index}` }))
    }
  }),
  status: {
    phase: "Pending",
    initContainerStatuses: init.map((it, index) => statusOf(`init-${index}`, it)),
    containerStatuses: apps.map((it, index) => statusOf(`app-${index}`, it)),
    ...status
  }
})

const waits = (reason: string): { readonly state: State } => ({ state: aWaitingState(reason) })
const ended = (exitCode: number, more: object = {}): { readonly state: State } => ({
  state: { terminated: { exitCode, ...more } }
})
const completed = ended(0, { reason: "Completed" })
const runs = { state: aRunningState() }
const isReady = { conditions: [{ type: "Ready", status: "True" as const }] }
const isInitialized = { conditions: [{ type: "Initialized", status: "True" as const }] }
const queued = waits("PodInitializing")

describe("the status column of a Pod", () => {
  const rows: ReadonlyArray<PodTraits & { readonly why: string; readonly statusText: string }> = [
    { why: "no container has started", statusText: "Pending" },
    {
      why: "scheduling is gated",
      status: { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
      statusText: "SchedulingGated"
    },
    {
      why: "the status has a reason",
      status: { phase: "Failed", reason: "Evicted" },
      statusText: "Evicted"
    },
    {
      why: "the second of two init containers runs",
      init: [completed, runs],
      apps: [queued],
      statusText: "Init:1/2"
    },
    {
      why: "the first init container waits without a reason",
      init: [waits(""), queued],
      statusText: "Init:0/2"
    },
    { why: "an init container is queued", init: [queued], statusText: "Init:0/1" },
    {
      why: "an init container cannot be pulled",
      init: [waits("ImagePullBackOff")],
      statusText: "Init:ImagePullBackOff"
    },
    { why: "an init container failed", init: [ended(3, { reason: "Error" })], statusText: "Init:Error" },
    {
      why: "an init container failed without a reason",
      init: [ended(3, { reason: "" })],
      statusText: "Init:ExitCode:3"
    },
    {
      why: "an init container was ended by a signal",
      init: [ended(137, { signal: 9 })],
      statusText: "Init:Signal:9"
    },
    {
      why: "an init container was ended by signal 1",
      init: [ended(129, { signal: 1 })],
      statusText: "Init:Signal:1"
    },
    { why: "signal 0 counts as none", init: [ended(1, { signal: 0 })], statusText: "Init:ExitCode:1" },
    {
      why: "a started sidecar counts as done",
      init: [{ ...runs, started: true }, runs],
      sidecars: 1,
      apps: [queued],
      statusText: "Init:1/2"
    },
    {
      why: "a sidecar that has not started does not count",
      init: [{ ...runs, started: false }, completed],
      sidecars: 1,
      apps: [queued],
      statusText: "Init:0/2"
    },
    {
      why: "an init container counts only when it has terminated",
      init: [
        { ...runs, started: true },
        { ...runs, started: true }
      ],
      sidecars: 1,
      statusText: "Init:1/2"
    },
    {
      why: "all init containers succeeded",
      init: [completed],
      apps: [queued],
      statusText: "PodInitializing"
    },
    {
      why: "a sidecar of an initialized Pod crashes beside a container that runs",
      init: [{ ...waits("CrashLoopBackOff"), started: false }],
      sidecars: 1,
      apps: [runs],
      status: { phase: "Running", ...isInitialized },
      statusText: "Init:CrashLoopBackOff"
    },
    {
      why: "a sidecar of an initialized Pod restarts, and a container crashes",
      init: [{ ...runs, started: false }],
      sidecars: 1,
      apps: [waits("CrashLoopBackOff")],
      status: { phase: "Running", ...isInitialized },
      statusText: "CrashLoopBackOff"
    },
    {
      why: "a sidecar failed at the end of a Pod that succeeded",
      init: [ended(137, { reason: "Error" })],
      sidecars: 1,
      apps: [completed],
      status: { phase: "Succeeded", ...isInitialized },
      statusText: "Completed"
    },
    {
      why: "the first container decides",
      apps: [waits("ErrImagePull"), ended(1, { reason: "Error" })],
      statusText: "ErrImagePull"
    },
    {
      why: "a container without a state is ignored",
      apps: [{}, waits("CrashLoopBackOff")],
      statusText: "CrashLoopBackOff"
    },
    { why: "a container that waits without a reason is ignored", apps: [waits("")], statusText: "Pending" },
    {
      why: "one container succeeded, the other runs in a ready Pod",
      apps: [completed, runs],
      status: { phase: "Running", ...isReady },
      statusText: "Running"
    },
    {
      why: "one container succeeded, the other runs in a Pod that is not ready",
      apps: [completed, runs],
      status: { phase: "Running" },
      statusText: "NotReady"
    },
    {
      why: "one container succeeded, the other is not ready",
      apps: [completed, { ...runs, ready: false }],
      status: { phase: "Running", ...isReady },
      statusText: "Completed"
    },
    {
      why: "one container succeeded, the other is ready without a state",
      apps: [completed, { ready: true }],
      status: { phase: "Running" },
      statusText: "Completed"
    },
    {
      why: "one container succeeded, the other failed",
      apps: [completed, ended(1, { reason: "Error" })],
      statusText: "Error"
    },
    {
      why: "a container was ended by a signal",
      apps: [ended(137, { signal: 9 })],
      status: { phase: "Running" },
      statusText: "Signal:9"
    },
    {
      why: "all containers succeeded",
      apps: [completed, completed],
      status: { phase: "Succeeded" },
      statusText: "Completed"
    },
    { why: "the container runs", apps: [runs], status: { phase: "Running" }, statusText: "Running" },
    {
      why: "one container crashes, the other runs",
      apps: [waits("CrashLoopBackOff"), runs],
      status: { phase: "Running" },
      statusText: "CrashLoopBackOff"
    },
    {
      why: "it is being deleted",
      apps: [runs],
      status: { phase: "Running" },
      isStopping: true,
      statusText: "Terminating"
    },
    {
      why: "it succeeded before its deletion",
      apps: [completed],
      status: { phase: "Succeeded" },
      isStopping: true,
      statusText: "Completed"
    },
    {
      why: "it failed before its deletion",
      apps: [ended(2)],
      status: { phase: "Failed" },
      isStopping: true,
      statusText: "ExitCode:2"
    },
    {
      why: "its node is lost",
      status: { phase: "Running", reason: "NodeLost" },
      isStopping: true,
      statusText: "Unknown"
    }
  ]
  it.each(rows)("is $statusText: $why", ({ statusText, why: _why, ...traits }) => {
    expect(podStatusText(aPodWith(traits))).toBe(statusText)
  })
})

describe("the restarts column of a Pod", () => {
  const init = [
    { restartCount: 2, ...runs, started: true },
    { restartCount: 3, ...completed }
  ]
  const apps = [{ restartCount: 5, ...runs }]

  it("counts init containers until they are done, then sidecars and app containers", () => {
    expect(
      shownRestarts(aPodWith({ init: [...init, { restartCount: 7, ...runs }], sidecars: 1, apps }))
    ).toBe(12)
    expect(shownRestarts(aPodWith({ init, sidecars: 1, apps }))).toBe(7)
  })

  it("counts sidecars and app containers of an initialized Pod while a sidecar restarts", () => {
    const restarting = [{ restartCount: 4, ...waits("CrashLoopBackOff"), started: false }, ...init.slice(1)]
    const pod = aPodWith({ init: restarting, sidecars: 1, apps, status: isInitialized })
    expect(shownRestarts(pod)).toBe(9)
    const second = aPodWith({ init: [...restarting, ...init], sidecars: 4, apps, status: isInitialized })
    expect(shownRestarts(second)).toBe(9)
  })

  it("may be less than all restarts", () => {
    const pod = aPodWith({ init, sidecars: 1, apps })
    expect(restartCountOf(pod)).toBe(10)
    expect(restartCountOf({ ...pod, status: { phase: "Pending" } })).toBe(0)
  })
})
