import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import { crash, exits, look, loseNode, onNode, outcomeOf, play, terminate, expectedOf } from "./podCases.ts"
import type { PodCase } from "./podCases.ts"

describe("init containers", () => {
  it.each<PodCase>([
    {
      why: "run one by one, and a sidecar only has to start",
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
      why: "are never ready while they run",
      pod: aPod({ node: "node-1", inits: ["setup"] }),
      life: { ...aLife(), containers: { setup: exits(4000, 0) } },
      steps: [5000],
      lines: [
        "1000 Pending: running started, PodInitializing",
        "5000 Pending: Completed 0 ready, PodInitializing"
      ]
    },
    {
      why: "let the app containers start after the last one, even if a sidecar is down",
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
      why: "restart a sidecar whatever the Pod's policy",
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
      why: "fail the Pod with Never",
      pod: aPod({ node: "node-1", inits: ["setup", "migrate"], restartPolicy: "Never" }),
      life: { ...aLife(), containers: { setup: exits(400, 3) } },
      steps: [90_000],
      lines: ["1400 Failed: Error 3, PodInitializing, PodInitializing"],
      value: "failed"
    },
    {
      why: "restart otherwise",
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
      why: "do not run again under a new actor, which does not wait for a started sidecar either",
      pod: aPod({ node: "node-1", inits: ["setup", "side", "migrate"] }),
      steps: [5000, crash, look, 90_000],
      lines: [
        "4500 Running: Completed 0 ready, running started ready, Completed 0 ready, running started ready"
      ]
    }
  ])("$why", (podCase) => {
    expect(outcomeOf(podCase)).toEqual(expectedOf(podCase))
  })
})

describe("the state of a Pod, and whether time alone ends it", () => {
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
      why: "waiting for its binding",
      pod: aPod(),
      steps: [20],
      value: { pending: "scheduled" },
      moves: false
    },
    {
      why: "moved by the user",
      pod: onNode,
      life: aLife({}, "you"),
      steps: [9000],
      value: "byHand",
      moves: false
    },
    { why: "pulling an image", pod: onNode, steps: [100], value: { onNode: "starting" }, moves: true },
    {
      why: "after a failed pull",
      pod: onNode,
      life: aLife({ pullFailures: 1 }),
      steps: [800],
      value: { onNode: "backingOff" },
      moves: false
    },
    {
      why: "in the back-off of a pull",
      pod: onNode,
      life: aLife({ pullFailures: 1 }),
      steps: [1800],
      value: { onNode: "backingOff" },
      moves: false
    },
    {
      why: "without a valid image",
      pod: { ...onNode, spec: { ...onNode.spec, containers: [{ name: "app", image: "No Name" }] } },
      steps: [0],
      value: { onNode: "backingOff" },
      moves: false
    },
    {
      why: "running, not ready",
      pod: onNode,
      steps: [1100],
      value: { onNode: { running: { notReady: "progressing" } } },
      moves: true
    },
    {
      why: "one of two containers running",
      pod: two,
      life: proxyLate,
      steps: [2000],
      value: { onNode: "starting" },
      moves: true
    },
    {
      why: "both containers running and ready",
      pod: two,
      life: proxyLate,
      steps: [9000],
      value: { onNode: { running: "ready" } },
      moves: false
    },
    {
      why: "in the back-off of a crash",
      pod: onNode,
      life: crashing,
      steps: [4300],
      value: { onNode: { running: { notReady: "backingOff" } } },
      moves: false
    },
    {
      why: "pulling the image of an init container",
      pod: setup,
      life: failing,
      steps: [100],
      value: working,
      moves: true
    },
    {
      why: "ready after an init container",
      pod: setup,
      steps: [9000],
      value: { onNode: { running: "ready" } },
      moves: false
    },
    {
      why: "in the back-off of an init container",
      pod: setup,
      life: failing,
      steps: [2500],
      value: waiting,
      moves: false
    },
    {
      why: "running an init container again",
      pod: setup,
      life: failing,
      steps: [12_500],
      value: working,
      moves: true
    },
    { why: "on a lost node", pod: onNode, steps: [2000, loseNode], value: "outOfReach", moves: false },
    {
      why: "being deleted",
      pod: onNode,
      steps: [2000, terminate(30)],
      value: "terminating",
      moves: true
    },
    {
      why: "being deleted on a lost node",
      pod: onNode,
      steps: [2000, terminate(30), loseNode],
      value: "outOfReach",
      moves: false
    }
  ])("$why: $value", ({ pod, life = aLife(), steps, value, moves }) => {
    const harness = play(pod, life, steps)
    expect([harness.value(), harness.isMoving()]).toEqual([value, moves])
  })

  it.each(["Failed", "Succeeded"])("stays %s, even when it is deleted", (phase) => {
    const harness = play({ ...onNode, status: { phase } }, aLife(), [9000, terminate(30), 9000])
    expect(harness.value()).toBe(phase.toLowerCase())
    expect(harness.lines()).toEqual([])
  })

  it("is bound after 20 ms, not before", () => {
    expect(play(aPod(), aLife(), [19]).lines()).toEqual([])
    expect(play(aPod(), aLife(), [20]).lines()).toEqual(["20 bound"])
  })

  it("continues when its node is back", () => {
    const harness = play(onNode, aLife(), [1000, loseNode, 9000, look, 400])
    expect(harness.lines().at(-1)).toBe("10000 Running: running started ready")
  })

  it("ignores phases that other clients write while its node is lost", () => {
    const harness = play(onNode, aLife(), [2000, loseNode])
    harness.lines()
    for (const phase of ["Failed", "Failed"]) {
      expect(harness.look({ pod: { ...harness.pod(), status: { phase } }, kubelet: "lost" })).toEqual([])
    }
    expect(harness.value()).toBe("outOfReach")
  })

  it("starts each container once when its node is back", () => {
    const life = { ...aLife(), otherContainers: exits(1300, 1, 1) }
    const harness = play(onNode, life, [1100, loseNode, 100, look, 9000])
    expect(harness.events().filter((it) => it.endsWith("Created"))).toHaveLength(2)
  })

  it("reports nothing but an event when a pull starts again", () => {
    const harness = play(onNode, aLife({ pullFailures: 1 }), [10_600])
    harness.reports()
    harness.events()
    harness.wait(200)
    expect([harness.reports(), harness.events()]).toEqual([0, ["10700 Pulling"]])
  })
})
