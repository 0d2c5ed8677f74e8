import { describe, expect, it } from "vitest"
import { planScaling } from "../../../src/kubernetes/apps/scaling.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import { planText } from "./scalePlanText.ts"
import type { DeploymentOptions } from "../../builders.ts"
import type { Deployment, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

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
  ): { readonly annotatedSize: { readonly desired: number; readonly max: number } } => ({
    annotatedSize: { desired, max: desired + 1 }
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

describe("several ReplicaSets of a strategy of one's own", () => {
  const sized = (desired: number, replicaSet: Parameters<typeof aReplicaSet>[0]) =>
    aReplicaSet({ replicas: 3, available: 3, annotatedSize: { desired, max: desired + 1 }, ...replicaSet })
  const both = (desired: number) => [
    sized(desired, { version: "v1", created: 1 }),
    sized(desired, { version: "v9", created: 2 })
  ]
  const own = (traits: DeploymentOptions, strategy: Deployment["spec"]["strategy"], desired: number) => {
    const { spec, ...rest } = aDeployment({ version: "v9", surge: 1, ...traits })
    const deployment = { ...rest, spec: { ...spec, strategy } }
    return planText(planScaling(anObservation({ deployment, replicaSets: both(desired) })))
  }
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 }

  it.each([
    {
      why: "keep their sizes beside a saturated new one, as in a pause during a hold",
      replicas: 3,
      strategy: { type: "Held", rollingUpdate },
      plan: "nothing"
    },
    {
      why: "keep their sizes and record the Deployment's: the strategy resizes them",
      replicas: 5,
      strategy: { type: "Held" },
      plan: "web-v1 3->3, web-v9 3->3"
    },
    {
      why: "share a new size in proportion, if the strategy has rollingUpdate",
      replicas: 8,
      strategy: { type: "Held", rollingUpdate },
      plan: "web-v9 3->6, web-v1 3->3"
    },
    {
      why: "a saturated new one ends the old ones of Kubernetes' own strategies",
      replicas: 3,
      strategy: { type: "RollingUpdate", rollingUpdate },
      plan: "web-v1 3->0"
    }
  ])("$plan: $why", ({ replicas, strategy, plan }) => {
    expect(own({ replicas }, strategy, 3)).toBe(plan)
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
    const annotatedSize = { desired: 9, max: 10 }
    expect(
      scalingText({ replicas: 9 }, [
        aReplicaSet({ version: "v1", created: 1, replicas: 6, annotatedSize, available: 5 }),
        aReplicaSet({ version: "v9", created: 2, replicas: 2, annotatedSize, available: 1 })
      ])
    ).toBe("web-v1 6->8")
  })
})

describe("scaling a rollout to 0", () => {
  it("scales every ReplicaSet to 0 despite maxSurge", () => {
    const annotatedSize = { desired: 7, max: 8 }
    expect(
      scalingText({ replicas: 0, surge: 3 }, [
        aReplicaSet({ version: "v1", created: 1, replicas: 6, annotatedSize }),
        aReplicaSet({ version: "v9", created: 2, replicas: 2, annotatedSize })
      ])
    ).toBe("web-v1 6->0, web-v9 2->0")
  })
})
