import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import { makePodHarness } from "./podHarness.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { PodHarness } from "./podHarness.ts"

/** A fault of a Pod: its actor receives it as a change of the Pod's life. */
interface Row {
  readonly why: string
  readonly container?: Partial<Pod["spec"]["containers"][number]>
  readonly restartPolicy?: string
  readonly life?: Partial<ContainerLife>
  readonly steps: ReadonlyArray<number | PodLife>
  readonly lines: ReadonlyArray<string>
  readonly events?: ReadonlyArray<string>
}

const onNode = ({ container = {}, restartPolicy = "Always" }: Row): Pod => {
  const pod = aPod({ node: "node-1", restartPolicy })
  const image = "registry.example/app:v1"
  return { ...pod, spec: { ...pod.spec, containers: [{ name: "app", image, ...container }] } }
}

const play = (row: Row): { readonly harness: PodHarness; readonly lines: ReadonlyArray<string> } => {
  const harness = makePodHarness(onNode(row), aLife(row.life))
  harness.look()
  for (const step of row.steps) {
    if (typeof step === "number") harness.wait(step)
    else harness.look({ life: step })
  }
  return { harness, lines: harness.lines() }
}

const up = [
  "0 Pending: ContainerCreating",
  "1000 Running: running started",
  "1500 Running: running started ready"
]
const readiness = { readinessProbe: { periodSeconds: 1, failureThreshold: 3 } }
const liveness = { livenessProbe: { periodSeconds: 10, failureThreshold: 3 } }

const crashed = (run: number, ranMillis: number): PodLife =>
  aLife({ runFault: { run, crash: { code: 137, reason: "OOMKilled", ranMillis } } })
const hanging = (silentMillis: number, run = 0): PodLife => aLife({ runFault: { run, silentMillis } })

describe("a run that a fault ends", () => {
  it.each<Row>([
    {
      why: "the first restarts at once",
      steps: [5000, crashed(0, 4000), 5000],
      lines: [
        ...up,
        "5000 Running: OOMKilled 137",
        "5300 Running: running started x1",
        "5800 Running: running started ready x1"
      ]
    },
    {
      why: "the second in a row waits 10 s",
      steps: [5000, crashed(0, 4000), 5000, crashed(1, 4700), 20_000],
      lines: [
        ...up,
        "5000 Running: OOMKilled 137",
        "5300 Running: running started x1",
        "5800 Running: running started ready x1",
        "10000 Running: OOMKilled 137 x1",
        "10300 Running: CrashLoopBackOff x1",
        "20300 Running: running started x2",
        "20800 Running: running started ready x2"
      ]
    },
    {
      why: "after ten minutes it counts as the first again",
      steps: [5000, crashed(0, 4000), 700_000, crashed(1, 699_700), 20_000],
      lines: [
        ...up,
        "5000 Running: OOMKilled 137",
        "5300 Running: running started x1",
        "5800 Running: running started ready x1",
        "705000 Running: OOMKilled 137 x1",
        "705300 Running: running started x2",
        "705800 Running: running started ready x2"
      ]
    },
    {
      why: "it is not restarted with Never",
      restartPolicy: "Never",
      steps: [5000, crashed(0, 4000), 5000],
      lines: [...up, "5000 Failed: OOMKilled 137"]
    },
    {
      why: "a fault for another run is ignored",
      steps: [5000, crashed(1, 4000), 5000],
      lines: up
    },
    {
      why: "the next run crashes by its behaviour",
      life: { exit: { afterMillis: 60_000, code: 3, reason: "Error", times: Infinity } },
      steps: [
        5000,
        aLife({
          exit: { afterMillis: 60_000, code: 3, reason: "Error", times: Infinity },
          runFault: { run: 0, crash: { code: 1, reason: "Error", ranMillis: 4000 } }
        }),
        61_000
      ],
      lines: [
        ...up,
        "5000 Running: Error 1",
        "5300 Running: running started x1",
        "5800 Running: running started ready x1",
        "65300 Running: Error 3 x1",
        "65600 Running: CrashLoopBackOff x1"
      ]
    }
  ])("$why", (row) => {
    expect(play(row).lines).toEqual(row.lines)
  })
})

describe("a run that a fault makes hang", () => {
  it.each<Row>([
    {
      why: "is not ready when its readiness probe has failed three times",
      container: readiness,
      steps: [5000, hanging(4000), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "8000 Running: running started"
      ],
      events: ["8000 Unhealthy"]
    },
    {
      why: "is killed and restarted when its liveness probe has failed three times",
      container: liveness,
      steps: [5000, hanging(4000), 40_000],
      lines: [
        ...up,
        "32900 Running: Error 143",
        "33200 Running: running started x1",
        "33700 Running: running started ready x1"
      ],
      events: ["32000 Unhealthy", "32000 Killing", "33200 Pulled", "33200 Created", "33200 Started"]
    },
    {
      why: "is not ready first with both probes",
      container: { ...readiness, ...liveness },
      steps: [5000, hanging(4000), 40_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "8000 Running: running started",
        "32900 Running: Error 143",
        "33200 Running: running started x1",
        "34200 Running: running started ready x1"
      ]
    },
    {
      why: "continues without a probe",
      steps: [5000, hanging(4000), 3_600_000],
      lines: up
    },
    {
      why: "never becomes ready when it was not before",
      container: readiness,
      steps: [1100, hanging(100), 3_600_000],
      lines: ["0 Pending: ContainerCreating", "1000 Running: running started"]
    },
    {
      why: "is killed by a startup probe that has not succeeded yet",
      container: { startupProbe: { periodSeconds: 2, failureThreshold: 5 }, ...liveness },
      life: { readyMillis: 6000 },
      steps: [3000, aLife({ readyMillis: 6000, runFault: { run: 0, silentMillis: 2000 } }), 8000],
      lines: ["0 Pending: ContainerCreating", "1000 Running: running", "10900 Running: Error 143"]
    },
    {
      why: "is checked by its liveness probe once the startup probe has succeeded",
      container: { startupProbe: { periodSeconds: 2, failureThreshold: 5 }, ...liveness },
      steps: [3000, hanging(2000), 40_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "3000 Running: running started",
        "3000 Running: running started ready",
        "32900 Running: Error 143",
        "33200 Running: running x1",
        "35200 Running: running started x1",
        "35200 Running: running started ready x1"
      ]
    },
    {
      why: "is ready again at the next probe after the fault",
      container: readiness,
      steps: [5000, hanging(4000), 9300, aLife(), 5000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "8000 Running: running started",
        "15000 Running: running started ready"
      ]
    },
    {
      why: "stays ready when the fault ends before enough probes have failed",
      container: readiness,
      steps: [5000, hanging(4000), 1900, aLife(), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready"
      ]
    },
    {
      why: "is stopped even if the fault ends after the last failed probe",
      container: liveness,
      steps: [5000, hanging(4000), 27_100, aLife(), 5000],
      lines: [
        ...up,
        "32900 Running: Error 143",
        "33200 Running: running started x1",
        "33700 Running: running started ready x1"
      ]
    },
    {
      why: "ignores a fault for another run",
      container: readiness,
      steps: [5000, hanging(4000, 1), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready"
      ]
    }
  ])("$why", (row) => {
    const { harness, lines } = play(row)
    expect(lines).toEqual(row.lines)
    if (row.events !== undefined) expect(harness.events().slice(-row.events.length)).toEqual(row.events)
  })
})

describe("a Pod whose life changes for a while", () => {
  const unpullable = aLife({ pullFailures: Infinity, pullError: "no route to host" })
  it.each<Row>([
    {
      why: "fails its current pull, and succeeds with the next try after the fault",
      steps: [600, unpullable, 20_000, aLife(), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "700 Pending: ErrImagePull",
        "1700 Pending: ImagePullBackOff",
        "11400 Pending: ErrImagePull",
        "12400 Pending: ImagePullBackOff",
        "32100 Pending: ContainerCreating",
        "32400 Running: running started",
        "32900 Running: running started ready"
      ]
    },
    {
      why: "needs no pull once it has run",
      steps: [5000, unpullable, 5000, aLife(), 5000],
      lines: up
    },
    {
      why: "flaps during the fault and is ready after it",
      container: readiness,
      steps: [
        5000,
        aLife({ flap: { readyMillis: 4000, unreadyMillis: 2500, times: Infinity } }),
        20_000,
        aLife(),
        60_000
      ],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "11000 Running: running started",
        "14000 Running: running started ready",
        "20000 Running: running started",
        "23000 Running: running started ready"
      ]
    },
    {
      why: "is ready at the same time, whatever else changed before",
      container: {
        startupProbe: { periodSeconds: 1 },
        readinessProbe: { initialDelaySeconds: 15, periodSeconds: 10 }
      },
      steps: [6000, aLife({ exit: { afterMillis: 3_600_000, code: 1, reason: "Error", times: 1 } }), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "2000 Running: running started",
        "16000 Running: running started ready"
      ]
    },
    {
      why: "runs on when its crash is called off",
      steps: [
        5000,
        aLife({ exit: { afterMillis: 30_000, code: 1, reason: "Error", times: Infinity } }),
        2000,
        aLife(),
        60_000
      ],
      lines: up
    }
  ])("$why", (row) => {
    expect(play(row).lines).toEqual(row.lines)
  })
})

describe("a Pod that its kubelet evicts", () => {
  const eviction = { reason: "Evicted", message: "The node was low on resource: memory. " }
  const evicted: PodLife = { ...aLife(), eviction }

  it("is stopped, fails when nothing runs any more, and stays failed", () => {
    const row: Row = { why: "", steps: [5000, evicted, 10_000, evicted], lines: [] }
    const { harness, lines } = play(row)
    expect(lines).toEqual([...up, "5900 Failed (Evicted): Completed 0"])
    expect(harness.events().slice(-2)).toEqual(["5000 Evicted", "5000 Killing"])
    expect(harness.value()).toBe("failed")
    const { status } = harness.pod()
    expect(status.message).toBe(eviction.message)
    expect(
      status.conditions?.map(
        ({ type, status: conditionStatus, reason }) => `${type} ${conditionStatus} ${reason ?? ""}`
      )
    ).toEqual([
      "DisruptionTarget True TerminationByKubelet",
      "PodReadyToStartContainers False ",
      "Initialized True ",
      "Ready False PodFailed",
      "ContainersReady False PodFailed",
      "PodScheduled True "
    ])
  })

  it("has two seconds to stop", () => {
    const harness = makePodHarness(aPod({ node: "node-1" }), { ...aLife(), terminateMillis: 60_000 })
    harness.look()
    harness.wait(5000)
    harness.look({ life: { ...evicted, terminateMillis: 60_000 } })
    harness.wait(60_000)
    expect(harness.lines()).toEqual([...up, "7000 Failed (Evicted): Error 137"])
  })

  it("has a second for its preStop hook before SIGTERM", () => {
    const sleep = { seconds: 10 }
    const container = { lifecycle: { preStop: { sleep } } }
    const row: Row = { why: "", container, steps: [5000, evicted, 10_000], lines: [] }
    expect(play(row).lines).toEqual([...up, "6900 Failed (Evicted): Completed 0"])
  })

  it("fails at once when nothing runs yet", () => {
    const row: Row = { why: "", steps: [300, evicted, 10], lines: [] }
    expect(play(row).lines.at(-1)).toBe("300 Failed (Evicted): ContainerStatusUnknown 137")
  })
})
