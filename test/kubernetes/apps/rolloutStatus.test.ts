import { describe, expect, it } from "vitest"
import { rolloutStatus } from "../../../src/kubernetes/apps/rolloutStatus.ts"
import { aDeployment } from "../../builders.ts"
import type { DeploymentStatus } from "../../../src/kubernetes/meta/objects.ts"

const overdue = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }
const observed = { observedGeneration: 1 }

describe("the status of a rollout in kubectl's words and order (TestDeploymentStatusViewerStatus)", () => {
  it.each<{
    readonly why: string
    readonly generation?: number
    readonly replicas: number
    readonly status: DeploymentStatus
    readonly state: string
    readonly message: string
  }>([
    {
      why: "an unobserved generation comes first, even before the deadline",
      generation: 2,
      replicas: 1,
      status: { ...observed, replicas: 1, updatedReplicas: 1, availableReplicas: 1, conditions: [overdue] },
      state: "waiting",
      message: "Waiting for deployment spec update to be observed..."
    },
    {
      why: "never observed",
      replicas: 1,
      status: {},
      state: "waiting",
      message: "Waiting for deployment spec update to be observed..."
    },
    {
      why: "the deadline comes before the counts",
      replicas: 3,
      status: { ...observed, replicas: 3, updatedReplicas: 3, availableReplicas: 3, conditions: [overdue] },
      state: "failed",
      message: 'deployment "web" exceeded its progress deadline'
    },
    {
      why: "no new Pods yet",
      replicas: 1,
      status: { ...observed, replicas: 1, availableReplicas: 1 },
      state: "waiting",
      message: 'Waiting for deployment "web" rollout to finish: 0 out of 1 new replicas have been updated...'
    },
    {
      why: "old Pods remain",
      replicas: 1,
      status: { ...observed, replicas: 2, updatedReplicas: 1, availableReplicas: 2 },
      state: "waiting",
      message: 'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...'
    },
    {
      why: "new Pods are not available yet",
      replicas: 3,
      status: { ...observed, replicas: 3, updatedReplicas: 3, availableReplicas: 1 },
      state: "waiting",
      message: 'Waiting for deployment "web" rollout to finish: 1 of 3 updated replicas are available...'
    },
    {
      why: "no new Pod is available, and the status has no count",
      replicas: 1,
      status: { ...observed, replicas: 1, updatedReplicas: 1 },
      state: "waiting",
      message: 'Waiting for deployment "web" rollout to finish: 0 of 1 updated replicas are available...'
    },
    {
      why: "too few updated comes before remaining old ones",
      replicas: 7,
      status: { ...observed, replicas: 8, updatedReplicas: 2, availableReplicas: 6 },
      state: "waiting",
      message: 'Waiting for deployment "web" rollout to finish: 2 out of 7 new replicas have been updated...'
    },
    {
      why: "all available",
      replicas: 3,
      status: { ...observed, replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
      state: "complete",
      message: 'deployment "web" successfully rolled out'
    },
    {
      why: "0 of 0",
      replicas: 0,
      status: observed,
      state: "complete",
      message: 'deployment "web" successfully rolled out'
    }
  ])("$state: $why", ({ generation = 1, replicas, status, state, message }) => {
    expect(rolloutStatus(aDeployment({ generation, replicas, status }))).toEqual({ state, message })
  })

  it("is complete for 0 replicas without a generation", () => {
    const { generation: _generation, ...metadata } = aDeployment().metadata
    expect(rolloutStatus({ ...aDeployment({ replicas: 0 }), metadata }).state).toBe("complete")
  })
})
