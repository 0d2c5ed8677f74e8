import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../leafWorlds.ts"
import { makePodStage } from "./podStage.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"

const onNode = aPod({ node: "node-1" })
type Container = Pod["spec"]["containers"][number]

/** A Pod on a node whose one container has these fields too. */
const having = (more: Partial<Container>, traits: Parameters<typeof aPod>[0] = {}): Pod => {
  const pod = aPod({ node: "node-1", ...traits })
  const container = { name: "app", image: "registry.example/app:v1", ...more }
  return { ...pod, spec: { ...pod.spec, containers: [container] } }
}

const exits = (afterMillis: number, code: number, times = Infinity): Partial<ContainerLife> => ({
  exit: { afterMillis, code, reason: code === 0 ? "Completed" : "Error", times }
})

const played = (pod: Pod, life: PodLife, millis: number): ReadonlyArray<string> => {
  const stage = makePodStage(pod, life)
  stage.look()
  stage.wait(millis)
  return stage.lines()
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

describe("a container, 700 ms of pulling, 300 of starting and 500 from an answer", () => {
  it.each<Row>([
    { why: "lasts when nothing befalls it", life: aLife(), millis: 3_600_000, lines: up },
    {
      why: "is pulled again after 10 s, then 20, each counted from the failure",
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
      why: "that crashes runs again at once the first time, then after 10 s",
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
      why: "that crashes runs again under OnFailure as well",
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
      why: "that ends well is done under OnFailure",
      pod: aPod({ node: "node-1", restartPolicy: "OnFailure" }),
      life: aLife(exits(2100, 0)),
      millis: 90_000,
      lines: [...up, "3100 Succeeded: Completed 0"]
    },
    {
      why: "that crashes has failed under Never",
      pod: aPod({ node: "node-1", restartPolicy: "Never" }),
      life: aLife(exits(1300, 1)),
      millis: 90_000,
      lines: [...up, "2300 Failed: Error 1"]
    },
    {
      why: "loses its readiness as often in each run",
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
      why: "that exits at the moment at which it would stop answering has only exited",
      life: aLife({ flap: { readyMillis: 1200, unreadyMillis: 600, times: 1 }, ...exits(1700, 3, 1) }),
      millis: 2700,
      lines: [...up, "2700 Running: Error 3"]
    },
    {
      why: "whose image may not be pulled has it",
      pod: having({ imagePullPolicy: "Never" }),
      life: aLife(),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "300 Running: running started",
        "800 Running: running started ready"
      ]
    },
    {
      why: "whose image may not be pulled and is not there has none",
      pod: having({ imagePullPolicy: "Never" }),
      life: aLife({ pullFailures: 1 }),
      millis: 90_000,
      lines: ["0 Pending: ContainerCreating", "0 Pending: ErrImageNeverPull"]
    },
    {
      why: "whose image has no valid name has none",
      pod: having({ image: "No Name" }),
      life: aLife(),
      millis: 90_000,
      lines: ["0 Pending: ContainerCreating", "0 Pending: InvalidImageName"]
    },
    {
      why: "is ready when both probes have passed, which count from its start",
      pod: having({ startupProbe: { periodSeconds: 2 }, readinessProbe: { periodSeconds: 3 } }),
      life: aLife(),
      millis: 90_000,
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "3000 Running: running started",
        "4000 Running: running started ready"
      ]
    },
    {
      why: "that never starts up is stopped for it",
      pod: having({ startupProbe: { periodSeconds: 1, failureThreshold: 2 } }),
      life: aLife({ readyMillis: 5000 }),
      millis: 3200,
      lines: [
        "0 Pending: ContainerCreating",
        "1000 Running: running",
        "2900 Running: Error 143",
        "3200 Running: running x1"
      ]
    }
  ])("$why", ({ pod = onNode, life, millis, lines }) => {
    expect(played(pod, life, millis)).toEqual(lines)
  })

  it.each([
    { why: "it was ten minutes", life: aLife(exits(600_000, 1)), waits: 0 },
    { why: "it was a moment less", life: aLife(exits(599_999, 1)), waits: 2 },
    {
      why: "with the time it took to stop it was ten minutes",
      pod: having({ livenessProbe: { periodSeconds: 1, failureThreshold: 1 } }),
      life: { ...aLife({ hangMillis: 599_000 }), terminateMillis: 1000 },
      waits: 0
    },
    {
      why: "even so it was a moment less",
      pod: having({ livenessProbe: { periodSeconds: 1, failureThreshold: 1 } }),
      life: { ...aLife({ hangMillis: 599_000 }), terminateMillis: 999 },
      waits: 2
    }
  ])(
    "is forgiven what was before a good run, so that it waits $waits times: $why",
    ({ pod = onNode, ...row }) => {
      const lines = played(pod, row.life, 1_900_000)
      expect(lines.filter((line) => line.includes("CrashLoopBackOff"))).toHaveLength(row.waits)
    }
  )

  it("is told of when a probe stops it: as not answering, then as being killed", () => {
    const stage = makePodStage(
      having({ livenessProbe: { periodSeconds: 1, failureThreshold: 2 } }),
      aLife({ hangMillis: 2000 })
    )
    stage.look()
    stage.wait(1000)
    stage.events()
    stage.wait(3100)
    expect(stage.events()).toEqual(["4000 Unhealthy", "4000 Killing"])
  })

  it("is told of as pulled once where it crashes and is not pulled again", () => {
    const stage = makePodStage(onNode, aLife(exits(1300, 1, 1)))
    stage.look()
    stage.wait(2600)
    expect(stage.events()).toEqual([
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

/** Whole seconds, so that the stored times say all there is to know. */
const slow = { pullMillis: 1000, startMillis: 1000, readyMillis: 3000 }

describe("an actor made anew while its containers run, have ended or wait", () => {
  it.each([
    { name: "crashes", pod: onNode, life: aLife({ ...slow, ...exits(4000, 1, 4) }) },
    {
      name: "starts up slowly",
      pod: having({ startupProbe: { periodSeconds: 4 }, readinessProbe: { periodSeconds: 3 } }),
      life: aLife(slow)
    },
    {
      name: "is there for a while after it started up",
      pod: having({ startupProbe: { periodSeconds: 4 }, readinessProbe: { initialDelaySeconds: 9 } }),
      life: aLife({ ...slow, ...exits(15_000, 1, 2) })
    },
    {
      name: "does its work before the others",
      pod: aPod({ node: "node-1", inits: ["setup"] }),
      life: { ...aLife(slow), containers: { setup: aLife({ ...slow, ...exits(45_000, 0) }).otherContainers } }
    }
  ])("goes on as the old one would have with one that $name", ({ pod, life }) => {
    const whole = played(pod, life, 60_000)
    for (let second = 2; second < 40; second += 3) {
      const stage = makePodStage(pod, life)
      stage.look()
      stage.wait(second * 1000 + 300)
      stage.crash()
      stage.look()
      stage.wait(60_000 - second * 1000 - 300)
      expect({ second, lines: stage.lines() }).toEqual({ second, lines: whole })
    }
  })

  it.each([
    {
      why: "a pull that failed is waited for anew",
      pullFailures: 1,
      at: 2800,
      line: "13800 Running: running started"
    },
    {
      why: "also where that was just said",
      pullFailures: 1,
      at: 1300,
      line: "12300 Running: running started"
    },
    { why: "and a pull begins anew", pullFailures: 0, at: 800, line: "2800 Running: running started" }
  ])("counts anew what no status holds: $why", ({ pullFailures, at, line }) => {
    const stage = makePodStage(onNode, aLife({ ...slow, pullFailures }))
    stage.look()
    stage.wait(at)
    stage.crash()
    stage.look()
    stage.wait(30_000)
    expect(stage.lines()).toContain(line)
  })

  it("runs at once what has waited long enough meanwhile", () => {
    const stage = makePodStage(onNode, aLife({ ...slow, ...exits(4000, 1, 4) }))
    stage.look()
    stage.wait(15_000)
    expect(stage.lines().at(-1)).toBe("12000 Running: CrashLoopBackOff x1")
    stage.crash()
    stage.wait(60_000)
    stage.look()
    stage.wait(0)
    expect(stage.lines()).toEqual(["75000 Running: running started x2"])
  })
})
