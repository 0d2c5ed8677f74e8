import { describe, expect, it } from "vitest"
import { nodeMachine } from "../../../machines/node.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { startMillis } from "../../builders.ts"
import type { NodeObservation } from "../../../machines/guards/nodeGuards.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"

type NodeState = Partial<NodeObservation>

const textOf = (command: Command): string => {
  if (command.type === "reportNode") return `report ${command.ready}`
  return "keys" in command ? `${command.type} ${command.keys.join(", ")}` : command.type
}

/** A node's actor and its commands; times in the observed states count from the start. */
const makeNodeActor = () => {
  const clock = makeClock(startMillis)
  const player = startChart(nodeMachine, clock)
  const observe = (state: NodeState): ReadonlyArray<string> => {
    const { lostMillis = 50_000, nextOverdueMillis } = state
    const seen: NodeObservation = {
      kubelet: "running",
      ready: "True",
      hasStaleReadyPods: false,
      isMistainted: false,
      overduePods: [],
      toleratingPods: [],
      ...state,
      lostMillis: startMillis + lostMillis,
      nextOverdueMillis: nextOverdueMillis === undefined ? undefined : startMillis + nextOverdueMillis,
      nowMillis: clock.nowMillis()
    }
    return player.take({ type: "observed", seen }).map(textOf)
  }
  const waits = (millis: number): ReadonlyArray<string> => {
    clock.advance(millis)
    return player.take().map(textOf)
  }
  const region = (name: string): unknown => (player.value() as Readonly<Record<string, unknown>>)[name]
  const isMoving = (): boolean => player.snapshot().hasTag("moving")
  return { observe, waits, region, isMoving }
}

const stoppedKubelet = { kubelet: "stopped" } as const
const lostNode = { ...stoppedKubelet, ready: "Unknown" } as const

describe("the commands of a node at its first look", () => {
  it.each<{ readonly why: string; readonly state: NodeState; readonly expected: ReadonlyArray<string> }>([
    { why: "its kubelet runs", state: {}, expected: ["renewLease", "report True"] },
    { why: "it was lost before", state: { ready: "Unknown" }, expected: ["renewLease", "report True"] },
    { why: "its kubelet is stopped, perhaps for a moment", state: stoppedKubelet, expected: [] },
    { why: "it is lost and its condition says so", state: lostNode, expected: [] },
    {
      why: "it is lost and its Pods are ready",
      state: { ...lostNode, hasStaleReadyPods: true },
      expected: ["markPodsUnready"]
    },
    {
      why: "its kubelet reported not ready",
      state: { ...stoppedKubelet, ready: "False", hasStaleReadyPods: true },
      expected: ["markPodsUnready"]
    },
    {
      why: "its taints do not match its conditions",
      state: { ...lostNode, isMistainted: true },
      expected: ["taintNode"]
    },
    {
      why: "Pods are due for eviction",
      state: { ...lostNode, overduePods: ["shop/web-1", "shop/web-3"], toleratingPods: ["shop/web-2"] },
      expected: ["evictPods shop/web-1, shop/web-3"]
    },
    {
      why: "a Pod tolerates the taint for a while",
      state: { ...lostNode, toleratingPods: ["shop/web-2"], nextOverdueMillis: 7000 },
      expected: []
    }
  ])("are $expected: $why", ({ state, expected }) => {
    expect(makeNodeActor().observe(state)).toEqual(expected)
  })
})

describe("a kubelet", () => {
  it("renews its lease every ten seconds, however many looks there are", () => {
    const node = makeNodeActor()
    node.observe({})
    expect(node.waits(9999)).toEqual([])
    expect(node.observe({})).toEqual(["report True"])
    expect(node.waits(1)).toEqual(["renewLease"])
    expect(node.waits(30_000)).toEqual(["renewLease", "renewLease", "renewLease"])
  })

  it("stops renewing when it stops, and renews at once when it is back", () => {
    const node = makeNodeActor()
    node.observe({})
    node.observe(stoppedKubelet)
    expect(node.region("kubelet")).toBe("silent")
    expect(node.waits(30_000)).toEqual([])
    expect(node.observe({})).toEqual(["renewLease", "report True"])
  })
})

describe("a node whose lease grows old", () => {
  it.each([
    { why: "the whole grace period is left", lostMillis: 50_000, waits: 50_000 },
    { why: "some of the grace period is left", lostMillis: 700, waits: 700 },
    { why: "the grace period is over", lostMillis: 0, waits: 0 },
    { why: "the grace period was over before", lostMillis: -3000, waits: 0 }
  ])("is lost after $waits ms: $why", ({ lostMillis, waits }) => {
    const node = makeNodeActor()
    node.observe({ ...stoppedKubelet, lostMillis })
    expect([node.region("health"), node.isMoving()]).toEqual(["doubtful", true])
    if (waits > 0) expect(node.waits(waits - 1)).toEqual([])
    expect(node.waits(waits > 0 ? 1 : 0)).toEqual(["report Unknown"])
    expect([node.region("health"), node.isMoving()]).toEqual(["lost", false])
  })

  it("is not reported as lost again", () => {
    const node = makeNodeActor()
    node.observe({ ...lostNode, lostMillis: -3000 })
    expect([node.region("health"), node.waits(3_600_000)]).toEqual(["lost", []])
  })

  it("is not lost when its kubelet is back in time", () => {
    const node = makeNodeActor()
    node.observe(stoppedKubelet)
    node.waits(49_000)
    node.observe({})
    expect(node.waits(5000)).toEqual([])
  })
})

describe("Pods on a node with a NoExecute taint", () => {
  const tolerated = { toleratingPods: ["shop/web-1", "shop/web-2", "shop/web-3"], nextOverdueMillis: 7000 }

  it.each([
    { why: "the rest of the toleration", nextOverdueMillis: 7000, waits: 7000 },
    { why: "no wait when the toleration is over", nextOverdueMillis: 0, waits: 0 },
    { why: "no wait when the toleration was over before", nextOverdueMillis: -9, waits: 0 }
  ])("lead to a look after $waits ms: $why", ({ nextOverdueMillis, waits }) => {
    const node = makeNodeActor()
    node.observe({ ...tolerated, nextOverdueMillis })
    expect([node.region("pods"), node.region("kubelet")]).toEqual(["tolerating", { beating: "resting" }])
    if (waits > 0) expect(node.waits(waits - 1)).toEqual([])
    expect(node.waits(waits > 0 ? 1 : 0)).toEqual(["lookAgain"])
  })

  it.each([
    { why: "no other Pod", toleratingPods: [], nextOverdueMillis: undefined, next: [] },
    {
      why: "another Pod tolerates the taint",
      toleratingPods: ["shop/web-2"],
      nextOverdueMillis: 7000,
      next: ["lookAgain"]
    }
  ])("are evicted once: $why", ({ toleratingPods, nextOverdueMillis, next }) => {
    const node = makeNodeActor()
    const remaining = { toleratingPods, nextOverdueMillis }
    expect(node.observe({ ...lostNode, overduePods: ["shop/web-1"], ...remaining })).toEqual([
      "evictPods shop/web-1"
    ])
    expect([node.isMoving(), node.waits(6999)]).toEqual([next.length > 0, []])
    expect(node.waits(1)).toEqual(next)
  })

  it("have their evictions cancelled when no taint evicts them any more", () => {
    const node = makeNodeActor()
    node.observe(tolerated)
    expect(
      node.observe({ overduePods: ["shop/web-1"], toleratingPods: ["shop/web-3"], nextOverdueMillis: 9000 })
    ).toEqual(["cancelEvictions shop/web-2", "report True", "evictPods shop/web-1"])
    expect(node.observe({})).toEqual(["cancelEvictions shop/web-3", "report True"])
    expect([node.observe({}), node.region("pods")]).toEqual([["report True"], "staying"])
  })
})
