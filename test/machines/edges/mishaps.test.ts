import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../leafWorlds.ts"
import { makePodStage } from "./podStage.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { PodStage } from "./podStage.ts"

/** What comes over a Pod from outside while its actor lives: it is told of it by how it is to live from then on. */
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

const told = (row: Row): { readonly stage: PodStage; readonly lines: ReadonlyArray<string> } => {
  const stage = makePodStage(onNode(row), aLife(row.life))
  stage.look()
  for (const step of row.steps) {
    if (typeof step === "number") stage.wait(step)
    else stage.look({ life: step })
  }
  return { stage, lines: stage.lines() }
}

const up = [
  "0 Pending: ContainerCreating",
  "1000 Running: running started",
  "1500 Running: running started ready"
]
const readiness = { readinessProbe: { periodSeconds: 1, failureThreshold: 3 } }
const liveness = { livenessProbe: { periodSeconds: 10, failureThreshold: 3 } }

const crashed = (run: number, ranMillis: number): PodLife =>
  aLife({ mishap: { run, crash: { code: 137, reason: "OOMKilled", ranMillis } } })
const silent = (silentMillis: number, run = 0): PodLife => aLife({ mishap: { run, silentMillis } })

describe("a run that something from outside ends", () => {
  it.each<Row>([
    {
      why: "the first is followed by another at once",
      steps: [5000, crashed(0, 4000), 5000],
      lines: [
        ...up,
        "5000 Running: OOMKilled 137",
        "5300 Running: running started x1",
        "5800 Running: running started ready x1"
      ]
    },
    {
      why: "the second in a row is followed by a wait of 10 s",
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
      why: "after ten good minutes it counts as the first again",
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
      why: "it is over for good under Never",
      restartPolicy: "Never",
      steps: [5000, crashed(0, 4000), 5000],
      lines: [...up, "5000 Failed: OOMKilled 137"]
    },
    {
      why: "another run than the present one is past being ended",
      steps: [5000, crashed(1, 4000), 5000],
      lines: up
    },
    {
      why: "the run after it would have crashed as its behaviour says, and does",
      life: { exit: { afterMillis: 60_000, code: 3, reason: "Error", times: Infinity } },
      steps: [
        5000,
        aLife({
          exit: { afterMillis: 60_000, code: 3, reason: "Error", times: Infinity },
          mishap: { run: 0, crash: { code: 1, reason: "Error", ranMillis: 4000 } }
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
    expect(told(row).lines).toEqual(row.lines)
  })
})

describe("a run that hangs", () => {
  it.each<Row>([
    {
      why: "is unready when its readiness probe has failed three times",
      container: readiness,
      steps: [5000, silent(4000), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "7000 Running: running started"
      ],
      events: ["7000 Unhealthy"]
    },
    {
      why: "is killed and started again when its liveness probe has failed three times",
      container: liveness,
      steps: [5000, silent(4000), 40_000],
      lines: [
        ...up,
        "31900 Running: Error 143",
        "32200 Running: running started x1",
        "32700 Running: running started ready x1"
      ],
      events: ["31000 Unhealthy", "31000 Killing", "32200 Pulled", "32200 Created", "32200 Started"]
    },
    {
      why: "is unready first where it has both probes",
      container: { ...readiness, ...liveness },
      steps: [5000, silent(4000), 40_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "7000 Running: running started",
        "31900 Running: Error 143",
        "32200 Running: running started x1",
        "33200 Running: running started ready x1"
      ]
    },
    {
      why: "is noticed by nobody where there is no probe",
      steps: [5000, silent(4000), 3_600_000],
      lines: up
    },
    {
      why: "never was ready and never will be",
      container: readiness,
      steps: [1100, silent(100), 3_600_000],
      lines: ["0 Pending: ContainerCreating", "1000 Running: running started"]
    },
    {
      why: "is killed by its startup probe that it has not passed yet",
      container: { startupProbe: { periodSeconds: 2, failureThreshold: 5 }, ...liveness },
      life: { readyMillis: 6000 },
      steps: [3000, aLife({ readyMillis: 6000, mishap: { run: 0, silentMillis: 2000 } }), 7000],
      lines: ["0 Pending: ContainerCreating", "1000 Running: running", "9900 Running: Error 143"]
    },
    {
      why: "has its liveness probe against it from the moment on at which it has passed its startup probe",
      container: { startupProbe: { periodSeconds: 2, failureThreshold: 5 }, ...liveness },
      steps: [3000, silent(2000), 40_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "3000 Running: running started",
        "3000 Running: running started ready",
        "31900 Running: Error 143",
        "32200 Running: running x1",
        "34200 Running: running started x1",
        "34200 Running: running started ready x1"
      ]
    },
    {
      why: "answers again at the next probe when it hangs no more",
      container: readiness,
      steps: [5000, silent(4000), 9300, aLife(), 5000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready",
        "7000 Running: running started",
        "15000 Running: running started ready"
      ]
    },
    {
      why: "has lost nothing when it answers again before a probe has failed often enough",
      container: readiness,
      steps: [5000, silent(4000), 1900, aLife(), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready"
      ]
    },
    {
      why: "is made to stop all the same when it answers again after the verdict",
      container: liveness,
      steps: [5000, silent(4000), 26_100, aLife(), 5000],
      lines: [
        ...up,
        "31900 Running: Error 143",
        "32200 Running: running started x1",
        "32700 Running: running started ready x1"
      ]
    },
    {
      why: "is another's trouble than the run's that came after it",
      container: readiness,
      steps: [5000, silent(4000, 1), 60_000],
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running started",
        "2000 Running: running started ready"
      ]
    }
  ])("$why", (row) => {
    const { stage, lines } = told(row)
    expect(lines).toEqual(row.lines)
    if (row.events !== undefined) expect(stage.events().slice(-row.events.length)).toEqual(row.events)
  })
})

describe("a Pod that lives otherwise for a while", () => {
  const unpullable = aLife({ pullFailures: Infinity, pullError: "no route to host" })
  it.each<Row>([
    {
      why: "fails the pull that goes on, and succeeds at its next try once its image is back",
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
      why: "has its image for good once it has run",
      steps: [5000, unpullable, 5000, aLife(), 5000],
      lines: up
    },
    {
      why: "flaps as long as it is made to, and is well after that",
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
      why: "is ready when it would have been, whatever else has changed before",
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
      why: "runs on when it was bound to crash and no longer is",
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
    expect(told(row).lines).toEqual(row.lines)
  })
})

describe("a Pod that its kubelet gives up", () => {
  const verdict = { reason: "Evicted", message: "The node was low on resource: memory. " }
  const givenUp: PodLife = { ...aLife(), verdict }

  it("is stopped, has failed when nothing of it runs any more, and stays so", () => {
    const row: Row = { why: "", steps: [5000, givenUp, 10_000, givenUp], lines: [] }
    const { stage, lines } = told(row)
    expect(lines).toEqual([...up, "5900 Failed (Evicted): Completed 0"])
    expect(stage.events().slice(-2)).toEqual(["5000 Evicted", "5000 Killing"])
    expect(stage.value()).toBe("failed")
    const { status } = stage.pod()
    expect(status.message).toBe(verdict.message)
    expect(status.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason ?? ""}`)).toEqual(
      [
        "DisruptionTarget True TerminationByKubelet",
        "PodReadyToStartContainers False ",
        "Initialized True ",
        "Ready False PodFailed",
        "ContainersReady False PodFailed",
        "PodScheduled True "
      ]
    )
  })

  it("is given no more than two seconds", () => {
    const stage = makePodStage(aPod({ node: "node-1" }), { ...aLife(), terminateMillis: 60_000 })
    stage.look()
    stage.wait(5000)
    stage.look({ life: { ...givenUp, terminateMillis: 60_000 } })
    stage.wait(60_000)
    expect(stage.lines()).toEqual([...up, "7000 Failed (Evicted): Error 137"])
  })

  it("is given a second for its preStop hook, and is asked then", () => {
    const sleep = { seconds: 10 }
    const container = { lifecycle: { preStop: { sleep } } }
    const row: Row = { why: "", container, steps: [5000, givenUp, 10_000], lines: [] }
    expect(told(row).lines).toEqual([...up, "6900 Failed (Evicted): Completed 0"])
  })

  it("has failed at once where nothing of it runs yet", () => {
    const row: Row = { why: "", steps: [300, givenUp, 10], lines: [] }
    expect(told(row).lines.at(-1)).toBe("300 Failed (Evicted): ContainerStatusUnknown 137")
  })
})
