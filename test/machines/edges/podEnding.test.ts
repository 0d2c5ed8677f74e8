import { describe, expect, it } from "vitest"
import { storedContainers } from "../../../src/kubernetes/pods/containers/storedContainers.ts"
import { aLife, aPod } from "../leafWorlds.ts"
import {
  crash,
  exits,
  limit,
  look,
  lose,
  onNode,
  outcomeOf,
  play,
  stopping,
  terminate,
  toldBy,
  within
} from "./podStories.ts"
import type { Story } from "./podStories.ts"

describe("a Pod that is asked to go is gone", () => {
  it.each<Story>([
    {
      why: "when its container has stopped",
      steps: [2000, terminate(30), 9000],
      lines: ["1500 Running: running started ready", "2900 Succeeded: Completed 0", "2900 gone"]
    },
    {
      why: "readiness goes on meanwhile",
      steps: [1100, terminate(30), 9000],
      lines: ["1500 Running: running started ready", "2000 Succeeded: Completed 0", "2000 gone"]
    },
    {
      why: "in the same moment where it takes no time to stop",
      life: stopping(0),
      steps: [2000, terminate(30), 0],
      lines: ["1500 Running: running started ready", "2000 Succeeded: Completed 0", "2000 gone"]
    },
    {
      why: "at once where nothing has run",
      steps: [100, terminate(30), 9000],
      lines: ["100 Failed: ContainerStatusUnknown 137", "100 gone"]
    },
    {
      why: "at once where it waits to run again, with the end that it had",
      life: { ...aLife(), otherContainers: exits(1300, 1) },
      steps: [5000, terminate(30), 9000],
      lines: ["4200 Running: CrashLoopBackOff x1", "5000 Failed: Error 1 x1", "5000 gone"]
    },
    {
      why: "when the last of two has stopped",
      pod: aPod({ node: "node-1", containers: ["app", "proxy"] }),
      life: { ...aLife(), containers: { proxy: aLife({ pullFailures: 9 }).otherContainers } },
      steps: [2000, terminate(30), 9000],
      lines: [
        "2000 Running: running started ready, ContainerStatusUnknown 137",
        "2900 Failed: Completed 0, ContainerStatusUnknown 137",
        "2900 gone"
      ]
    },
    {
      why: "when the grace is over, by force",
      life: stopping(9000),
      steps: [2000, terminate(5), 9000],
      lines: ["7000 Failed: Error 137", "7000 gone"]
    },
    {
      why: "sooner when it is asked with less grace",
      life: stopping(60_000),
      steps: [2000, terminate(30), 3000, terminate(4), 60_000],
      lines: ["9000 Failed: Error 137", "9000 gone"]
    },
    {
      why: "no later, though what it is given now would last longer",
      life: stopping(60_000),
      steps: [2000, terminate(30), 27_000, terminate(10), 60_000],
      lines: ["32000 Failed: Error 137", "32000 gone"]
    },
    {
      why: "no later when it is asked with more",
      life: stopping(60_000),
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
      why: "by an actor made anew as well",
      life: stopping(9000),
      steps: [2000, terminate(30), 1000, crash, look, 20_000],
      lines: ["12000 Succeeded: Completed 0", "12000 gone"]
    },
    {
      why: "but not while its node is lost",
      steps: [2000, terminate(30), 100, lose, 9000, lose, 100, look, 9000],
      lines: ["12100 Succeeded: Completed 0", "12100 gone"]
    }
  ])("$why", (story) => {
    expect(outcomeOf(story)).toEqual(toldBy(story))
  })

  it("is told of once more only when it is hurried", () => {
    const killings = (seconds: number): number =>
      play(onNode, stopping(60_000), [2000, terminate(30), 3000, terminate(seconds), 1000])
        .events()
        .filter((it) => it.endsWith("Killing")).length
    expect([29, 30, 31].map(killings)).toEqual([2, 1, 1])
  })

  it("is taken away again as often as it is looked at, until it is", () => {
    const stage = play(onNode, aLife(), [2000, terminate(30), 9000])
    expect(stage.look()).toEqual([{ type: "removePod" }])
  })
})

describe("a Pod that may be active for a time", () => {
  const failed = "Failed (DeadlineExceeded): Completed 0"

  it.each<Story>([
    { why: "fails after it", pod: within(5), steps: [9000], lines: [`5900 ${failed}`], value: "failed" },
    {
      why: "counts from when its kubelet had it",
      pod: within(5, aPod()),
      steps: [3000, look, 9000],
      lines: [`8900 ${failed}`]
    },
    {
      why: "a look in between buys no time",
      pod: within(5),
      steps: [3000, look, 9000],
      lines: [`5900 ${failed}`]
    },
    {
      why: "nor does an actor made anew",
      pod: within(5),
      steps: [3000, crash, look, 9000],
      lines: [`5900 ${failed}`]
    },
    {
      why: "whose time passed while nobody looked fails at the first look",
      pod: within(5),
      steps: [3000, crash, 5000, look, 9000],
      lines: [`8900 ${failed}`]
    },
    { why: "is told so later", steps: [3000, limit(4), 9000], lines: [`4900 ${failed}`] },
    { why: "is told so too late", steps: [6000, limit(4), 9000], lines: [`6900 ${failed}`] },
    { why: "is given less", pod: within(50), steps: [3000, limit(4), 9000], lines: [`4900 ${failed}`] },
    {
      why: "and is then asked to go with less grace is gone with that",
      pod: within(5),
      life: stopping(9000),
      steps: [6000, look, terminate(2), 9000],
      lines: ["8000 Failed: Error 137", "8000 gone"]
    },
    {
      why: "and whose node is lost then fails when it is back",
      pod: within(5),
      life: stopping(9000),
      steps: [6000, look, lose, 90_000, look, 90_000],
      lines: ["1500 Running: running started ready", `105000 ${failed}`]
    },
    {
      why: "has the one stopped that runs where another has ended",
      pod: within(5, aPod({ node: "node-1", containers: ["app", "proxy"], restartPolicy: "Never" })),
      life: { ...aLife(), containers: { app: exits(1300, 0) } },
      steps: [60_000],
      lines: [
        "2300 Running: Completed 0, running started ready",
        "5900 Failed (DeadlineExceeded): Completed 0, Completed 0"
      ]
    },
    {
      why: "has its containers ended by its own grace",
      pod: within(5),
      life: stopping(60_000),
      steps: [60_000],
      lines: ["35000 Failed (DeadlineExceeded): Error 137"]
    }
  ])("$why", (story) => {
    expect(outcomeOf(story)).toEqual(toldBy(story))
  })

  it("is moving to its end, and says why at once", () => {
    const stage = play(within(5), stopping(9000), [5100])
    expect([stage.value(), stage.isMoving()]).toEqual([{ ending: "overdue" }, true])
    expect(stage.events().slice(-2)).toEqual(["5000 DeadlineExceeded", "5000 Killing"])
  })
})

describe("a Pod whose containers have ended", () => {
  const pod = aPod({ node: "node-1", inits: ["side"], restartPolicy: "Never" })
  const life = { ...aLife(), otherContainers: exits(2100, 0), containers: { side: aLife().otherContainers } }
  const slowly = { ...life, terminateMillis: 5000 }

  it.each<Story>([
    {
      why: "is over when its sidecar has gone as well",
      steps: [90_000, look],
      lines: ["4100 Running: running started ready, Completed 0", "9100 Succeeded: Completed 0, Completed 0"],
      value: "succeeded"
    },
    {
      why: "is gone when it is asked to go meanwhile",
      steps: [4500, look, terminate(3), 9000],
      lines: ["7500 Succeeded: Error 137, Completed 0", "7500 gone"],
      value: "gone"
    },
    {
      why: "is over when its node is back that was lost meanwhile",
      steps: [4500, look, lose, 90_000, look, 90_000],
      lines: [
        "4100 Running: running started ready, Completed 0",
        "99500 Succeeded: Completed 0, Completed 0"
      ],
      value: "succeeded"
    },
    {
      why: "is not asked how its sidecar ended",
      life: { ...slowly, terminateMillis: 60_000 },
      steps: [90_000, look],
      lines: ["34100 Succeeded: Error 137, Completed 0"],
      value: "succeeded"
    },
    {
      why: "has failed when one of them failed",
      life: { ...slowly, otherContainers: exits(2100, 7) },
      steps: [90_000, look],
      lines: ["9100 Failed: Completed 0, Error 7"],
      value: "failed"
    }
  ])("$why", (story) => {
    expect(outcomeOf({ pod, life: slowly, ...story })).toEqual(toldBy(story))
  })

  it("says of them what can be read back from its status", () => {
    const stage = play(pod, slowly, [90_000])
    const [said] = stage.look()
    expect(said).toEqual({ type: "reportPod", containers: storedContainers(stage.pod()) })
  })

  it("is moving until its sidecar has gone", () => {
    const stage = play(pod, slowly, [4500])
    expect([stage.value(), stage.isMoving()]).toEqual([{ ending: "finishing" }, true])
  })

  it.each([
    { why: "two containers", of: pod },
    { why: "one", of: aPod({ node: "node-1", restartPolicy: "Never" }) }
  ])("says its end again to whoever looks, as the last report may have been refused: $why", ({ of }) => {
    const stage = play(of, slowly, [90_000])
    expect(stage.look().map(({ type }) => type)).toEqual(["reportPod"])
    stage.crash()
    expect(stage.look()).toEqual([])
  })
})
