import { describe, expect, it } from "vitest"
import { newReplicaSetName } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { revisionAnnotation, rollbackAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, aReplicaSet, aTemplate, textAt } from "../workloadObservations.ts"
import { makeRollout } from "./rolloutHarness.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { Rollout } from "./rolloutHarness.ts"

/** A Deployment whose first ReplicaSet exists without available Pods. */
const aRollout = (deadline: number): Rollout => makeRollout(aDeployment({ replicas: 3, deadline }))

const claimsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
  commands.flatMap((it) => {
    if (it.type === "recordEvent") return [`event ${it.reason}: ${it.message}`]
    if (it.type !== "report" || it.report.part !== "condition") return []
    const { type, status, reason, message } = it.report.condition
    return type === "Progressing" ? [`${status} ${reason}: ${message}`] : []
  })

describe("a rejected creation of a ReplicaSet", () => {
  it("is reported in an event and in the condition, with the server's message", () => {
    const rollout = aRollout(600)
    rollout.look()
    const claims = claimsOf(rollout.refuse({}))
    expect(claims).toHaveLength(2)
    expect(
      claims.every((it) => it.includes("Failed to create new replica set") && it.endsWith("no room"))
    ).toBe(true)
    expect(new Set(claims.map((it) => it.split(":")[0]))).toEqual(
      new Set(["False ReplicaSetCreateError", "event ReplicaSetCreateError"])
    )
  })
})

describe("a refusal that is no failure of the rollout", () => {
  it.each([
    { why: "the name is taken, a collision", refusal: { reason: "AlreadyExists" } },
    { why: "the namespace is being deleted", refusal: { reason: "NamespaceTerminating" } },
    { why: "another command was refused", refusal: { command: "scaleReplicaSet" } }
  ] as const)("is not reported: $why", ({ refusal }) => {
    const rollout = aRollout(600)
    rollout.look()
    expect(claimsOf(rollout.refuse(refusal))).toEqual([])
  })
})

describe("the progress deadline", () => {
  /** Seconds until the rollout is overdue, with a look every second. */
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

  it("is exceeded one second after its ten seconds", () => {
    expect(overdueAfter(() => {})).toBe(11)
  })

  it("counts again when it is raised meanwhile", () => {
    const later = overdueAfter(({ workload }, second) => {
      if (second === 5) workload.changeDeployment({}, { progressDeadlineSeconds: 30 })
    })
    expect(later).toBe(31)
  })

  it("is exceeded sooner when it is lowered meanwhile", () => {
    const sooner = overdueAfter(({ workload }, second) => {
      if (second === 5) workload.changeDeployment({}, { progressDeadlineSeconds: 7 })
    })
    expect(sooner).toBe(8)
  })
})

describe("a rollback with an unknown strategy", () => {
  it("renumbers the ReplicaSet that is left, then rolls back", () => {
    const deployment = aDeployment({
      type: "Canary",
      image: "v3",
      annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "0" }
    })
    const { workload, look } = makeRollout(deployment)
    workload.addReplicaSet(aReplicaSet({ replicas: 4 }))
    workload.addReplicaSet(aReplicaSet({ image: "v2", revision: 2, replicas: 3 }))
    look()
    const replaced = workload
      .replicaSets()
      .find(({ metadata }) => metadata.name === newReplicaSetName(deployment))
    expect(replaced?.metadata.annotations?.[revisionAnnotation]).toBe("3")
    look()
    expect(workload.deployment().spec.template).toEqual(aTemplate("v2"))
  })
})

describe("a Deployment that returns to an earlier template", () => {
  it("renumbers the ReplicaSet of that template, then shows the new revision", () => {
    const { workload, look } = makeRollout(
      aDeployment({ image: "v1", annotations: { [revisionAnnotation]: "2" } })
    )
    workload.addReplicaSet(aReplicaSet({ replicas: 4 }))
    workload.addReplicaSet(aReplicaSet({ image: "v2", revision: 2, replicas: 3 }))
    const shown = (): string | undefined => workload.deployment().metadata.annotations?.[revisionAnnotation]
    look()
    expect(workload.replicaSets().map((it) => it.metadata.annotations?.[revisionAnnotation])).toEqual([
      "3",
      "2"
    ])
    expect(shown()).toBe("2")
    look()
    expect(shown()).toBe("3")
  })
})

describe("the condition Available", () => {
  it("keeps its time over many looks", () => {
    const rollout = makeRollout(aDeployment())
    rollout.workload.addReplicaSet(aReplicaSet())
    rollout.look()
    rollout.wait(70)
    rollout.look()
    const available = rollout.workload
      .deployment()
      .status.conditions?.find(({ type }) => type === "Available")
    expect(available).toMatchObject({ status: "True", lastUpdateTime: textAt(0) })
  })
})
