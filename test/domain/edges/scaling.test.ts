import { describe, expect, it } from "vitest"
import { planScaling } from "../../../src/kubernetes/apps/scaling.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import { planText } from "../planText.ts"
import type { DeploymentOptions } from "../../builders.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

const planned = (deployment: DeploymentOptions, replicaSets: ReadonlyArray<ReplicaSet>): string =>
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

describe("the size goes to the one that runs", () => {
  it.each<Row>([
    {
      why: "an old one that runs, and not the new one that does not yet",
      deployment: { replicas: 7 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 4 }),
        aReplicaSet({ version: "v9", created: 2, replicas: 0 })
      ],
      plan: "web-v1 4->7"
    },
    {
      why: "of old ones that are all empty, the newest",
      deployment: { replicas: 5 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 0 }),
        aReplicaSet({ version: "v2", created: 2, replicas: 0 }),
        aReplicaSet({ version: "v3", created: 3, replicas: 0 })
      ],
      plan: "web-v3 0->5"
    }
  ])("$plan: $why", ({ deployment, replicaSets, plan }) => {
    expect(planned(deployment, replicaSets)).toBe(plan)
  })
})

describe("a rollout is over when the new one is as large as asked for, knows it, and is available", () => {
  const knows = (
    desired: number
  ): { readonly remembers: { readonly desired: number; readonly max: number } } => ({
    remembers: { desired, max: desired + 1 }
  })
  const unheard = aReplicaSet({ version: "v9", created: 2, replicas: 1, ...knows(1) })

  it.each<Row>([
    {
      why: "more were made than are asked for, although as many are available",
      deployment: { replicas: 3 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 2, ...knows(3) }),
        aReplicaSet({ version: "v9", created: 2, replicas: 4, pods: 4, available: 3, ...knows(3) })
      ],
      plan: "web-v9 4->2"
    },
    {
      why: "what has never reported is not available",
      deployment: { replicas: 1 },
      replicaSets: [
        aReplicaSet({ version: "v1", created: 1, replicas: 1, ...knows(1) }),
        { ...unheard, status: { replicas: 0 } }
      ],
      plan: "nothing"
    }
  ])("$plan: $why", ({ deployment, replicaSets, plan }) => {
    expect(planned(deployment, replicaSets)).toBe(plan)
  })
})

describe("where nothing is to be shared out", () => {
  it("sizes are remembered anew in the order of creation", () => {
    const sets = [
      aReplicaSet({ version: "v1", created: 1, replicas: 2, available: 1 }),
      aReplicaSet({ version: "v9", created: 2, replicas: 5, available: 3 })
    ]
    expect(planned({ replicas: 6 }, sets)).toBe("web-v1 2->2, web-v9 5->5")
  })
})

describe("a share that has changed is written", () => {
  it("although the ReplicaSet remembers the right size already", () => {
    const remembers = { desired: 9, max: 10 }
    expect(
      planned({ replicas: 9 }, [
        aReplicaSet({ version: "v1", created: 1, replicas: 6, remembers, available: 5 }),
        aReplicaSet({ version: "v9", created: 2, replicas: 2, remembers, available: 1 })
      ])
    ).toBe("web-v1 6->8")
  })
})

describe("a rollout that is scaled to nothing", () => {
  it("leaves none for the surge", () => {
    const remembers = { desired: 7, max: 8 }
    expect(
      planned({ replicas: 0, surge: 3 }, [
        aReplicaSet({ version: "v1", created: 1, replicas: 6, remembers }),
        aReplicaSet({ version: "v9", created: 2, replicas: 2, remembers })
      ])
    ).toBe("web-v1 6->0, web-v9 2->0")
  })
})
