import { describe, expect, it } from "vitest"
import { nodeMachine } from "../../../machines/node.ts"
import { makeClock, play } from "../player.ts"
import { startMillis } from "../../builders.ts"
import type { NodeObservation } from "../../../machines/node.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"

type World = Partial<NodeObservation>

const textOf = (command: Command): string => {
  if (command.type === "reportNode") return `report ${command.ready}`
  return "keys" in command ? `${command.type} ${command.keys.join(", ")}` : command.type
}

/** A node's actor, and what it says; times in the worlds it is shown count from the beginning. */
const acting = () => {
  const clock = makeClock(startMillis)
  const player = play(nodeMachine, clock)
  const shows = (world: World): ReadonlyArray<string> => {
    const { lostMillis = 50_000, nextOverdueMillis } = world
    const seen: NodeObservation = {
      kubelet: "running",
      ready: "True",
      isServing: false,
      isMistainted: false,
      overdue: [],
      tolerating: [],
      ...world,
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
  return { shows, waits, region, isMoving }
}

const silent = { kubelet: "stopped" } as const
const unknown = { ...silent, ready: "Unknown" } as const

describe("what is said of a node at the first look", () => {
  it.each<{ readonly why: string; readonly world: World; readonly says: ReadonlyArray<string> }>([
    { why: "its kubelet lives", world: {}, says: ["renewLease", "report True"] },
    { why: "that it was lost is over", world: { ready: "Unknown" }, says: ["renewLease", "report True"] },
    { why: "its kubelet is silent, which may pass", world: silent, says: [] },
    { why: "it is lost, which is known", world: unknown, says: [] },
    {
      why: "it is lost, and its Pods count as ready",
      world: { ...unknown, isServing: true },
      says: ["markPodsUnready"]
    },
    {
      why: "it says itself that it is not ready",
      world: { ...silent, ready: "False", isServing: true },
      says: ["markPodsUnready"]
    },
    {
      why: "its taints are not those of its conditions",
      world: { ...unknown, isMistainted: true },
      says: ["taintNode"]
    },
    {
      why: "Pods must leave",
      world: { ...unknown, overdue: ["shop/web-1", "shop/web-3"], tolerating: ["shop/web-2"] },
      says: ["evictPods shop/web-1, shop/web-3"]
    },
    {
      why: "a Pod may stay for a while",
      world: { ...unknown, tolerating: ["shop/web-2"], nextOverdueMillis: 7000 },
      says: []
    }
  ])("$says: $why", ({ world, says }) => {
    expect(acting().shows(world)).toEqual(says)
  })
})

describe("a kubelet", () => {
  it("renews its lease every ten seconds, however often it is looked at", () => {
    const node = acting()
    node.shows({})
    expect(node.waits(9999)).toEqual([])
    expect(node.shows({})).toEqual(["report True"])
    expect(node.waits(1)).toEqual(["renewLease"])
    expect(node.waits(30_000)).toEqual(["renewLease", "renewLease", "renewLease"])
  })

  it("renews no lease once it has stopped, and at once when it is back", () => {
    const node = acting()
    node.shows({})
    node.shows(silent)
    expect(node.region("kubelet")).toBe("silent")
    expect(node.waits(30_000)).toEqual([])
    expect(node.shows({})).toEqual(["renewLease", "report True"])
  })
})

describe("a node whose lease grows old", () => {
  it.each([
    { why: "its grace is over then", lostMillis: 50_000, waits: 50_000 },
    { why: "some of it is over", lostMillis: 700, waits: 700 },
    { why: "at once where it is over", lostMillis: 0, waits: 0 },
    { why: "at once where it was over before", lostMillis: -3000, waits: 0 }
  ])("is lost after $waits ms: $why", ({ lostMillis, waits }) => {
    const node = acting()
    node.shows({ ...silent, lostMillis })
    expect([node.region("health"), node.isMoving()]).toEqual(["doubtful", true])
    if (waits > 0) expect(node.waits(waits - 1)).toEqual([])
    expect(node.waits(waits > 0 ? 1 : 0)).toEqual(["report Unknown"])
    expect([node.region("health"), node.isMoving()]).toEqual(["lost", false])
  })

  it("is not said to be lost once more when that is known", () => {
    const node = acting()
    node.shows({ ...unknown, lostMillis: -3000 })
    expect([node.region("health"), node.waits(3_600_000)]).toEqual(["lost", []])
  })

  it("is not lost when its kubelet is heard again", () => {
    const node = acting()
    node.shows(silent)
    node.waits(49_000)
    node.shows({})
    expect(node.waits(5000)).toEqual([])
  })
})

describe("Pods that a taint drives away", () => {
  const patient = { tolerating: ["shop/web-1", "shop/web-2", "shop/web-3"], nextOverdueMillis: 7000 }

  it.each([
    { why: "as long as is left", nextOverdueMillis: 7000, waits: 7000 },
    { why: "not at all when it is over", nextOverdueMillis: 0, waits: 0 },
    { why: "nor when it was over before", nextOverdueMillis: -9, waits: 0 }
  ])("are looked at again after $waits ms: $why", ({ nextOverdueMillis, waits }) => {
    const node = acting()
    node.shows({ ...patient, nextOverdueMillis })
    expect([node.region("pods"), node.region("kubelet")]).toEqual(["tolerating", { beating: "resting" }])
    if (waits > 0) expect(node.waits(waits - 1)).toEqual([])
    expect(node.waits(waits > 0 ? 1 : 0)).toEqual(["lookAgain"])
  })

  it.each([
    { why: "there is nobody else", tolerating: [], nextOverdueMillis: undefined, next: [] },
    {
      why: "the next is waited for",
      tolerating: ["shop/web-2"],
      nextOverdueMillis: 7000,
      next: ["lookAgain"]
    }
  ])("are told to go once, seen going or not: $why", ({ tolerating, nextOverdueMillis, next }) => {
    const node = acting()
    const left = { tolerating, nextOverdueMillis }
    expect(node.shows({ ...unknown, overdue: ["shop/web-1"], ...left })).toEqual(["evictPods shop/web-1"])
    expect([node.isMoving(), node.waits(6999)]).toEqual([next.length > 0, []])
    expect(node.waits(1)).toEqual(next)
  })

  it("are spared, by name, when they tolerate it no longer and need not leave", () => {
    const node = acting()
    node.shows(patient)
    expect(
      node.shows({ overdue: ["shop/web-1"], tolerating: ["shop/web-3"], nextOverdueMillis: 9000 })
    ).toEqual(["cancelEvictions shop/web-2", "report True", "evictPods shop/web-1"])
    expect(node.shows({})).toEqual(["cancelEvictions shop/web-3", "report True"])
    expect([node.shows({}), node.region("pods")]).toEqual([["report True"], "staying"])
  })
})
