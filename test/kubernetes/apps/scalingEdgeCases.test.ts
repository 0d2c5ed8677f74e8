import { describe, expect, it } from "vitest"
import { planScaling } from "../../../src/kubernetes/apps/scaling.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import { planText } from "./scalePlanText.ts"
import type { DeploymentOptions } from "../../builders.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

const scalingText = (deployment: DeploymentOptions, replicaSets: ReadonlyArray<ReplicaSet>): string =>
  planText(
    planScaling(
      anObservation({ deployment: aDeployment({ version: "v9", surge: 1, ...deployment }), replicaSets })
    )
  )

interface Row {
  readonly why: string
  readonly deployment: DeploymentOptions
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly plan: string
}

describe("scaling a Deployment without a rollout", () => {
  it.each<Row>([
    {
      why: "the old ReplicaSet that runs, not the new one with 0 replicas",
      deployment: { replicas: 7 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 4 }),
        aReplicaSet({ version: "v9", created: 2, replicas: 0 })
      ],
      plan: "web-v1 4->7"
    },
    {
      why: "the newest of old ReplicaSets with 0 replicas",
      deployment: { replicas: 5 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 0 }),
        aReplicaSet({ version: "v2", created: 2, replicas: 0 }),
        aReplicaSet({ version: "v3", created: 3, replicas: 0 })
      ],
      plan: "web-v3 0->5"
    }
  ])("$plan: $why", ({ deployment, replicaSets, plan }) => {
    expect(scalingText(deployment, replicaSets)).toBe(plan)
  })
})

describe("the end of a rollout as seen by scaling", () => {
  const remembering = (
    desired: number
  ): { readonly remembers: { readonly desired: number; readonly max: number } } => ({
    remembers: { desired, max: desired + 1 }
  })
  const unreported = aReplicaSet({ version: "v9", created: 2, replicas: 1, ...remembering(1) })

  it.each<Row>([
    {
      why: "not before the new ReplicaSet is down to the wanted replicas",
      deployment: { replicas: 3 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 2, ...remembering(3) }),
        aReplicaSet({ version: "v9", created: 2, replicas: 4, pods: 4, available: 3, ...remembering(3) })
      ],
      plan: "web-v9 4->2"
    },
    {
      why: "not before the new ReplicaSet has reported available Pods",
      deployment: { replicas: 1 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 1, ...remembering(1) }),
        { ...unreported, status: { replicas: 0 } }
      ],
      plan: "nothing"
    }
  ])("$plan: $why", ({ deployment, replicaSets, plan }) => {
    expect(scalingText(deployment, replicaSets)).toBe(plan)
  })
})

describe("proportional scaling without a difference", () => {
  it("updates the size annotations in the order of creation", () => {
    const sets = [
      aReplicaSet({ version: "v1", created: 1, replicas: 2, available: 1 }),
      aReplicaSet({ version: "v9", created: 2, replicas: 5, available: 3 })
    ]
    expect(scalingText({ replicas: 6 }, sets)).toBe("web-v1 2->2, web-v9 5->5")
  })
})

describe("a proportional share that has changed", () => {
  it("is written even if the size annotations are right", () => {
    const remembers = { desired: 9, max: 10 }
    expect(
      scalingText({ replicas: 9 }, [
        aReplicaSet({ version: "v1", created: 1, replicas: 6, remembers, available: 5 }),
        aReplicaSet({ version: "v9", created: 2, replicas: 2, remembers, available: 1 })
      ])
    ).toBe("web-v1 6->8")
  })
})

describe("scaling a rollout to 0", () => {
  it("scales every ReplicaSet to 0 despite maxSurge", () => {
    const remembers = { desired: 7, max: 8 }
    expect(
      scalingText({ replicas: 0, surge: 3 }, [
        aReplicaSet({ version: "v1", created: 1, replicas: 6, remembers }),
        aReplicaSet({ version: "v9", created: 2, replicas: 2, remembers })
      ])
    ).toBe("web-v1 6->0, web-v9 2->0")
  })
})
