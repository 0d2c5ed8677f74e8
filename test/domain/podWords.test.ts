import { describe, expect, it } from "vitest"
import { podStatusText, shownRestarts } from "../../src/kubernetes/pods/podStatusText.ts"
import { restartCountOf } from "../../src/kubernetes/pods/podState.ts"
import type { ContainerStatus, Pod } from "../../src/kubernetes/meta/objects.ts"

type State = NonNullable<ContainerStatus["state"]>

interface Traits {
  /** Of the init containers, in their order, that has begun. */
  readonly init?: ReadonlyArray<Partial<ContainerStatus>>
  readonly apps?: ReadonlyArray<Partial<ContainerStatus>>
  readonly status?: Partial<Pod["status"]>
  readonly isStopping?: true
  /** How many of the init containers go on beside the others: the first ones. */
  readonly sidecars?: number
}

const statusOf = (name: string, status: Partial<ContainerStatus>): ContainerStatus => ({
  name,
  image: "",
  imageID: "",
  ready: status.state?.running !== undefined,
  restartCount: 0,
  ...status
})

const aPod = ({ init = [], apps = [], status = {}, isStopping, sidecars = 0 }: Traits): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-1",
    namespace: "default",
    uid: "uid-1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(isStopping && { deletionTimestamp: "2026-01-01T00:01:00Z" })
  },
  spec: {
    initContainers: init.map((_, index) => ({
      name: `init-${index}`,
      ...(index < sidecars && { restartPolicy: "Always" })
    })),
    containers: apps.map((_, index) => ({ name: `app-${index}` }))
  },
  status: {
    phase: "Pending",
    initContainerStatuses: init.map((it, index) => statusOf(`init-${index}`, it)),
    containerStatuses: apps.map((it, index) => statusOf(`app-${index}`, it)),
    ...status
  }
})

const waits = (reason: string): { readonly state: State } => ({ state: { waiting: { reason } } })
const ended = (exitCode: number, more: object = {}): { readonly state: State } => ({
  state: { terminated: { exitCode, ...more } }
})
const completed = ended(0, { reason: "Completed" })
const runs = { state: { running: {} } }
const isReady = { conditions: [{ type: "Ready", status: "True" as const }] }
const queued = waits("PodInitializing")

describe("the word for how a Pod is", () => {
  const rows: ReadonlyArray<Traits & { readonly why: string; readonly word: string }> = [
    { why: "nothing has begun", word: "Pending" },
    {
      why: "nobody may put it on a node yet",
      status: { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
      word: "SchedulingGated"
    },
    {
      why: "its status has a reason of its own",
      status: { phase: "Failed", reason: "Evicted" },
      word: "Evicted"
    },
    { why: "the second of two", init: [completed, runs], apps: [queued], word: "Init:1/2" },
    { why: "the first waits for no reason", init: [waits(""), queued], word: "Init:0/2" },
    { why: "one has not begun and says so", init: [queued], word: "Init:0/1" },
    { why: "one cannot begin", init: [waits("ImagePullBackOff")], word: "Init:ImagePullBackOff" },
    { why: "one has failed", init: [ended(3, { reason: "Error" })], word: "Init:Error" },
    { why: "one has failed without a word", init: [ended(3, { reason: "" })], word: "Init:ExitCode:3" },
    { why: "a signal has ended one", init: [ended(137, { signal: 9 })], word: "Init:Signal:9" },
    { why: "signal 1 is one too", init: [ended(129, { signal: 1 })], word: "Init:Signal:1" },
    { why: "and 0 is none", init: [ended(1, { signal: 0 })], word: "Init:ExitCode:1" },
    {
      why: "a sidecar that has started is not waited for",
      init: [{ ...runs, started: true }, runs],
      sidecars: 1,
      apps: [queued],
      word: "Init:1/2"
    },
    {
      why: "one that has not is",
      init: [{ ...runs, started: false }, completed],
      sidecars: 1,
      apps: [queued],
      word: "Init:0/2"
    },
    {
      why: "what is no sidecar has to end, started or not",
      init: [
        { ...runs, started: true },
        { ...runs, started: true }
      ],
      sidecars: 1,
      word: "Init:1/2"
    },
    { why: "all init containers are done", init: [completed], apps: [queued], word: "PodInitializing" },
    {
      why: "the first container overrules",
      apps: [waits("ErrImagePull"), ended(1, { reason: "Error" })],
      word: "ErrImagePull"
    },
    {
      why: "one without a state says nothing",
      apps: [{}, waits("CrashLoopBackOff")],
      word: "CrashLoopBackOff"
    },
    { why: "nor does one that waits for no reason", apps: [waits("")], word: "Pending" },
    {
      why: "one has ended well, the other runs, and it is ready",
      apps: [completed, runs],
      status: { phase: "Running", ...isReady },
      word: "Running"
    },
    {
      why: "the same where it is not ready",
      apps: [completed, runs],
      status: { phase: "Running" },
      word: "NotReady"
    },
    {
      why: "one has ended well, and the other runs and does not answer",
      apps: [completed, { ...runs, ready: false }],
      status: { phase: "Running", ...isReady },
      word: "Completed"
    },
    {
      why: "one that is called ready and has no state does not run",
      apps: [completed, { ready: true }],
      status: { phase: "Running" },
      word: "Completed"
    },
    {
      why: "one has ended well, the other badly",
      apps: [completed, ended(1, { reason: "Error" })],
      word: "Error"
    },
    {
      why: "all have ended well",
      apps: [completed, completed],
      status: { phase: "Succeeded" },
      word: "Completed"
    },
    { why: "it runs", apps: [runs], status: { phase: "Running" }, word: "Running" },
    {
      why: "a container fails beside one that runs",
      apps: [waits("CrashLoopBackOff"), runs],
      status: { phase: "Running" },
      word: "CrashLoopBackOff"
    },
    { why: "it stops", apps: [runs], status: { phase: "Running" }, isStopping: true, word: "Terminating" },
    {
      why: "it has ended before it goes",
      apps: [completed],
      status: { phase: "Succeeded" },
      isStopping: true,
      word: "Completed"
    },
    {
      why: "so has one that failed",
      apps: [ended(2)],
      status: { phase: "Failed" },
      isStopping: true,
      word: "ExitCode:2"
    },
    {
      why: "nobody hears of it",
      status: { phase: "Running", reason: "NodeLost" },
      isStopping: true,
      word: "Unknown"
    }
  ]
  it.each(rows)("is $word: $why", ({ word, why: _why, ...traits }) => {
    expect(podStatusText(aPod(traits))).toBe(word)
  })
})

describe("the restarts that are shown", () => {
  const init = [
    { restartCount: 2, ...runs, started: true },
    { restartCount: 3, ...completed }
  ]
  const apps = [{ restartCount: 5, ...runs }]

  it("are those of init containers until they are done, and then those of what goes on", () => {
    expect(shownRestarts(aPod({ init: [...init, { restartCount: 7, ...runs }], sidecars: 1, apps }))).toBe(12)
    expect(shownRestarts(aPod({ init, sidecars: 1, apps }))).toBe(7)
  })

  it("are fewer than all that there were", () => {
    const pod = aPod({ init, sidecars: 1, apps })
    expect(restartCountOf(pod)).toBe(10)
    expect(restartCountOf({ ...pod, status: { phase: "Pending" } })).toBe(0)
  })
})
