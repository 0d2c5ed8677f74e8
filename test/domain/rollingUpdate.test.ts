import { describe, expect, it } from "vitest"
import { nextReplicaSetSize, planNext, planPrevious } from "../../src/kubernetes/apps/rollingUpdate.ts"
import { aDeployment, anObservation, aReplicaSet } from "../builders.ts"
import { planText } from "./planText.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../builders.ts"

/** A world of one new ReplicaSet (or none) and old ones, the oldest first. */
const seenOf = (
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

describe("the new ReplicaSet takes the room under the surge (reconcileNewReplicaSet, TestNewRSNewReplicas)", () => {
  it.each([
    { why: "no surge, and the old ones are all there", replicas: 10, surge: 0, old: 10, own: 0, size: 0 },
    { why: "as many as the surge lets in", replicas: 10, surge: 2, old: 10, own: 0, size: 2 },
    { why: "and as many as old ones have gone", replicas: 10, surge: 2, old: 5, own: 0, size: 7 },
    { why: "the surge is used up", replicas: 10, surge: 2, old: 10, own: 2, size: 2 },
    { why: "more than asked for is taken back at once", replicas: 10, surge: 2, old: 2, own: 11, size: 10 },
    { why: "never beyond the desired number", replicas: 6, surge: 10, old: 5, own: 2, size: 6 },
    { why: "far beyond the ceiling: nothing more", replicas: 7, surge: 1, old: 11, own: 3, size: 3 },
    { why: "nobody asks for anything", replicas: 0, surge: 3, old: 4, own: 0, size: 0 },
    { why: "a share of an odd number, rounded up", replicas: 7, surge: "25%", old: 7, own: 0, size: 2 },
    { why: "one of one: created before the old one goes", replicas: 1, surge: "25%", old: 1, own: 0, size: 1 }
  ])("$replicas, surge $surge, old $old, new $own: new $size: $why", (row) => {
    const deployment = { replicas: row.replicas, surge: row.surge, unavailable: 0 }
    const seen = seenOf(deployment, { replicas: row.own }, [{ replicas: row.old }])
    expect(nextReplicaSetSize(seen)).toBe(row.size)
    expect(planText(planNext(seen))).toBe(row.size === row.own ? "nothing" : `web-v9 ${row.own}->${row.size}`)
  })

  it("a ReplicaSet that is yet to be created counts as one of 0, and cannot be resized", () => {
    const seen = seenOf({ replicas: 7, surge: 2, unavailable: 0 }, undefined, [{ replicas: 7 }])
    expect(nextReplicaSetSize(seen)).toBe(2)
    expect(planNext(seen)).toEqual([])
  })

  it("every old ReplicaSet takes room, not only the newest", () => {
    const previous = [{ replicas: 3 }, { replicas: 4 }, { replicas: 1 }]
    expect(
      nextReplicaSetSize(seenOf({ replicas: 7, surge: 3, unavailable: 0 }, { replicas: 1 }, previous))
    ).toBe(2)
  })

  it("what counts is what was asked for, not the Pods that are there", () => {
    const old = { replicas: 3, pods: 9, available: 9 }
    expect(
      nextReplicaSetSize(seenOf({ replicas: 5, surge: 0, unavailable: 2 }, { replicas: 0 }, [old]))
    ).toBe(2)
  })
})

interface OldRow {
  readonly why: string
  readonly replicas: number
  readonly unavailable: number | string
  readonly surge?: number | string
  readonly next?: ReplicaSetOptions
  readonly previous: ReadonlyArray<ReplicaSetOptions>
  readonly plan: string
}

const plannedOld = ({ replicas, unavailable, surge = 0, next = { replicas: 0 }, previous }: OldRow): string =>
  planText(planPrevious(seenOf({ replicas, surge, unavailable }, next, previous)))

describe("old ReplicaSets shrink as far as availability allows (reconcileOldReplicaSets)", () => {
  it.each<OldRow>([
    {
      why: "with no surge and none to be missing, one may be missing all the same",
      replicas: 10,
      unavailable: 0,
      previous: [{ replicas: 10 }],
      plan: "web-v1 10->9"
    },
    {
      why: "as many good ones as may be missing",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10 }],
      plan: "web-v1 10->8"
    },
    {
      why: "broken ones go first, and good ones are then at the floor",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10, available: 8 }],
      plan: "web-v1 10->8"
    },
    {
      why: "one broken, one good",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10, available: 9 }],
      plan: "web-v1 10->9, web-v1 9->8"
    },
    {
      why: "new Pods that are not available yet may not be counted on",
      replicas: 10,
      unavailable: 2,
      next: { replicas: 2, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "nothing"
    },
    {
      why: "two new ones serve, so two old ones may go",
      replicas: 10,
      unavailable: 2,
      surge: 3,
      next: { replicas: 5, available: 2 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->6"
    },
    {
      why: "a new revision in a crash loop never costs a good old Pod below the floor",
      replicas: 10,
      unavailable: 2,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "nothing"
    },
    {
      why: "broken old Pods stay while removing them could not help",
      replicas: 10,
      unavailable: 2,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8, available: 6 }],
      plan: "nothing"
    },
    {
      why: "rollover: the broken Pods of the revision in between go before the good ones of the oldest",
      replicas: 5,
      unavailable: 1,
      surge: 1,
      next: { replicas: 1, available: 1 },
      previous: [{ replicas: 4 }, { replicas: 1, available: 0 }],
      plan: "web-v2 1->0, web-v1 4->3"
    },
    {
      why: "the oldest gives its Pods up first",
      replicas: 7,
      unavailable: 3,
      previous: [{ replicas: 2 }, { replicas: 5 }],
      plan: "web-v1 2->0, web-v2 5->4"
    },
    {
      why: "with one replica and the defaults the old Pod stays until the new one serves",
      replicas: 1,
      surge: "25%",
      unavailable: "25%",
      next: { replicas: 1, available: 0 },
      previous: [{ replicas: 1 }],
      plan: "nothing"
    },
    {
      why: "and goes then",
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
      why: "a Deployment of 0 needs nobody",
      replicas: 0,
      unavailable: "25%",
      previous: [{ replicas: 3 }],
      plan: "web-v1 3->0"
    },
    {
      why: "no new ReplicaSet at all is one that offers nothing",
      replicas: 5,
      unavailable: 1,
      next: { replicas: 0, available: 0 },
      previous: [{ replicas: 5, available: 5 }],
      plan: "web-v1 5->4"
    }
  ])("$plan: $why", (row) => {
    expect(plannedOld(row)).toBe(row.plan)
  })
})

describe("Pods that serve nobody go first (cleanupUnhealthyReplicas)", () => {
  // The limit is what is asked for beyond the floor, less the new Pods that do not serve yet.
  it.each([
    { limit: 1, available: 8, plan: "web-v1 10->9", why: "no more than the limit" },
    { limit: 3, available: 8, plan: "web-v1 10->8", why: "no more than are broken" },
    { limit: 0, available: 8, plan: "nothing", why: "none at all where nothing may go" }
  ])("of 10 with $available good, at most $limit: $plan: $why", ({ limit, available, plan }) => {
    // 10 old and 2 new ones that do not serve: 12 - floor - 2 = limit.
    const seen = seenOf({ replicas: 10, surge: 2, unavailable: limit }, { replicas: 2, available: 0 }, [
      { replicas: 10, available }
    ])
    expect(planText(planPrevious(seen)).split(", ")[0]).toBe(plan)
  })

  it("broken Pods are looked for in every old ReplicaSet until the limit is reached, oldest first", () => {
    const previous = [
      { replicas: 2, available: 1 },
      { replicas: 0, available: 0 },
      { replicas: 4, available: 1 },
      { replicas: 3, available: 0 }
    ]
    const seen = seenOf({ replicas: 7, surge: 2, unavailable: 3 }, { replicas: 0 }, previous)
    expect(planText(planPrevious(seen))).toBe("web-v1 2->1, web-v3 4->1, web-v4 3->2")
  })
})

describe("good Pods go only beyond the floor (scaleDownOldReplicaSetsForRollingUpdate)", () => {
  it.each<OldRow>([
    {
      why: "exactly at the floor",
      replicas: 10,
      unavailable: 2,
      next: { replicas: 2, available: 2 },
      previous: [{ replicas: 6 }],
      plan: "nothing"
    },
    {
      why: "below the floor only what is broken goes",
      replicas: 10,
      unavailable: 2,
      previous: [{ replicas: 10, available: 1 }],
      plan: "web-v1 10->8"
    },
    {
      why: "nothing old is asked for any more",
      replicas: 10,
      unavailable: 2,
      next: { replicas: 10, available: 10 },
      previous: [{ replicas: 0, pods: 3, available: 3 }],
      plan: "nothing"
    }
  ])("$plan: $why", (row) => {
    expect(plannedOld(row)).toBe(row.plan)
  })

  it("Pods that an old ReplicaSet was told to drop but still reports are not counted on", () => {
    const told = { replicas: 8, pods: 10, available: 10 }
    const seen = seenOf({ replicas: 10, surge: 0, unavailable: 2 }, { replicas: 2, available: 1 }, [told])
    expect(planText(planPrevious(seen))).toBe("web-v1 8->7")
    const gone = { replicas: 0, pods: 3, available: 3 }
    const other = seenOf({ replicas: 8, surge: 3, unavailable: 0 }, { replicas: 6, available: 4 }, [
      gone,
      { replicas: 5 }
    ])
    expect(planText(planPrevious(other))).toBe("web-v2 5->4")
  })
})

describe("deployment should support proportional scaling: how the e2e test gets to its 8 and 5", () => {
  const deployment = { replicas: 10, surge: 3, unavailable: 2 }
  it.each([
    { next: 0, old: 10, up: "web-v9 0->3", down: "web-v1 10->8" },
    { next: 3, old: 10, up: "nothing", down: "web-v1 10->8" },
    { next: 3, old: 8, up: "web-v9 3->5", down: "nothing" },
    { next: 5, old: 8, up: "nothing", down: "nothing" }
  ])("at $old old and $next new ones: $up, or else $down", ({ next, old, up, down }) => {
    const seen = seenOf(deployment, { replicas: next, available: 0 }, [{ replicas: old }])
    expect(planText(planNext(seen))).toBe(up)
    expect(planText(planPrevious(seen))).toBe(down)
  })
})
