import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { makeClock, play } from "../player.ts"
import { makeStage } from "../stage.ts"
import { aDeployment, beginMillis } from "../worlds.ts"
import type { Command, Refusal } from "../../../src/domain/commands.ts"

/** A Deployment whose first ReplicaSet is there, and none of whose Pods ever becomes available. */
const aRollout = (deadline: number) => {
  const clock = makeClock(beginMillis)
  const stage = makeStage(aDeployment({ replicas: 3, deadline }))
  const actor = play(deploymentMachine(), clock)
  const look = (): ReadonlyArray<Command> => {
    const commands = actor.take({ type: "observed", seen: stage.observe(clock.nowMillis()) })
    stage.perform(commands, clock.nowMillis())
    return commands
  }
  const refuse = (refusal: Partial<Refusal>): ReadonlyArray<Command> =>
    actor.take({
      type: "refused",
      refusal: { command: "createReplicaSet", reason: "Forbidden", message: "no room", ...refusal }
    })
  return { ...actor, clock, stage, look, refuse }
}

const claimsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
  commands.flatMap((it) => {
    if (it.type === "recordEvent") return [`event ${it.reason}: ${it.message}`]
    if (it.type !== "report" || it.report.part !== "condition") return []
    const { type, status, reason, message } = it.report.claim
    return type === "Progressing" ? [`${status} ${reason}: ${message}`] : []
  })

describe("a ReplicaSet that the server refuses", () => {
  it("is said in an event and in the condition, with the server's words", () => {
    const rollout = aRollout(600)
    rollout.look()
    const said = claimsOf(rollout.refuse({}))
    expect(said).toHaveLength(2)
    expect(
      said.every((it) => it.includes("Failed to create new replica set") && it.endsWith("no room"))
    ).toBe(true)
    expect(new Set(said.map((it) => it.split(":")[0]))).toEqual(
      new Set(["False ReplicaSetCreateError", "event ReplicaSetCreateError"])
    )
  })
})

describe("a refusal that is no failure of the rollout", () => {
  it.each([
    { why: "somebody has the name: that is a collision", refusal: { reason: "AlreadyExists" } },
    { why: "the namespace is going away", refusal: { reason: "NamespaceTerminating" } },
    { why: "another command was refused", refusal: { command: "scaleReplicaSet" } }
  ] as const)("is not said: $why", ({ refusal }) => {
    const rollout = aRollout(600)
    rollout.look()
    expect(claimsOf(rollout.refuse(refusal))).toEqual([])
  })
})

describe("the progress deadline", () => {
  const isOverdue = (commands: ReadonlyArray<Command>): boolean =>
    claimsOf(commands).some((it) => it.startsWith("False ProgressDeadlineExceeded"))

  /** Seconds until the rollout is called overdue, a look a second included. */
  const overdueAfter = (change: (rollout: ReturnType<typeof aRollout>, second: number) => void): number => {
    const rollout = aRollout(10)
    rollout.look()
    for (let second = 1; second < 60; second += 1) {
      change(rollout, second)
      rollout.clock.advance(1000)
      const commands = [...rollout.take(), ...rollout.look()]
      if (isOverdue(commands)) return second
    }
    return Infinity
  }

  it("is passed a second after its ten", () => {
    expect(overdueAfter(() => {})).toBe(11)
  })

  it("that is made longer while it runs is waited for anew", () => {
    const later = overdueAfter(({ stage }, second) => {
      if (second === 5) stage.change({}, { progressDeadlineSeconds: 30 })
    })
    expect(later).toBe(31)
  })

  it("that is made shorter while it runs is passed sooner", () => {
    const sooner = overdueAfter(({ stage }, second) => {
      if (second === 5) stage.change({}, { progressDeadlineSeconds: 7 })
    })
    expect(sooner).toBe(8)
  })
})
