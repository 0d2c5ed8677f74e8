import { describe, expect, it } from "vitest"
import { quotaManifest } from "../../builders.ts"
import { planOf, rolling, slowPods } from "../planManifests.ts"

describe("undo", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly from: Parameters<typeof planOf>[0]["next"]
    readonly next: Parameters<typeof planOf>[0]["next"]
    readonly undo: object | undefined
  }> = [
    {
      why: "takes as many turns as the rollout, with the new replicas and strategy",
      from: { replicas: 2, spec: rolling(2, 0) },
      next: { replicas: 4, spec: rolling(1, 0), version: "v2" },
      undo: { p50: 40_000, p95: 40_000, worst: 40_000, seeds: 1, stuck: 0 }
    },
    {
      why: "is possible when the rollout is not",
      from: { replicas: 2, spec: rolling(1, 0) },
      next: {
        replicas: 2,
        spec: { ...rolling(1, 0), progressDeadlineSeconds: 60 },
        container: { resources: { requests: { cpu: "40" } } }
      },
      undo: { p50: 0, p95: 0, worst: 0, seeds: 1, stuck: 0 }
    },
    {
      why: "is undefined when only spec.replicas changes",
      from: { replicas: 2 },
      next: { replicas: 5 },
      undo: undefined
    },
    {
      why: "is undefined with revisionHistoryLimit 0",
      from: { replicas: 2 },
      next: { replicas: 2, version: "v2", spec: { revisionHistoryLimit: 0 } },
      undo: undefined
    },
    {
      why: "is undefined for a paused Deployment",
      from: { replicas: 2 },
      next: { replicas: 2, version: "v2", spec: { paused: true } },
      undo: undefined
    }
  ]
  it.for(rows)("$why", async ({ from, next, undo }) => {
    const { rollouts } = await planOf({ from, next, assume: slowPods })
    expect(rollouts[0]?.undo).toEqual(undo)
  })

  it("keeps the other objects of the rollout", async () => {
    const quota = (cpu: string) => quotaManifest({ "requests.cpu": cpu }, "compute")
    const container = { resources: { requests: { cpu: "1" } } }
    const { rollouts } = await planOf({
      from: { replicas: 3, spec: rolling(1, 0), container },
      next: { replicas: 3, spec: rolling(1, 0), container, version: "v2" },
      fromBeside: [quota("3")],
      beside: [quota("30")],
      assume: slowPods
    })
    // The former quota has no room for the surge.
    expect(rollouts[0]?.undo).toMatchObject({ worst: 30_000, stuck: 0 })
  })
})
