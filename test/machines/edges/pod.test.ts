import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../leafWorlds.ts"
import { crash, exits, look, lose, onNode, outcomeOf, play, terminate, toldBy } from "./podStories.ts"
import type { Story } from "./podStories.ts"

describe("init containers", () => {
  it.each<Story>([
    {
      why: "run one after another, and a sidecar only has to start",
      pod: aPod({ node: "node-1", inits: ["setup", "side", "migrate"] }),
      steps: [90_000],
      lines: [
        "1000 Pending: Completed 0 ready, PodInitializing, PodInitializing, PodInitializing",
        "2000 Pending: Completed 0 ready, running started, PodInitializing, PodInitializing",
        "2500 Pending: Completed 0 ready, running started ready, PodInitializing, PodInitializing",
        "3000 Pending: Completed 0 ready, running started ready, running started, PodInitializing",
        "3000 Pending: Completed 0 ready, running started ready, Completed 0 ready, PodInitializing",
        "4000 Running: Completed 0 ready, running started ready, Completed 0 ready, running started",
        "4500 Running: Completed 0 ready, running started ready, Completed 0 ready, running started ready"
      ]
    },
    {
      why: "one is never ready while it works",
      pod: aPod({ node: "node-1", inits: ["setup"] }),
      life: { ...aLife(), containers: { setup: exits(4000, 0) } },
      steps: [5000],
      lines: [
        "1000 Pending: running started, PodInitializing",
        "5000 Pending: Completed 0 ready, PodInitializing"
      ]
    },
    {
      why: "the others begin when the last of them is done, were a sidecar down by then",
      pod: aPod({ node: "node-1", inits: ["side", "setup"] }),
      life: { ...aLife(), containers: { side: exits(1200, 3, 2), setup: exits(7000, 0) } },
      steps: [90_000],
      lines: [
        "9000 Pending: CrashLoopBackOff x1, Completed 0 ready, PodInitializing",
        "10000 Running: CrashLoopBackOff x1, Completed 0 ready, running started",
        "10500 Running: CrashLoopBackOff x1, Completed 0 ready, running started ready",
        "14000 Running: running started x2, Completed 0 ready, running started ready",
        "14500 Running: running started ready x2, Completed 0 ready, running started ready"
      ]
    },
    {
      why: "a sidecar that ends is started again, whatever the Pod's policy",
      pod: aPod({ node: "node-1", inits: ["side"], restartPolicy: "Never" }),
      life: { ...aLife(), containers: { side: exits(400, 3, 1) } },
      steps: [90_000],
      lines: [
        "1400 Pending: Error 3, PodInitializing",
        "1700 Pending: running started x1, PodInitializing",
        "2000 Running: running started x1, running started",
        "2200 Running: running started ready x1, running started",
        "2500 Running: running started ready x1, running started ready"
      ]
    },
    {
      why: "one that fails is the Pod's failure under Never",
      pod: aPod({ node: "node-1", inits: ["setup", "migrate"], restartPolicy: "Never" }),
      life: { ...aLife(), containers: { setup: exits(400, 3) } },
      steps: [90_000],
      lines: ["1400 Failed: Error 3, PodInitializing, PodInitializing"],
      value: "failed"
    },
    {
      why: "one that fails is tried again otherwise",
      pod: aPod({ node: "node-1", inits: ["setup"] }),
      life: { ...aLife(), containers: { setup: exits(400, 3, 2) } },
      steps: [90_000],
      lines: [
        "1400 Pending: Error 3, PodInitializing",
        "1700 Pending: running started x1, PodInitializing",
        "2100 Pending: Error 3 x1, PodInitializing",
        "2400 Pending: CrashLoopBackOff x1, PodInitializing",
        "12400 Pending: running started x2, PodInitializing",
        "12400 Pending: Completed 0 ready x2, PodInitializing",
        "13400 Running: Completed 0 ready x2, running started",
        "13900 Running: Completed 0 ready x2, running started ready"
      ]
    },
    {
      why: "one that is done is not run again by an actor made anew, nor is its sidecar's start waited for twice",
      pod: aPod({ node: "node-1", inits: ["setup", "side", "migrate"] }),
      steps: [5000, crash, look, 90_000],
      lines: [
        "4500 Running: Completed 0 ready, running started ready, Completed 0 ready, running started ready"
      ]
    }
  ])("$why", (story) => {
    expect(outcomeOf(story)).toEqual(toldBy(story))
  })
})

describe("where a Pod is, and whether time alone moves it on", () => {
  const working = { onNode: { initializing: "working" } }
  const waiting = { onNode: { initializing: "backingOff" } }
  const setup = aPod({ node: "node-1", inits: ["setup"] })
  const failing = { ...aLife(), containers: { setup: exits(400, 3) } }
  const crashing = { ...aLife(), otherContainers: exits(1300, 1) }
  const two = aPod({ node: "node-1", containers: ["app", "proxy"] })
  const proxyLate = { ...aLife(), containers: { proxy: aLife({ startMillis: 5000 }).otherContainers } }

  it.each([
    { why: "not bound", pod: aPod(), steps: [10], value: { pending: "unscheduled" }, moves: true },
    {
      why: "a binding is asked for",
      pod: aPod(),
      steps: [20],
      value: { pending: "scheduled" },
      moves: false
    },
    {
      why: "moved by hand",
      pod: onNode,
      life: aLife({}, "you"),
      steps: [9000],
      value: "byHand",
      moves: false
    },
    { why: "an image is pulled", pod: onNode, steps: [100], value: { onNode: "starting" }, moves: true },
    {
      why: "a pull has failed",
      pod: onNode,
      life: aLife({ pullFailures: 1 }),
      steps: [800],
      value: { onNode: "heldUp" },
      moves: false
    },
    {
      why: "a pull is waited for",
      pod: onNode,
      life: aLife({ pullFailures: 1 }),
      steps: [1800],
      value: { onNode: "heldUp" },
      moves: false
    },
    {
      why: "an image cannot be had",
      pod: { ...onNode, spec: { ...onNode.spec, containers: [{ name: "app", image: "No Name" }] } },
      steps: [0],
      value: { onNode: "heldUp" },
      moves: false
    },
    {
      why: "it runs, and is not ready",
      pod: onNode,
      steps: [1100],
      value: { onNode: { running: { notReady: "coming" } } },
      moves: true
    },
    {
      why: "one of two does not run yet",
      pod: two,
      life: proxyLate,
      steps: [2000],
      value: { onNode: "starting" },
      moves: true
    },
    {
      why: "both run and are ready",
      pod: two,
      life: proxyLate,
      steps: [9000],
      value: { onNode: { running: "ready" } },
      moves: false
    },
    {
      why: "a crash is waited out",
      pod: onNode,
      life: crashing,
      steps: [4300],
      value: { onNode: { running: { notReady: "backingOff" } } },
      moves: false
    },
    {
      why: "an init container is pulled",
      pod: setup,
      life: failing,
      steps: [100],
      value: working,
      moves: true
    },
    {
      why: "an init container is done, and the others are ready",
      pod: setup,
      steps: [9000],
      value: { onNode: { running: "ready" } },
      moves: false
    },
    {
      why: "an init container waits out its crash",
      pod: setup,
      life: failing,
      steps: [2500],
      value: waiting,
      moves: false
    },
    {
      why: "an init container runs again",
      pod: setup,
      life: failing,
      steps: [12_500],
      value: working,
      moves: true
    },
    { why: "its node is lost", pod: onNode, steps: [2000, lose], value: "outOfReach", moves: false },
    {
      why: "it is asked to go",
      pod: onNode,
      steps: [2000, terminate(30)],
      value: "terminating",
      moves: true
    },
    {
      why: "it was asked to go and its node is lost",
      pod: onNode,
      steps: [2000, terminate(30), lose],
      value: "outOfReach",
      moves: false
    }
  ])("$why: $value", ({ pod, life = aLife(), steps, value, moves }) => {
    const stage = play(pod, life, steps)
    expect([stage.value(), stage.isMoving()]).toEqual([value, moves])
  })

  it.each(["Failed", "Succeeded"])("a Pod that is %s stays so, though it was told to go", (phase) => {
    const stage = play({ ...onNode, status: { phase } }, aLife(), [9000, terminate(30), 9000])
    expect(stage.value()).toBe(phase.toLowerCase())
    expect(stage.lines()).toEqual([])
  })

  it("is bound after its 20 ms, and not before", () => {
    expect(play(aPod(), aLife(), [19]).lines()).toEqual([])
    expect(play(aPod(), aLife(), [20]).lines()).toEqual(["20 bound"])
  })

  it("goes on as it was when its node is back", () => {
    const stage = play(onNode, aLife(), [1000, lose, 9000, look, 400])
    expect(stage.lines().at(-1)).toBe("10000 Running: running started ready")
  })

  it("is not heard of while its node is lost, whatever others say of it", () => {
    const stage = play(onNode, aLife(), [2000, lose])
    stage.lines()
    for (const phase of ["Failed", "Failed"]) {
      expect(stage.look({ pod: { ...stage.pod(), status: { phase } }, kubelet: "lost" })).toEqual([])
    }
    expect(stage.value()).toBe("outOfReach")
  })

  it("has the containers of the actor that it is left with, and no others, when its node is back", () => {
    const life = { ...aLife(), otherContainers: exits(1300, 1, 1) }
    const stage = play(onNode, life, [1100, lose, 100, look, 9000])
    expect(stage.events().filter((it) => it.endsWith("Created"))).toHaveLength(2)
  })

  it("reports nothing when a pull begins again, which is told in an event alone", () => {
    const two = aPod({ node: "node-1", containers: ["app", "proxy"] })
    const stage = play(two, aLife({ pullFailures: 1 }), [10_600])
    stage.reports()
    stage.events()
    stage.wait(200)
    expect([stage.reports(), stage.events()]).toEqual([0, ["10700 Pulling", "10700 Pulling"]])
  })
})
