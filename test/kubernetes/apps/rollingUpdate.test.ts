import { describe, expect, it } from "vitest"
import { newReplicaSetSize, planNewSize, planOldSizes } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import { planText } from "./scalePlanText.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../../builders.ts"

/** An observation of a new ReplicaSet, or none, and old ones, the oldest first. */
const observe = (
  deployment: DeploymentOptions,
  next: ReplicaSetOptions | undefined,
  previous: ReadonlyArray<ReplicaSetOptions>
) =>
  anObservation({
    deployment: aDeployment({ version: "v9", ...deployment }),
    replicaSets: [
      ...previous.map((it, index) => aReplicaSet({ version: `v${index + 1}`, created: index, ...it })),
      ...(next === undefined ? [] : [aReplicaSet({ version: "v9", created: 99, ...next })])
    ]
  })

describe("scaling up the new ReplicaSet (reconcileNewReplicaSet, TestNewRSNewReplicas)", () => {
  it.each([
    { why: "no surge and no old Pod gone", replicas: 10, surge: 0, old: 10, before: 0, size: 0 },
    { why: "up to the surge", replicas: 10, surge: 2, old: 10, before: 0, size: 2 },
    {
      why: "up to the surge and the room of removed old Pods",
      replicas: 10,
      surge: 2,
      old: 5,
      before: 0,
      size: 7
    },
    { why: "the surge is used up", replicas: 10, surge: 2, old: 10, before: 2, size: 2 },
    {
      why: "above the wanted replicas it scales down at once",
      replicas: 10,
      surge: 2,
      old: 2,
      before: 11,
      size: 10
    },
    { why: "never above the wanted replicas", replicas: 6, surge: 10, old: 5, before: 2, size: 6 },
    { why: "above the ceiling it stays", replicas: 7, surge: 1, old: 11, before: 3, size: 3 },
    { why: "0 replicas wanted", replicas: 0, surge: 3, old: 4, before: 0, size: 0 },
    { why: "a percentage is rounded up", replicas: 7, surge: "25%", old: 7, before: 0, size: 2 },
    {
      why: "one replica is created before the old one is deleted",
      replicas: 1,
      surge: "25%",
      old: 1,
      before: 0,
      size: 1
    }
  ])("$replicas, surge $surge, old $old, new $before: new $size: $why", (row) => {
    const deployment = { replicas: row.replicas, surge: row.surge, unavailable: 0 }
    const observation = observe(deployment, { replicas: row.before }, [{ replicas: row.old }])
    expect(newReplicaSetSize(observation)).toBe(row.size)
    expect(planText(planNewSize(observation))).toBe(
      row.size === row.before ? "nothing" : `web-v9 ${row.before}->${row.size}`
    )
  })

  it("gives the size for a new ReplicaSet, but does not resize a missing one", () => {
    const observation = observe({ replicas: 7, surge: 2, unavailable: 0 }, undefined, [{ replicas: 7 }])
    expect(newReplicaSetSize(observation)).toBe(2)
    expect(planNewSize(observation)).toEqual([])
  })

  it("counts every old ReplicaSet", () => {
    const previous = [{ replicas: 3 }, { replicas: 4 }, { replicas: 1 }]
    expect(
      newReplicaSetSize(observe({ replicas: 7, surge: 3, unavailable: 0 }, { replicas: 1 }, previous))
    ).toBe(2)
  })

  it("counts spec.replicas, not existing Pods", () => {
    const old = { replicas: 3, pods: 9, available: 9 }
    expect(
      newReplicaSetSize(observe({ replicas: 5, surge: 0, unavailable: 2 }, { replicas: 0 }, [old]))
    ).toBe(2)
  })
})

interface ScaleDownRow {
  readonly why: string
  readonly replicas: number
  readonly unavailable: number | string
  readonly surge?: number | string
  readonly next?: ReplicaSetOptions
  readonly previous: ReadonlyArray<ReplicaSetOptions>
  readonly plan: string
}

const scaleDownText = ({
  replicas,
  unavailable,
  surge = 0,
  next = { replicas: 0 },
  previous
}: ScaleDownRow): string => planText(planOldSizes(observe({ replicas, surge, unavailable }, next, previous)))

describe("scaling down old ReplicaSets (reconcileOldReplicaSets)", () => {
  it.each<ScaleDownRow>([
    {
      why: "one may be unavailable when both maxSurge and maxUnavailable are 0",
      replicas: 10,
      unavailable: 0,
      previous: [{ replicas: 10 }],
      plan: "web-v1 10->9"
    },
    {
      why: "as many available Pods as maxUnavailable",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10 }],
      plan: "web-v1 10->8"
    },
    {
      why: "unavailable Pods first, then minAvailable is reached",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10, available: 8 }],
      plan: "web-v1 10->8"
    },
    {
      why: "one unavailable, one available Pod",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10, available: 9 }],
      plan: "web-v1 10->9, web-v1 9->8"
    },
    {
      why: "unavailable new Pods do not count",
      replicas: 10,
      unavailable: 2,
      next: { replicas: 2, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "nothing"
    },
    {
      why: "two available new Pods replace two old ones",
      replicas: 10,
      unavailable: 2,
      surge: 3,
      next: { replicas: 5, available: 2 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->6"
    },
    {
      why: "a new revision that crashes never takes available old Pods below minAvailable",
      replicas: 10,
      unavailable: 2,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "nothing"
    },
    {
      why: "unavailable old Pods stay while unavailable new ones use up the room",
      replicas: 10,
      unavailable: 2,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8, available: 6 }],
      plan: "nothing"
    },
    {
      why: "rollover: unavailable Pods of the revision in between before available ones of the oldest",
      replicas: 5,
      unavailable: 1,
      surge: 1,
      next: { replicas: 1, available: 1 },
      previous: [{ replicas: 4 }, { replicas: 1, available: 0 }],
      plan: "web-v2 1->0, web-v1 4->3"
    },
    {
      why: "the oldest first",
      replicas: 7,
      unavailable: 3,
      previous: [{ replicas: 2 }, { replicas: 5 }],
      plan: "web-v1 2->0, web-v2 5->4"
    },
    {
      why: "with one replica and the defaults the old Pod stays until the new one is available",
      replicas: 1,
      surge: "25%",
      unavailable: "25%",
      next: { replicas: 1, available: 0 },
      previous: [{ replicas: 1 }],
      plan: "nothing"
    },
    {
      why: "with one replica and the defaults the old Pod goes once the new one is available",
      replicas: 1,
      surge: "25%",
      unavailable: "25%",
      next: { replicas: 1, available: 1 },
      previous: [{ replicas: 1 }],
      plan: "web-v1 1->0"
    },
    {
      why: "without surge the old Pod goes first",
      replicas: 1,
      surge: 0,
      unavailable: 1,
      previous: [{ replicas: 1 }],
      plan: "web-v1 1->0"
    },
    {
      why: "0 replicas need no old Pod",
      replicas: 0,
      unavailable: "25%",
      previous: [{ replicas: 3 }],
      plan: "web-v1 3->0"
    },
    {
      why: "a new ReplicaSet with 0 replicas adds nothing",
      replicas: 5,
      unavailable: 1,
      next: { replicas: 0, available: 0 },
      previous: [{ replicas: 5, available: 5 }],
      plan: "web-v1 5->4"
    }
  ])("$plan: $why", (row) => {
    expect(scaleDownText(row)).toBe(row.plan)
  })
})

describe("scaling down unavailable Pods (cleanupUnhealthyReplicas)", () => {
  // The limit is spec.replicas of all above minAvailable, less the unavailable new Pods.
  it.each([
    { limit: 1, available: 8, plan: "web-v1 10->9", why: "up to the limit" },
    { limit: 3, available: 8, plan: "web-v1 10->8", why: "up to the unavailable Pods" },
    { limit: 0, available: 8, plan: "nothing", why: "not at all with a limit of 0" }
  ])("of 10 with $available available, limit $limit: $plan: $why", ({ limit, available, plan }) => {
    // 10 old and 2 unavailable new Pods: 12 - minAvailable - 2 = limit.
    const observation = observe(
      { replicas: 10, surge: 2, unavailable: limit },
      { replicas: 2, available: 0 },
      [{ replicas: 10, available }]
    )
    expect(planText(planOldSizes(observation)).split(", ")[0]).toBe(plan)
  })

  it("goes through old ReplicaSets, oldest first, up to the limit", () => {
    const previous = [
      { replicas: 2, available: 1 },
      { replicas: 0, available: 0 },
      { replicas: 4, available: 1 },
      { replicas: 3, available: 0 }
    ]
    const observation = observe({ replicas: 7, surge: 2, unavailable: 3 }, { replicas: 0 }, previous)
    expect(planText(planOldSizes(observation))).toBe("web-v1 2->1, web-v3 4->1, web-v4 3->2")
  })
})

describe("scaling down available Pods (scaleDownOldReplicaSetsForRollingUpdate)", () => {
  it.each<ScaleDownRow>([
    {
      why: "exactly at minAvailable",
      replicas: 10,
      unavailable: 2,
      next: { replicas: 2, available: 2 },
      previous: [{ replicas: 6 }],
      plan: "nothing"
    },
    {
      why: "below minAvailable only unavailable Pods go",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10, available: 1 }],
      plan: "web-v1 10->8"
    },
    {
      why: "old ReplicaSets have 0 replicas",
      replicas: 10,
      unavailable: 2,
      next: { replicas: 10, available: 10 },
      previous: [{ replicas: 0, pods: 3, available: 3 }],
      plan: "nothing"
    }
  ])("$plan: $why", (row) => {
    expect(scaleDownText(row)).toBe(row.plan)
  })

  it("does not count Pods that an old ReplicaSet reports beyond its replicas", () => {
    const scaledDown = { replicas: 8, pods: 10, available: 10 }
    const observation = observe({ replicas: 10, surge: 0, unavailable: 2 }, { replicas: 2, available: 1 }, [
      scaledDown
    ])
    expect(planText(planOldSizes(observation))).toBe("web-v1 8->7")
    const emptied = { replicas: 0, pods: 3, available: 3 }
    const withoutReplicas = observe(
      { replicas: 8, surge: 3, unavailable: 0 },
      { replicas: 6, available: 4 },
      [emptied, { replicas: 5 }]
    )
    expect(planText(planOldSizes(withoutReplicas))).toBe("web-v2 5->4")
  })
})

describe("deployment should support proportional scaling: how the e2e test gets to its 8 and 5", () => {
  const deployment = { replicas: 10, surge: 3, unavailable: 2 }
  it.each([
    { next: 0, old: 10, up: "web-v9 0->3", down: "web-v1 10->8" },
    { next: 3, old: 10, up: "nothing", down: "web-v1 10->8" },
    { next: 3, old: 8, up: "web-v9 3->5", down: "nothing" },
    { next: 5, old: 8, up: "nothing", down: "nothing" }
  ])("scales with $old old and $next new ones: $up, else $down", ({ next, old, up, down }) => {
    const observation = observe(deployment, { replicas: next, available: 0 }, [{ replicas: old }])
    expect(planText(planNewSize(observation))).toBe(up)
    expect(planText(planOldSizes(observation))).toBe(down)
  })
})
