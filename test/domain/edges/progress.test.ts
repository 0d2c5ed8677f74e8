import { describe, expect, it } from "vitest"
import { hasProgressed, wasComplete } from "../../../src/kubernetes/apps/progress.ts"
import { rollbackTarget } from "../../../src/kubernetes/apps/revisions/rollback.ts"
import { planPrevious } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import {
  podBurstMax,
  hasLostPods,
  replicaSetStatus
} from "../../../src/kubernetes/apps/replicaSetObservation.ts"
import { aDeployment, anObservation, aReplicaSet, startMillis } from "../../builders.ts"
import { planText } from "../planText.ts"
import type { DeploymentStatus, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

describe("a Deployment that has reported nothing", () => {
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
  ])("was complete: $complete, when of one Pod it said $status", ({ status, complete }) => {
    const seen = anObservation({ deployment: aDeployment({ replicas: 1, status }) })
    expect(wasComplete(seen)).toBe(complete)
  })

  it("was complete when it asks for nothing and was never given a generation", () => {
    const { generation: _generation, ...metadata } = aDeployment().metadata
    const deployment = { ...aDeployment({ replicas: 0 }), metadata }
    expect(wasComplete(anObservation({ deployment }))).toBe(true)
  })

  it.each([
    { field: "readyReplicas", ready: 1, available: 0 },
    { field: "availableReplicas", ready: 0, available: 1 }
  ] as const)(
    "has progressed with its first Pod, where it did not say $field",
    ({ field, ready, available }) => {
      const replicaSets = [aReplicaSet({ version: "v3", replicas: 1, ready, available })]
      const progressed = (status: DeploymentStatus): boolean =>
        hasProgressed(anObservation({ deployment: aDeployment({ replicas: 1, status }), replicaSets }))
      expect(progressed(without("readyReplicas", "availableReplicas"))).toBe(true)
      expect(progressed({ ...without("readyReplicas", "availableReplicas"), [field]: 1 })).toBe(false)
    }
  )

  it.each([
    { why: "its first new Pod is one more", status: { replicas: 3 }, progressed: true },
    { why: "that was known", status: { replicas: 4, updatedReplicas: 1 }, progressed: false }
  ])("has progressed: $progressed, with a new Pod beside three old ones: $why", ({ status, progressed }) => {
    const known = { ...status, readyReplicas: 3, availableReplicas: 3 }
    const replicaSets = [
      aReplicaSet({ version: "v1", replicas: 3 }),
      aReplicaSet({ version: "v3", replicas: 1, available: 0 })
    ]
    const seen = anObservation({ deployment: aDeployment({ status: known }), replicaSets })
    expect(hasProgressed(seen)).toBe(progressed)
  })

  it("has not progressed where nothing is there", () => {
    expect(hasProgressed(anObservation({ deployment: aDeployment() }))).toBe(false)
  })
})

describe("a rolling update with an old ReplicaSet that has reported no available Pod", () => {
  it("takes that one's first, and of the good ones only what may be missing", () => {
    const silent = aReplicaSet({ version: "v2", created: 2, replicas: 1 })
    const seen = anObservation({
      deployment: aDeployment({ replicas: 3, surge: 1, unavailable: 1 }),
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 3 }),
        { ...silent, status: { replicas: 1 } }
      ]
    })
    expect(planText(planPrevious(seen))).toBe("web-v2 1->0, web-v1 3->2")
  })
})

describe("a rolling update without a new ReplicaSet", () => {
  it("keeps what may not be missing", () => {
    const seen = anObservation({
      deployment: aDeployment({ replicas: 5, surge: 1, unavailable: 1 }),
      replicaSets: [aReplicaSet({ version: "v1", replicas: 6 })]
    })
    expect(planText(planPrevious(seen))).toBe("web-v1 6->4")
  })
})

describe("the revision before the present one", () => {
  const sets = (...revisions: ReadonlyArray<string>): ReadonlyArray<ReplicaSet> =>
    revisions.map((revision, index) => aReplicaSet({ name: `web-${index}`, created: index, revision }))

  it.each([
    { revisions: ["3", "1", "2"], target: "web-2", why: "the second highest, wherever it stands" },
    { revisions: ["3", "2", "1"], target: "web-1", why: "not the last that is lower" },
    { revisions: ["2", "latest", "3"], target: "web-0", why: "what is no number is passed over" },
    { revisions: ["latest", "4"], target: "none", why: "and is no revision to go back to" },
    { revisions: ["5", "5", "4"], target: "web-0", why: "two of the highest are two" }
  ])("of $revisions is $target: $why", ({ revisions, target }) => {
    const seen = anObservation({ deployment: aDeployment(), replicaSets: sets(...revisions) })
    const found = rollbackTarget(seen, 0n)
    expect(typeof found === "string" ? found : found.metadata.name).toBe(target)
  })
})

describe("a ReplicaSet that has reported nothing", () => {
  const pods = {
    active: 0,
    fullyLabeled: 0,
    ready: 0,
    available: 0,
    terminating: 0,
    nextAvailableMillis: undefined
  }
  const seenOf = (replicaSet: ReplicaSet) => ({
    replicaSet,
    pods,
    claims: { adopt: [], release: [] },
    countsTerminating: true,
    nowMillis: startMillis
  })

  it("is given 500 Pods at once at most, as the controller manager's BurstReplicas says", () => {
    expect(podBurstMax).toBe(500)
  })

  it("has lost none of its Pods", () => {
    expect(hasLostPods(seenOf({ ...aReplicaSet({ replicas: 3 }), status: { replicas: 0 } }))).toBe(false)
    expect(hasLostPods(seenOf(aReplicaSet({ replicas: 3, pods: 1 })))).toBe(true)
  })

  it("has observed generation 0 where it was never given one", () => {
    const { generation: _generation, ...metadata } = aReplicaSet().metadata
    const status = replicaSetStatus(
      seenOf({ ...aReplicaSet(), metadata, status: { replicas: 0 } }),
      undefined
    )
    expect(status).toStrictEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 0 })
  })
})
