import { describe, expect, it } from "vitest"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { aPod, aReplicaSet, startMillis } from "../../builders.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { replicaSetObservations } from "../podAndNodeObservations.ts"
import type { Command, CommandRefusal } from "../../../src/kubernetes/apps/commands.ts"
import type {
  PodCounts,
  ReplicaSetObservation
} from "../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"

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

const makeActor = () => {
  const clock = makeClock(startMillis)
  const player = startChart(replicaSetMachine, clock)
  const observe = (seen: ReplicaSetObservation): ReadonlyArray<Command> =>
    player.take({ type: "observed", seen })
  const refuse = (refusal: Partial<CommandRefusal>): ReadonlyArray<Command> =>
    player.take({
      type: "refused",
      refusal: { command: "createPods", reason: "Forbidden", message: "no room", ...refusal }
    })
  return { ...player, clock, observe, refuse }
}

const countsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
  commands.map((it) => ("count" in it ? `${it.type} ${it.count}` : it.type))

describe("annotations decide nothing:", () => {
  const decisionOn = (seen: ReplicaSetObservation): readonly [unknown, ReadonlyArray<Command>] => {
    const { observe, value } = makeActor()
    const commands = observe(seen)
    return [value(), commands]
  }
  it.each([...replicaSetObservations])("%s", (_situation, seen) => {
    const { metadata, ...others } = seen.replicaSet
    const annotations = { "deployment.kubernetes.io/revision": "7", note: "hi" }
    const replicaSet = { ...others, metadata: { ...metadata, annotations } }
    expect(decisionOn({ ...seen, replicaSet })).toEqual(decisionOn(seen))
  })
})

describe("a slow start", () => {
  it("creates 1, 2, 4 … Pods, then the rest", () => {
    const actor = makeActor()
    const first = countsOf(actor.observe(observation(10)))
    const later = [1, 2, 3, 4].flatMap(() => countsOf(actor.take({ type: "performed" })))
    expect([...first, ...later]).toEqual(["createPods 1", "createPods 2", "createPods 4", "createPods 3"])
  })

  it("ends when all Pods are created exactly", () => {
    const actor = makeActor()
    const first = countsOf(actor.observe(observation(3)))
    const later = [1, 2].flatMap(() => countsOf(actor.take({ type: "performed" })))
    expect([...first, ...later]).toEqual(["createPods 1", "createPods 2"])
  })

  it("starts from 1 when it begins again", () => {
    const actor = makeActor()
    actor.observe(observation(10))
    actor.take({ type: "performed" })
    expect(countsOf(actor.observe(observation(10, { active: 3 })))).toContain("createPods 1")
    expect(countsOf(actor.take({ type: "performed" }))).toEqual(["createPods 2"])
  })

  it("creates at most 500 Pods before the next look", () => {
    const actor = makeActor()
    let createdPods = 0
    for (
      let issuedCommands = actor.observe(observation(1300));
      issuedCommands.length > 0;
      issuedCommands = actor.take({ type: "performed" })
    ) {
      for (const it of issuedCommands) if (it.type === "createPods") createdPods += it.count
    }
    expect(createdPods).toBe(500)
  })
})

describe("a missing Pod", () => {
  it.each([
    { replicas: 1, active: 0 },
    { replicas: 7, active: 6 }
  ])("is created beside $active", ({ replicas, active }) => {
    const actor = makeActor()
    expect(countsOf(actor.observe(observation(replicas, { active })))).toEqual(["createPods 1"])
    expect(actor.take({ type: "performed" })).toEqual([])
  })
})

describe("surplus Pods", () => {
  it.each([
    { replicas: 3, active: 4, issuedCommands: ["deletePods 1"] },
    { replicas: 3, active: 10, issuedCommands: ["deletePods 7"] },
    { replicas: 0, active: 500, issuedCommands: ["deletePods 500"] },
    { replicas: 0, active: 501, issuedCommands: ["deletePods 500"] }
  ])("of $active with $replicas wanted: $issuedCommands", ({ replicas, active, issuedCommands }) => {
    expect(countsOf(makeActor().observe(observation(replicas, { active })))).toEqual(issuedCommands)
  })
})

describe("a refused command", () => {
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
  ] as const)("with $refusal is reported as $failures", ({ refusal, failures }) => {
    const actor = makeActor()
    actor.observe(observation(3))
    expect(failuresOf(actor.refuse(refusal))).toEqual(failures)
    expect(actor.value()).toBe("failing")
  })

  it.each(["adoptPod", "releasePod", "reportReplicaSet"] as const)(
    "of type %s is not reported",
    (command) => {
      const actor = makeActor()
      actor.observe(observation(3))
      expect(actor.refuse({ command })).toEqual([])
      expect(actor.value()).toBe("scalingUp")
    }
  )

  it("is followed by a look when a Pod becomes available", () => {
    const actor = makeActor()
    actor.observe(observation(3, { active: 2, ready: 1, nextAvailableMillis: startMillis + 700 }))
    actor.refuse({})
    actor.clock.advance(699)
    expect(actor.take()).toEqual([])
    actor.clock.advance(1)
    expect(actor.take()).toEqual([{ type: "lookAgain" }])
  })

  it("is followed by no look without such a Pod", () => {
    const actor = makeActor()
    actor.observe(observation(3))
    actor.refuse({})
    actor.clock.advance(3_600_000)
    expect(actor.take()).toEqual([])
  })
})

describe("a ReplicaSet at rest", () => {
  it.each([
    { dueMillis: 700, waits: 700, why: "the rest of the time" },
    { dueMillis: 0, waits: 0, why: "no wait when it is due" },
    { dueMillis: -300, waits: 0, why: "no wait when it was due before" }
  ])("looks again after $waits ms for a Pod due in $dueMillis: $why", ({ dueMillis, waits }) => {
    const actor = makeActor()
    const pods = { active: 1, ready: 1, nextAvailableMillis: startMillis + dueMillis }
    actor.observe(observation(1, pods))
    if (waits > 0) {
      actor.clock.advance(waits - 1)
      expect(actor.take()).toEqual([])
    }
    actor.clock.advance(waits > 0 ? 1 : 0)
    expect(actor.take()).toEqual([{ type: "lookAgain" }])
  })

  it("does not report an equal status", () => {
    const atRest = observation(0)
    const status = { replicas: 0, terminatingReplicas: 0, observedGeneration: 1 }
    const actor = makeActor()
    expect(actor.observe(atRest).map(({ type }) => type)).toEqual(["reportReplicaSet"])
    expect(actor.observe({ ...atRest, replicaSet: { ...atRest.replicaSet, status } })).toEqual([])
  })

  it("has no commands before its first observation", () => {
    const actor = makeActor()
    expect(actor.take({ type: "performed" })).toEqual([])
    expect(actor.refuse({})).toEqual([])
    expect(actor.clock.nowMillis()).toBe(startMillis)
  })

  it("releases and adopts first, in this order", () => {
    const [stray, orphan] = [aPod({ name: "stray" }), aPod({ name: "orphan" })]
    const seen = { ...observation(1), claims: { adopt: [orphan], release: [stray] } }
    expect(makeActor().observe(seen).slice(0, 2)).toEqual([
      { type: "releasePod", child: { name: "stray", uid: "uid-stray" } },
      { type: "adoptPod", child: { name: "orphan", uid: "uid-orphan" } }
    ])
  })
})
