import { describe, expect, it } from "vitest"
import { planOf } from "./planWorlds.ts"

const rolling = (maxSurge: number, maxUnavailable: number) => ({
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } }
})
/** A Pod takes ten seconds to start, five to stop, and nothing for all else. */
const slow = "schedule=0s,pull=0s,start=10s,ready=0s,terminate=5s"

describe("going back", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly from: Parameters<typeof planOf>[0]["next"]
    readonly next: Parameters<typeof planOf>[0]["next"]
    readonly undo: object | undefined
  }> = [
    {
      why: "takes as many turns as going on, with the replicas and the strategy that were applied",
      from: { replicas: 2, spec: rolling(2, 0) },
      next: { replicas: 4, spec: rolling(1, 0), version: "v2" },
      undo: { p50: 40_000, p95: 40_000, worst: 40_000, seeds: 1, stuck: 0 }
    },
    {
      why: "is possible where going on is not",
      from: { replicas: 2, spec: rolling(1, 0) },
      next: {
        replicas: 2,
        spec: { ...rolling(1, 0), progressDeadlineSeconds: 60 },
        container: { resources: { requests: { cpu: "40" } } }
      },
      undo: { p50: 0, p95: 0, worst: 0, seeds: 1, stuck: 0 }
    },
    {
      why: "is nothing where only the number of replicas is another",
      from: { replicas: 2 },
      next: { replicas: 5 },
      undo: undefined
    },
    {
      why: "is nothing where no revision but the present one is kept",
      from: { replicas: 2 },
      next: { replicas: 2, version: "v2", spec: { revisionHistoryLimit: 0 } },
      undo: undefined
    },
    {
      why: "is nothing of what is paused, which cannot be undone",
      from: { replicas: 2 },
      next: { replicas: 2, version: "v2", spec: { paused: true } },
      undo: undefined
    }
  ]
  it.for(rows)("$why", async ({ from, next, undo }) => {
    const { rollouts } = await planOf({ from, next, assume: slow })
    expect(rollouts[0]?.undo).toEqual(undo)
  })

  it("leaves what was applied beside the Deployment", async () => {
    const quota = (cpu: string) => ({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "compute" },
      spec: { hard: { "requests.cpu": cpu } }
    })
    const container = { resources: { requests: { cpu: "1" } } }
    const { rollouts } = await planOf({
      from: { replicas: 3, spec: rolling(1, 0), container },
      next: { replicas: 3, spec: rolling(1, 0), container, version: "v2" },
      fromBeside: [quota("3")],
      beside: [quota("30")],
      assume: slow
    })
    // With the quota of before there would be no room for the one that is more.
    expect(rollouts[0]?.undo).toMatchObject({ worst: 30_000, stuck: 0 })
  })
})
