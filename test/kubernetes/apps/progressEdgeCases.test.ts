import { describe, expect, it } from "vitest"
import { hasProgressed, wasComplete } from "../../../src/kubernetes/apps/progress.ts"
import { rollbackTarget } from "../../../src/kubernetes/apps/revisions/rollback.ts"
import { planOldSizes } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import {
  podBurstMax,
  hasLostPods,
  replicaSetStatus
} from "../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import { aDeployment, anObservation, aReplicaSet, startMillis } from "../../builders.ts"
import { planText } from "./scalePlanText.ts"
import type { DeploymentStatus, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

describe("the progress of a Deployment with fields missing from its status", () => {
  const full: DeploymentStatus = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1
  }
  const without = (...fields: ReadonlyArray<keyof DeploymentStatus>): DeploymentStatus =>
    Object.fromEntries(Object.entries(full).filter(([field]) => !fields.some((it) => it === field)))

  it.each([
    { status: full, complete: true },
    { status: without("updatedReplicas"), complete: false },
    { status: without("replicas"), complete: false },
    { status: without("availableReplicas"), complete: false },
    { status: without("observedGeneration"), complete: false }
  ])("was complete ($complete) with status $status", ({ status, complete }) => {
    const observation = anObservation({ deployment: aDeployment({ replicas: 1, status }) })
    expect(wasComplete(observation)).toBe(complete)
  })

  it("was complete with 0 replicas and no generation", () => {
    const { generation: _generation, ...metadata } = aDeployment().metadata
    const deployment = { ...aDeployment({ replicas: 0 }), metadata }
    expect(wasComplete(anObservation({ deployment }))).toBe(true)
  })

  it.each([
    { field: "readyReplicas", ready: 1, available: 0 },
    { field: "availableReplicas", ready: 0, available: 1 }
  ] as const)("is made by the first Pod when the status has no $field", ({ field, ready, available }) => {
    const replicaSets = [aReplicaSet({ version: "v3", replicas: 1, ready, available })]
    const progressed = (status: DeploymentStatus): boolean =>
      hasProgressed(anObservation({ deployment: aDeployment({ replicas: 1, status }), replicaSets }))
    expect(progressed(without("readyReplicas", "availableReplicas"))).toBe(true)
    expect(progressed({ ...without("readyReplicas", "availableReplicas"), [field]: 1 })).toBe(false)
  })

  it.each([
    { why: "the first new Pod is one more", status: { replicas: 3 }, progressed: true },
    { why: "the new Pod is in the status", status: { replicas: 4, updatedReplicas: 1 }, progressed: false }
  ])("is made ($progressed) with a new Pod beside three old ones: $why", ({ status, progressed }) => {
    const withReadyPods = { ...status, readyReplicas: 3, availableReplicas: 3 }
    const replicaSets = [
      aReplicaSet({ version: "v1", replicas: 3 }),
      aReplicaSet({ version: "v3", replicas: 1, available: 0 })
    ]
    const observation = anObservation({ deployment: aDeployment({ status: withReadyPods }), replicaSets })
    expect(hasProgressed(observation)).toBe(progressed)
  })

  it("is not made without Pods", () => {
    expect(hasProgressed(anObservation({ deployment: aDeployment() }))).toBe(false)
  })
})

describe("a rolling update with an old ReplicaSet without availableReplicas", () => {
  it("scales it down first, then others within maxUnavailable", () => {
    const unreported = aReplicaSet({ version: "v2", created: 2, replicas: 1 })
    const observation = anObservation({
      deployment: aDeployment({ replicas: 3, surge: 1, unavailable: 1 }),
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 3 }),
        { ...unreported, status: { replicas: 1 } }
      ]
    })
    expect(planText(planOldSizes(observation))).toBe("web-v2 1->0, web-v1 3->2")
  })
})

describe("a rolling update without a new ReplicaSet", () => {
  it("keeps minAvailable", () => {
    const observation = anObservation({
      deployment: aDeployment({ replicas: 5, surge: 1, unavailable: 1 }),
      replicaSets: [aReplicaSet({ version: "v1", replicas: 6 })]
    })
    expect(planText(planOldSizes(observation))).toBe("web-v1 6->4")
  })
})

describe("the target of a rollback to the previous revision", () => {
  const sets = (...revisions: ReadonlyArray<string>): ReadonlyArray<ReplicaSet> =>
    revisions.map((revision, index) => aReplicaSet({ name: `web-${index}`, created: index, revision }))

  it.each([
    { revisions: ["3", "1", "2"], target: "web-2", why: "the second highest in any order" },
    { revisions: ["3", "2", "1"], target: "web-1", why: "not the last lower one" },
    { revisions: ["2", "latest", "3"], target: "web-0", why: "an invalid revision is ignored" },
    { revisions: ["latest", "4"], target: "none", why: "an invalid revision is no target" },
    { revisions: ["5", "5", "4"], target: "web-0", why: "two equal highest revisions count twice" }
  ])("among $revisions is $target: $why", ({ revisions, target }) => {
    const observation = anObservation({ deployment: aDeployment(), replicaSets: sets(...revisions) })
    const rollbackResult = rollbackTarget(observation, 0n)
    expect(typeof rollbackResult === "string" ? rollbackResult : rollbackResult.metadata.name).toBe(target)
  })
})

describe("a ReplicaSet without a status", () => {
  const pods = {
    active: 0,
    fullyLabeled: 0,
    ready: 0,
    available: 0,
    terminating: 0,
    nextAvailableMillis: undefined
  }
  const observationOf = (replicaSet: ReplicaSet) => ({
    replicaSet,
    pods,
    claims: { adopt: [], release: [] },
    countsTerminating: true,
    nowMillis: startMillis
  })

  it("creates at most 500 Pods at once (BurstReplicas of the controller manager)", () => {
    expect(podBurstMax).toBe(500)
  })

  it("has not lost Pods", () => {
    expect(hasLostPods(observationOf({ ...aReplicaSet({ replicas: 3 }), status: { replicas: 0 } }))).toBe(
      false
    )
    expect(hasLostPods(observationOf(aReplicaSet({ replicas: 3, pods: 1 })))).toBe(true)
  })

  it("has observed generation 0 without a generation", () => {
    const { generation: _generation, ...metadata } = aReplicaSet().metadata
    const status = replicaSetStatus(
      observationOf({ ...aReplicaSet(), metadata, status: { replicas: 0 } }),
      undefined
    )
    expect(status).toStrictEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 0 })
  })
})
