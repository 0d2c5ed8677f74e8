import { describe, expect, it } from "vitest"
import { nextReplicaSetName } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { revisionAnnotation, rollbackAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, aReplicaSet, aTemplate, textAt } from "../worlds.ts"
import { makeRollout } from "./rollout.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { Rollout } from "./rollout.ts"

/** A Deployment whose first ReplicaSet is there, and none of whose Pods ever becomes available. */
const aRollout = (deadline: number): Rollout => makeRollout(aDeployment({ replicas: 3, deadline }))

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
  /** Seconds until the rollout is called overdue, a look a second included. */
  const overdueAfter = (change: (rollout: Rollout, second: number) => void): number => {
    const rollout = aRollout(10)
    rollout.look()
    for (let second = 1; second < 60; second += 1) {
      change(rollout, second)
      rollout.wait(1)
      rollout.look()
      if (rollout.reason() === "ProgressDeadlineExceeded") return second
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

describe("a rollback under a strategy that nobody knows", () => {
  it("gives the revision that is left its number all the same, and goes back", () => {
    const deployment = aDeployment({
      type: "Canary",
      image: "v3",
      annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "0" }
    })
    const { stage, look } = makeRollout(deployment)
    stage.add(aReplicaSet({ asked: 4 }))
    stage.add(aReplicaSet({ image: "v2", revision: 2, asked: 3 }))
    look()
    const left = stage.replicaSets().find(({ metadata }) => metadata.name === nextReplicaSetName(deployment))
    expect(left?.metadata.annotations?.[revisionAnnotation]).toBe("3")
    look()
    expect(stage.deployment().spec.template).toEqual(aTemplate("v2"))
  })
})

describe("a Deployment that goes back to a template it had", () => {
  it("renumbers that template's ReplicaSet, and then shows the number itself", () => {
    const { stage, look } = makeRollout(
      aDeployment({ image: "v1", annotations: { [revisionAnnotation]: "2" } })
    )
    stage.add(aReplicaSet({ asked: 4 }))
    stage.add(aReplicaSet({ image: "v2", revision: 2, asked: 3 }))
    const shown = (): string | undefined => stage.deployment().metadata.annotations?.[revisionAnnotation]
    look()
    expect(stage.replicaSets().map((it) => it.metadata.annotations?.[revisionAnnotation])).toEqual(["3", "2"])
    expect(shown()).toBe("2")
    look()
    expect(shown()).toBe("3")
  })
})

describe("a Deployment that is available", () => {
  it("says since when, however often it is looked at", () => {
    const rollout = makeRollout(aDeployment())
    rollout.stage.add(aReplicaSet())
    rollout.look()
    rollout.wait(70)
    rollout.look()
    const available = rollout.stage.deployment().status.conditions?.find(({ type }) => type === "Available")
    expect(available).toMatchObject({ status: "True", lastUpdateTime: textAt(0) })
  })
})
