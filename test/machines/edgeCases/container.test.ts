import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import { makePodHarness } from "./podHarness.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"

const onNode = aPod({ node: "node-1" })
type Container = Pod["spec"]["containers"][number]

const withContainer = (more: Partial<Container>, traits: Parameters<typeof aPod>[0] = {}): Pod => {
  const pod = aPod({ node: "node-1", ...traits })
  const container = { name: "app", image: "registry.example/app:v1", ...more }
  return { ...pod, spec: { ...pod.spec, containers: [container] } }
}

const exits = (afterMillis: number, code: number, times = Infinity): Partial<ContainerLife> => ({
  exit: { afterMillis, code, reason: code === 0 ? "Completed" : "Error", times }
})

const linesOf = (pod: Pod, life: PodLife, millis: number): ReadonlyArray<string> => {
  const harness = makePodHarness(pod, life)
  harness.look()
  harness.wait(millis)
  return harness.lines()
}

interface Row {
  readonly why: string
  readonly pod?: Pod
  readonly life: PodLife
  readonly millis: number
  readonly lines: ReadonlyArray<string>
}

const up = [
  "0 Pending: ContainerCreating",
  "1000 Running: running started",
  "1500 Running: running started ready"
]

describe("a container that takes 700 ms to pull, 300 to start and 500 to be ready", () => {
  it.each<Row>([
    { why: "runs on without faults", life: aLife(), millis: 3_600_000, lines: up },
    {
      why: "is pulled again after 10 s, then 20 s, counted from the failure",
      life: aLife({ pullFailures: 2 }),
      millis: 90_000,
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
      why: "restarts at once after the first crash, after 10 s after the second",
      life: aLife(exits(1700, 3, 2)),
      millis: 90_000,
      lines: [
        ...up,
        "2700 Running: Error 3",
        "3000 Running: running started x1",
        "3500 Running: running started ready x1",
        "4700 Running: Error 3 x1",
        "5000 Running: CrashLoopBackOff x1",
        "15000 Running: running started x2",
        "15500 Running: running started ready x2"
      ]
    },
    {
      why: "restarts after a crash with OnFailure",
      pod: aPod({ node: "node-1", restartPolicy: "OnFailure" }),
      life: aLife(exits(1300, 1, 1)),
      millis: 90_000,
      lines: [
        ...up,
        "2300 Running: Error 1",
        "2600 Running: running started x1",
        "3100 Running: running started ready x1"
      ]
    },
    {
      why: "succeeds with OnFailure",
      pod: aPod({ node: "node-1", restartPolicy: "OnFailure" }),
      life: aLife(exits(2100, 0)),
      millis: 90_000,
      lines: [...up, "3100 Succeeded: Completed 0"]
    },
    {
      why: "fails after a crash with Never",
      pod: aPod({ node: "node-1", restartPolicy: "Never" }),
      life: aLife(exits(1300, 1)),
      millis: 90_000,
      lines: [...up, "2300 Failed: Error 1"]
    },
    {
      why: "flaps equally often in each run",
      life: aLife({ flap: { readyMillis: 500, unreadyMillis: 300, times: 2 }, ...exits(4000, 1, 1) }),
      millis: 90_000,
      lines: [
        ...up,
        "2000 Running: running started",
        "2300 Running: running started ready",
        "2800 Running: running started",
        "3100 Running: running started ready",
        "5000 Running: Error 1",
        "5300 Running: running started x1",
        "5800 Running: running started ready x1",
        "6300 Running: running started x1",
        "6600 Running: running started ready x1",
        "7100 Running: running started x1",
        "7400 Running: running started ready x1"
      ]
    },
    {
      why: "only exits when it would flap at the same instant",
      life: aLife({ flap: { readyMillis: 1200, unreadyMillis: 600, times: 1 }, ...exits(1700, 3, 1) }),
      millis: 2700,
      lines: [...up, "2700 Running: Error 3"]
    },
    {
      why: "starts from an image on the node with pull policy Never",
      pod: withContainer({ imagePullPolicy: "Never" }),
      life: aLife(),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "300 Running: running started",
        "800 Running: running started ready"
      ]
    },
    {
      why: "has no image with pull policy Never and failing pulls",
      pod: withContainer({ imagePullPolicy: "Never" }),
      life: aLife({ pullFailures: 1 }),
      millis: 90_000,
      lines: ["0 Pending: ContainerCreating", "0 Pending: ErrImageNeverPull"]
    },
    {
      why: "has no image with an invalid name",
      pod: withContainer({ image: "No Name" }),
      life: aLife(),
      millis: 90_000,
      lines: ["0 Pending: ContainerCreating", "0 Pending: InvalidImageName"]
    },
    {
      why: "is ready when both probes have succeeded, counted from its start",
      pod: withContainer({ startupProbe: { periodSeconds: 2 }, readinessProbe: { periodSeconds: 3 } }),
      life: aLife(),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "3000 Running: running started",
        "3000 Running: running started ready"
      ]
    },
    {
      why: "runs when its postStart hook is over, in which the application starts already",
      pod: withContainer({
        lifecycle: { postStart: { exec: { command: ["sh", "-c", "echo hi; sleep 2"] } } }
      }),
      life: aLife({ readyMillis: 3000 }),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "3000 Running: running started",
        "4000 Running: running started ready"
      ]
    },
    {
      why: "is probed after its initial delay, during which its postStart hook runs",
      pod: withContainer({
        lifecycle: { postStart: { sleep: { seconds: 2 } } },
        readinessProbe: { initialDelaySeconds: 5 }
      }),
      life: aLife(),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "3000 Running: running started",
        "6000 Running: running started ready"
      ]
    },
    {
      why: "is probed when its postStart hook is over, which outlasts its initial delay",
      pod: withContainer({
        lifecycle: { postStart: { sleep: { seconds: 7 } } },
        readinessProbe: { initialDelaySeconds: 5 }
      }),
      life: aLife(),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "8000 Running: running started",
        "8000 Running: running started ready"
      ]
    },
    {
      why: "is stopped when its startup probe fails",
      pod: withContainer({ startupProbe: { periodSeconds: 1, failureThreshold: 2 } }),
      life: aLife({ readyMillis: 5000 }),
      millis: 3200,
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "2900 Running: Error 143",
        "3200 Running: running x1"
      ]
    },
    {
      why: "does not start up any more while it is stopped because its startup probe has failed",
      pod: withContainer({ startupProbe: { periodSeconds: 1, failureThreshold: 2 } }),
      life: { ...aLife({ readyMillis: 1500 }), terminateMillis: 3000 },
      millis: 5200,
      lines: ["0 Pending: ContainerCreating", "1000 Running: running", "5000 Running: Error 143"]
    }
  ])("$why", ({ pod = onNode, life, millis, lines }) => {
    expect(linesOf(pod, life, millis)).toEqual(lines)
  })

  it.each([
    { why: "the run took ten minutes", life: aLife(exits(600_000, 1)), waits: 0 },
    { why: "the run took a millisecond less", life: aLife(exits(599_999, 1)), waits: 2 },
    {
      why: "the run took ten minutes with its termination",
      pod: withContainer({ livenessProbe: { periodSeconds: 1, failureThreshold: 1 } }),
      life: { ...aLife({ hangMillis: 598_000 }), terminateMillis: 1000 },
      waits: 0
    },
    {
      why: "the run took a millisecond less with its termination",
      pod: withContainer({ livenessProbe: { periodSeconds: 1, failureThreshold: 1 } }),
      life: { ...aLife({ hangMillis: 598_000 }), terminateMillis: 999 },
      waits: 2
    }
  ])(
    "resets its back-off after a long run, so that it waits $waits times: $why",
    ({ pod = onNode, ...row }) => {
      const lines = linesOf(pod, row.life, 1_900_000)
      expect(lines.filter((line) => line.includes("CrashLoopBackOff"))).toHaveLength(row.waits)
    }
  )

  it("has events of a failed probe, then of its killing", () => {
    const harness = makePodHarness(
      withContainer({ livenessProbe: { periodSeconds: 1, failureThreshold: 2 } }),
      aLife({ hangMillis: 2000 })
    )
    harness.look()
    harness.wait(1000)
    harness.events()
    harness.wait(4100)
    expect(harness.events()).toEqual(["5000 Unhealthy", "5000 Killing"])
  })

  it("has one event of a pull, and of a present image after a crash", () => {
    const harness = makePodHarness(onNode, aLife(exits(1300, 1, 1)))
    harness.look()
    harness.wait(2600)
    expect(harness.events()).toEqual([
      "0 Pulling",
      "700 Pulled",
      "1000 Created",
      "1000 Started",
      "2600 Pulled",
      "2600 Created",
      "2600 Started"
    ])
  })
})

/** Whole seconds, so that the stored times tell everything. */
const slow = { pullMillis: 1000, startMillis: 1000, readyMillis: 3000 }

describe("a new actor for containers that run, have terminated or wait", () => {
  it.each([
    { name: "crashes", pod: onNode, life: aLife({ ...slow, ...exits(4000, 1, 4) }) },
    {
      name: "starts slowly",
      pod: withContainer({ startupProbe: { periodSeconds: 4 }, readinessProbe: { periodSeconds: 3 } }),
      life: aLife(slow)
    },
    {
      name: "becomes ready some time after its startup probe",
      pod: withContainer({ startupProbe: { periodSeconds: 4 }, readinessProbe: { initialDelaySeconds: 9 } }),
      life: aLife({ ...slow, ...exits(15_000, 1, 2) })
    },
    {
      name: "runs an init container first",
      pod: aPod({ node: "node-1", inits: ["setup"] }),
      life: { ...aLife(slow), containers: { setup: aLife({ ...slow, ...exits(45_000, 0) }).otherContainers } }
    }
  ])("continues like the old one for a container that $name", ({ pod, life }) => {
    const whole = linesOf(pod, life, 60_000)
    for (let second = 2; second < 40; second += 3) {
      const harness = makePodHarness(pod, life)
      harness.look()
      harness.wait(second * 1000 + 300)
      harness.crash()
      harness.look()
      harness.wait(60_000 - second * 1000 - 300)
      expect({ second, lines: harness.lines() }).toEqual({ second, lines: whole })
    }
  })

  it.each([
    {
      why: "the back-off of a failed pull starts again",
      pullFailures: 1,
      at: 2800,
      line: "13800 Running: running started"
    },
    {
      why: "the back-off of a pull that just failed starts again",
      pullFailures: 1,
      at: 1300,
      line: "12300 Running: running started"
    },
    { why: "a running pull starts again", pullFailures: 0, at: 800, line: "2800 Running: running started" }
  ])("restarts waits that no status tells: $why", ({ pullFailures, at, line }) => {
    const harness = makePodHarness(onNode, aLife({ ...slow, pullFailures }))
    harness.look()
    harness.wait(at)
    harness.crash()
    harness.look()
    harness.wait(30_000)
    expect(harness.lines()).toContain(line)
  })

  it("starts a container at once when its back-off ended before the actor", () => {
    const harness = makePodHarness(onNode, aLife({ ...slow, ...exits(4000, 1, 4) }))
    harness.look()
    harness.wait(15_000)
    expect(harness.lines().at(-1)).toBe("12000 Running: CrashLoopBackOff x1")
    harness.crash()
    harness.wait(60_000)
    harness.look()
    harness.wait(0)
    expect(harness.lines()).toEqual(["75000 Running: running started x2"])
  })
})
