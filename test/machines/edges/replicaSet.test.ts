import { describe, expect, it } from "vitest"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { aPod, aReplicaSet, startMillis } from "../../builders.ts"
import { makeClock, play } from "../player.ts"
import type { Command, CommandRefusal } from "../../../src/kubernetes/apps/commands.ts"
import type { PodCounts, ReplicaSetObservation } from "../../../src/kubernetes/apps/replicaSetObservation.ts"

const observation = (replicas: number, pods: Partial<PodCounts> = {}): ReplicaSetObservation => ({
  replicaSet: aReplicaSet({ replicas, pods: 0, ready: 0, available: 0 }),
  pods: {
    active: 0,
    fullyLabeled: 0,
    ready: 0,
    available: 0,
    terminating: 0,
    nextAvailableMillis: undefined,
    ...pods
  },
  claims: { adopt: [], release: [] },
  countsTerminating: true,
  nowMillis: startMillis
})

const acting = () => {
  const clock = makeClock(startMillis)
  const player = play(replicaSetMachine, clock)
  const saysOf = (seen: ReplicaSetObservation): ReadonlyArray<Command> =>
    player.take({ type: "observed", seen })
  const refuse = (refusal: Partial<CommandRefusal>): ReadonlyArray<Command> =>
    player.take({
      type: "refused",
      refusal: { command: "createPods", reason: "Forbidden", message: "no room", ...refusal }
    })
  return { ...player, clock, saysOf, refuse }
}

const countsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
  commands.map((it) => ("count" in it ? `${it.type} ${it.count}` : it.type))

describe("a slow start", () => {
  it("asks for 1, 2, 4 … Pods, the last time for the rest, and then for no more", () => {
    const actor = acting()
    const first = countsOf(actor.saysOf(observation(10)))
    const later = [1, 2, 3, 4].flatMap(() => countsOf(actor.take({ type: "performed" })))
    expect([...first, ...later]).toEqual(["createPods 1", "createPods 2", "createPods 4", "createPods 3"])
  })

  it("ends when what it was for is made exactly", () => {
    const actor = acting()
    const first = countsOf(actor.saysOf(observation(3)))
    const later = [1, 2].flatMap(() => countsOf(actor.take({ type: "performed" })))
    expect([...first, ...later]).toEqual(["createPods 1", "createPods 2"])
  })

  it("counts from nothing when it is begun again", () => {
    const actor = acting()
    actor.saysOf(observation(10))
    actor.take({ type: "performed" })
    expect(countsOf(actor.saysOf(observation(10, { active: 3 })))).toContain("createPods 1")
    expect(countsOf(actor.take({ type: "performed" }))).toEqual(["createPods 2"])
  })

  it("makes 500 Pods at most before it looks again", () => {
    const actor = acting()
    let made = 0
    for (
      let says = actor.saysOf(observation(1300));
      says.length > 0;
      says = actor.take({ type: "performed" })
    ) {
      for (const it of says) if (it.type === "createPods") made += it.count
    }
    expect(made).toBe(500)
  })
})

describe("a lack", () => {
  it.each([
    { replicas: 1, active: 0 },
    { replicas: 7, active: 6 }
  ])("of the one that is missing beside $active is made good", ({ replicas, active }) => {
    const actor = acting()
    expect(countsOf(actor.saysOf(observation(replicas, { active })))).toEqual(["createPods 1"])
    expect(actor.take({ type: "performed" })).toEqual([])
  })
})

describe("a surplus", () => {
  it.each([
    { replicas: 3, active: 4, says: ["deletePods 1"] },
    { replicas: 3, active: 10, says: ["deletePods 7"] },
    { replicas: 0, active: 500, says: ["deletePods 500"] },
    { replicas: 0, active: 501, says: ["deletePods 500"] }
  ])("of $active where $replicas are asked for: $says", ({ replicas, active, says }) => {
    expect(countsOf(acting().saysOf(observation(replicas, { active })))).toEqual(says)
  })
})

describe("a refusal", () => {
  const failuresOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
    commands.flatMap((it) =>
      it.type === "reportReplicaSet"
        ? (it.status.conditions ?? []).map(({ reason, message }) => `${reason}: ${message}`)
        : []
    )

  it.each([
    { refusal: { command: "createPods" }, failures: ["FailedCreate: no room"] },
    { refusal: { command: "deletePods" }, failures: ["FailedDelete: no room"] },
    { refusal: { reason: "NamespaceTerminating" }, failures: [] }
  ] as const)("of $refusal is the failure $failures", ({ refusal, failures }) => {
    const actor = acting()
    actor.saysOf(observation(3))
    expect(failuresOf(actor.refuse(refusal))).toEqual(failures)
    expect(actor.value()).toBe("failing")
  })

  it.each(["adoptPod", "releasePod", "reportReplicaSet"] as const)("of %s is none of its own", (command) => {
    const actor = acting()
    actor.saysOf(observation(3))
    expect(actor.refuse({ command })).toEqual([])
    expect(actor.value()).toBe("scalingUp")
  })

  it("while a Pod waits to become available is followed by a look when it does, and only then", () => {
    const actor = acting()
    actor.saysOf(observation(3, { active: 2, ready: 1, nextAvailableMillis: startMillis + 700 }))
    actor.refuse({})
    actor.clock.advance(699)
    expect(actor.take()).toEqual([])
    actor.clock.advance(1)
    expect(actor.take()).toEqual([{ type: "lookAgain" }])
  })

  it("without one is followed by no look of its own", () => {
    const actor = acting()
    actor.saysOf(observation(3))
    actor.refuse({})
    actor.clock.advance(3_600_000)
    expect(actor.take()).toEqual([])
  })
})

describe("a ReplicaSet at rest", () => {
  it.each([
    { dueMillis: 700, waits: 700, why: "as long as is left" },
    { dueMillis: 0, waits: 0, why: "not at all when it is due" },
    { dueMillis: -300, waits: 0, why: "nor when it was due before" }
  ])("looks again after $waits ms for what is due in $dueMillis: $why", ({ dueMillis, waits }) => {
    const actor = acting()
    const pods = { active: 1, ready: 1, nextAvailableMillis: startMillis + dueMillis }
    actor.saysOf(observation(1, pods))
    if (waits > 0) {
      actor.clock.advance(waits - 1)
      expect(actor.take()).toEqual([])
    }
    actor.clock.advance(waits > 0 ? 1 : 0)
    expect(actor.take()).toEqual([{ type: "lookAgain" }])
  })

  it("says nothing that its status says already", () => {
    const settled = observation(0)
    const status = { replicas: 0, terminatingReplicas: 0, observedGeneration: 1 }
    const actor = acting()
    expect(actor.saysOf(settled).map(({ type }) => type)).toEqual(["reportReplicaSet"])
    expect(actor.saysOf({ ...settled, replicaSet: { ...settled.replicaSet, status } })).toEqual([])
  })

  it("has nothing to say before it has seen anything", () => {
    const actor = acting()
    expect(actor.take({ type: "performed" })).toEqual([])
    expect(actor.refuse({})).toEqual([])
    expect(actor.clock.nowMillis()).toBe(startMillis)
  })

  it("says first what changes hands, releasing before adopting", () => {
    const [stray, orphan] = [aPod({ name: "stray" }), aPod({ name: "orphan" })]
    const seen = { ...observation(1), claims: { adopt: [orphan], release: [stray] } }
    expect(acting().saysOf(seen).slice(0, 2)).toEqual([
      { type: "releasePod", child: { name: "stray", uid: "uid-stray" } },
      { type: "adoptPod", child: { name: "orphan", uid: "uid-orphan" } }
    ])
  })
})
