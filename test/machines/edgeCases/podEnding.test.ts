import { describe, expect, it } from "vitest"
import { containerFactsOfPod } from "../../../src/kubernetes/pods/containers/storedContainers.ts"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import {
  crash,
  exits,
  setDeadline,
  look,
  loseNode,
  onNode,
  outcomeOf,
  play,
  stoppingIn,
  terminate,
  expectedOf,
  withDeadline
} from "./podCases.ts"
import type { PodCase } from "./podCases.ts"

const appContainer = { name: "app", image: "registry.example/app:v1" }

describe("a deleted Pod is gone", () => {
  it.each<PodCase>([
    {
      why: "when its container has stopped",
      steps: [2000, terminate(30), 9000],
      lines: ["1500 Running: running started ready", "2900 Succeeded: Completed 0", "2900 gone"]
    },
    {
      why: "with readiness changing meanwhile",
      steps: [1100, terminate(30), 9000],
      lines: ["1500 Running: running started ready", "2000 Succeeded: Completed 0", "2000 gone"]
    },
    {
      why: "without starting up meanwhile: startup probes end with the deletion",
      pod: {
        ...onNode,
        spec: { ...onNode.spec, containers: [{ ...appContainer, startupProbe: { periodSeconds: 1 } }] }
      },
      life: stoppingIn(3000),
      steps: [1100, terminate(30), 9000],
      lines: ["1000 Running: running", "4100 Succeeded: Completed 0", "4100 gone"]
    },
    {
      why: "at the same instant when it stops in no time",
      life: stoppingIn(0),
      steps: [2000, terminate(30), 0],
      lines: ["1500 Running: running started ready", "2000 Succeeded: Completed 0", "2000 gone"]
    },
    {
      why: "at once when nothing has run",
      steps: [100, terminate(30), 9000],
      lines: ["100 Failed: ContainerStatusUnknown 137", "100 gone"]
    },
    {
      why: "at once during a back-off, with its last exit",
      life: { ...aLife(), otherContainers: exits(1300, 1) },
      steps: [5000, terminate(30), 9000],
      lines: ["4200 Running: CrashLoopBackOff x1", "5000 Failed: Error 1 x1", "5000 gone"]
    },
    {
      why: "when the last of two containers has stopped",
      pod: aPod({ node: "node-1", containers: ["app", "proxy"] }),
      life: { ...aLife(), containers: { proxy: aLife({ pullFailures: 9 }).otherContainers } },
      steps: [2000, terminate(30), 9000],
      lines: [
        "2000 Pending: running started ready, ContainerCreating",
        "2900 Failed: Completed 0, ContainerStatusUnknown 137",
        "2900 gone"
      ]
    },
    {
      why: "after the grace period, by SIGKILL",
      life: stoppingIn(9000),
      steps: [2000, terminate(5), 9000],
      lines: ["7000 Failed: Error 137", "7000 gone"]
    },
    {
      why: "sooner when it is deleted with less grace",
      life: stoppingIn(60_000),
      steps: [2000, terminate(30), 3000, terminate(4), 60_000],
      lines: ["9000 Failed: Error 137", "9000 gone"]
    },
    {
      why: "no later when the new grace period would end later",
      life: stoppingIn(60_000),
      steps: [2000, terminate(30), 27_000, terminate(10), 60_000],
      lines: ["32000 Failed: Error 137", "32000 gone"]
    },
    {
      why: "no later when it is deleted with more grace",
      life: stoppingIn(60_000),
      steps: [2000, terminate(5), 3000, terminate(30), 60_000],
      lines: ["7000 Failed: Error 137", "7000 gone"]
    },
    {
      why: "while an init container runs",
      pod: aPod({ node: "node-1", inits: ["setup", "migrate"] }),
      life: { ...aLife(), containers: { setup: exits(40_000, 0) } },
      steps: [5000, terminate(30), 9000],
      lines: ["5900 Failed: Completed 0 ready, PodInitializing, PodInitializing", "5900 gone"]
    },
    {
      why: "under a new actor as well",
      life: stoppingIn(9000),
      steps: [2000, terminate(30), 1000, crash, look, 20_000],
      lines: ["12000 Succeeded: Completed 0", "12000 gone"]
    },
    {
      why: "only after its node is back",
      steps: [2000, terminate(30), 100, loseNode, 9000, loseNode, 100, look, 9000],
      lines: ["12100 Succeeded: Completed 0", "12100 gone"]
    }
  ])("$why", (podCase) => {
    expect(outcomeOf(podCase)).toEqual(expectedOf(podCase))
  })

  it("has another event only when its grace period is shortened", () => {
    const killings = (seconds: number): number =>
      play(onNode, stoppingIn(60_000), [2000, terminate(30), 3000, terminate(seconds), 1000])
        .events()
        .filter((it) => it.endsWith("Killing")).length
    expect([29, 30, 31].map(killings)).toEqual([2, 1, 1])
  })

  it("is removed again at every look until it is gone", () => {
    const harness = play(onNode, aLife(), [2000, terminate(30), 9000])
    expect(harness.look()).toEqual([{ type: "removePod" }])
  })
})

describe("a Pod with activeDeadlineSeconds", () => {
  const failed = "Failed (DeadlineExceeded): Completed 0"

  it.each<PodCase>([
    {
      why: "fails after the deadline",
      pod: withDeadline(5),
      steps: [9000],
      lines: [`5900 ${failed}`],
      value: "failed"
    },
    {
      why: "counts from its start on the node",
      pod: withDeadline(5, aPod()),
      steps: [3000, look, 9000],
      lines: [`8900 ${failed}`]
    },
    {
      why: "gains no time by a look",
      pod: withDeadline(5),
      steps: [3000, look, 9000],
      lines: [`5900 ${failed}`]
    },
    {
      why: "gains no time by a new actor",
      pod: withDeadline(5),
      steps: [3000, crash, look, 9000],
      lines: [`5900 ${failed}`]
    },
    {
      why: "fails at the first look when the deadline passed without one",
      pod: withDeadline(5),
      steps: [3000, crash, 5000, look, 9000],
      lines: [`8900 ${failed}`]
    },
    { why: "gets a deadline later", steps: [3000, setDeadline(4), 9000], lines: [`4900 ${failed}`] },
    {
      why: "gets a deadline that has already passed",
      steps: [6000, setDeadline(4), 9000],
      lines: [`6900 ${failed}`]
    },
    {
      why: "gets an earlier deadline",
      pod: withDeadline(50),
      steps: [3000, setDeadline(4), 9000],
      lines: [`4900 ${failed}`]
    },
    {
      why: "is gone after the shorter grace period of a deletion",
      pod: withDeadline(5),
      life: stoppingIn(9000),
      steps: [6000, look, terminate(2), 9000],
      lines: ["8000 Failed: Error 137", "8000 gone"]
    },
    {
      why: "fails when its lost node is back",
      pod: withDeadline(5),
      life: stoppingIn(9000),
      steps: [6000, look, loseNode, 90_000, look, 90_000],
      lines: ["1500 Running: running started ready", `105000 ${failed}`]
    },
    {
      why: "stops the running container beside a terminated one",
      pod: withDeadline(5, aPod({ node: "node-1", containers: ["app", "proxy"], restartPolicy: "Never" })),
      life: { ...aLife(), containers: { app: exits(1300, 0) } },
      steps: [60_000],
      lines: [
        "2500 Running: Completed 0, running started ready",
        "5900 Failed (DeadlineExceeded): Completed 0, Completed 0"
      ]
    },
    {
      why: "stops its containers within its own grace period",
      pod: withDeadline(5),
      life: stoppingIn(60_000),
      steps: [60_000],
      lines: ["35000 Failed (DeadlineExceeded): Error 137"]
    }
  ])("$why", (podCase) => {
    expect(outcomeOf(podCase)).toEqual(expectedOf(podCase))
  })

  it("is moving to its end, with the events at once", () => {
    const harness = play(withDeadline(5), stoppingIn(9000), [5100])
    expect([harness.value(), harness.isMoving()]).toEqual([{ ending: "overdue" }, true])
    expect(harness.events().slice(-2)).toEqual(["5000 DeadlineExceeded", "5000 Killing"])
  })
})

describe("a Pod whose containers have terminated", () => {
  const pod = aPod({ node: "node-1", inits: ["side"], restartPolicy: "Never" })
  const life = { ...aLife(), otherContainers: exits(2100, 0), containers: { side: aLife().otherContainers } }
  const slowly = { ...life, terminateMillis: 5000 }

  it.each<PodCase>([
    {
      why: "succeeds when its sidecar has stopped",
      steps: [90_000, look],
      lines: ["4100 Running: running started ready, Completed 0", "9100 Succeeded: Completed 0, Completed 0"],
      value: "succeeded"
    },
    {
      why: "is gone when it is deleted meanwhile",
      steps: [4500, look, terminate(3), 9000],
      lines: ["7500 Succeeded: Error 137, Completed 0", "7500 gone"],
      value: "gone"
    },
    {
      why: "succeeds when its lost node is back",
      steps: [4500, look, loseNode, 90_000, look, 90_000],
      lines: [
        "4100 Running: running started ready, Completed 0",
        "99500 Succeeded: Completed 0, Completed 0"
      ],
      value: "succeeded"
    },
    {
      why: "succeeds however its sidecar ended",
      life: { ...slowly, terminateMillis: 60_000 },
      steps: [90_000, look],
      lines: ["34100 Succeeded: Error 137, Completed 0"],
      value: "succeeded"
    },
    {
      why: "fails when a container failed",
      life: { ...slowly, otherContainers: exits(2100, 7) },
      steps: [90_000, look],
      lines: ["9100 Failed: Completed 0, Error 7"],
      value: "failed"
    }
  ])("$why", (podCase) => {
    expect(outcomeOf({ pod, life: slowly, ...podCase })).toEqual(expectedOf(podCase))
  })

  it("reports containers that its status can be read back as", () => {
    const harness = play(pod, slowly, [90_000])
    const [command] = harness.look()
    expect(command).toEqual({ type: "reportPod", containers: containerFactsOfPod(harness.pod()) })
  })

  it("is moving until its sidecar has stopped", () => {
    const harness = play(pod, slowly, [4500])
    expect([harness.value(), harness.isMoving()]).toEqual([{ ending: "finishing" }, true])
  })

  it.each([
    { why: "two containers", stoppedPod: pod },
    { why: "one container", stoppedPod: aPod({ node: "node-1", restartPolicy: "Never" }) }
  ])(
    "reports its end at every look, since the last report may have been rejected: $why",
    ({ stoppedPod }) => {
      const harness = play(stoppedPod, slowly, [90_000])
      expect(harness.look().map(({ type }) => type)).toEqual(["reportPod"])
      harness.crash()
      expect(harness.look()).toEqual([])
    }
  )
})
