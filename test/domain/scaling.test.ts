import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isScalingEvent, planScaling } from "../../src/kubernetes/apps/scaling.ts"
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation
} from "../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet } from "../builders.ts"
import { planText } from "./planText.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../builders.ts"

interface Row {
  readonly why: string
  readonly from: number
  readonly to: number
  readonly surge?: number
  readonly surgeBefore?: number
  readonly next?: ReplicaSetOptions
  /** Oldest first. */
  readonly previous?: ReadonlyArray<ReplicaSetOptions>
  readonly plan: string
}

const seenOf = (deployment: DeploymentOptions, sets: ReadonlyArray<ReplicaSetOptions>) =>
  anObservation({
    deployment: aDeployment({ version: "v9", unavailable: 0, ...deployment }),
    replicaSets: sets.map((it) => aReplicaSet(it))
  })

const planned = ({ from, to, surge = 0, surgeBefore = surge, next, previous = [] }: Row): string => {
  const remembers = { desired: from, max: from + surgeBefore }
  return planText(
    planScaling(
      seenOf({ replicas: to, surge }, [
        ...previous.map((it, index) => ({ version: `v${index + 1}`, created: index, remembers, ...it })),
        ...(next === undefined ? [] : [{ version: "v9", created: 99, remembers, ...next }])
      ])
    )
  )
}

describe("a change of size is shared out among the ReplicaSets (TestScale)", () => {
  it.each<Row>([
    {
      why: "normal scaling event: the only one takes all of a growth",
      from: 10,
      to: 12,
      next: { replicas: 10 },
      plan: "web-v9 10->12"
    },
    { why: "and all of a loss", from: 10, to: 5, next: { replicas: 10 }, plan: "web-v9 10->5" },
    {
      why: "proportional scaling, doubled",
      from: 5,
      to: 10,
      next: { replicas: 2 },
      previous: [{ replicas: 3 }],
      plan: "web-v1 3->6, web-v9 2->4"
    },
    {
      why: "proportional scaling down, rounded half away from 0",
      from: 5,
      to: 3,
      next: { replicas: 2 },
      previous: [{ replicas: 3 }],
      plan: "web-v1 3->2, web-v9 2->1"
    },
    {
      why: "the small one may vanish",
      from: 9,
      to: 4,
      next: { replicas: 8 },
      previous: [{ replicas: 1 }],
      plan: "web-v9 8->4, web-v1 1->0"
    },
    {
      why: "three share three: one each",
      from: 7,
      to: 10,
      next: { replicas: 2 },
      previous: [{ replicas: 2 }, { replicas: 3 }],
      plan: "web-v2 3->4, web-v9 2->3, web-v1 2->3"
    },
    {
      why: "three share a loss of five",
      from: 13,
      to: 8,
      next: { replicas: 2 },
      previous: [{ replicas: 3 }, { replicas: 8 }],
      plan: "web-v2 8->5, web-v1 3->2, web-v9 2->1"
    },
    {
      why: "leftover distribution: among equals the newest grows",
      from: 3,
      to: 4,
      next: { replicas: 1 },
      previous: [{ replicas: 1 }, { replicas: 1 }],
      plan: "web-v9 1->2, web-v2 1->1, web-v1 1->1"
    },
    {
      why: "leftover distribution: among equals the oldest shrinks",
      from: 3,
      to: 2,
      next: { replicas: 1 },
      previous: [{ replicas: 1 }, { replicas: 1 }],
      plan: "web-v1 1->0, web-v2 1->1, web-v9 1->1"
    },
    {
      why: "no new ReplicaSet: the newest of the old ones grows",
      from: 4,
      to: 5,
      previous: [{ replicas: 2 }, { replicas: 2 }],
      plan: "web-v2 2->3, web-v1 2->2"
    },
    {
      why: "down to nothing",
      from: 6,
      to: 0,
      next: { replicas: 3 },
      previous: [{ replicas: 1 }, { replicas: 2 }],
      plan: "web-v9 3->0, web-v2 2->0, web-v1 1->0"
    },
    {
      why: "up from nothing: the new one takes all, the others are not even written",
      from: 6,
      to: 6,
      next: { replicas: 0 },
      previous: [{ replicas: 0 }, { replicas: 0 }],
      plan: "web-v9 0->6"
    },
    {
      why: "up from nothing without a new one: the newest of the old ones",
      from: 5,
      to: 3,
      previous: [{ replicas: 0 }, { replicas: 0 }],
      plan: "web-v2 0->3"
    },
    {
      why: "the one that a failed update left behind catches up, by what it remembers",
      from: 5,
      to: 5,
      next: { replicas: 2 },
      previous: [{ replicas: 1 }, { replicas: 1, remembers: { desired: 3, max: 3 } }],
      plan: "web-v2 1->2"
    },
    {
      why: "deployment with surge Pods",
      from: 10,
      to: 20,
      surge: 2,
      next: { replicas: 6 },
      previous: [{ replicas: 6 }],
      plan: "web-v9 6->11, web-v1 6->11"
    },
    {
      why: "change both surge and size",
      from: 10,
      to: 50,
      surge: 6,
      surgeBefore: 3,
      next: { replicas: 5 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->34, web-v9 5->22"
    },
    {
      why: "change both size and template: the old ones take the new size first",
      from: 10,
      to: 14,
      previous: [{ replicas: 3 }, { replicas: 7 }],
      plan: "web-v2 7->10, web-v1 3->4"
    },
    {
      why: "saturated but broken new replica set does not affect old Pods",
      from: 2,
      to: 2,
      surge: 1,
      next: { replicas: 2, available: 0 },
      previous: [{ replicas: 1 }],
      plan: "nothing"
    },
    {
      why: "saturated and available: the old ones are over",
      from: 7,
      to: 7,
      surge: 3,
      next: { replicas: 7 },
      previous: [{ replicas: 2 }, { replicas: 0 }, { replicas: 1 }],
      plan: "web-v1 2->0, web-v3 1->0"
    },
    {
      why: "as large as desired, but it has not heard of the size: shared out like any other",
      from: 5,
      to: 7,
      next: { replicas: 7 },
      previous: [{ replicas: 1 }],
      plan: "web-v9 7->6, web-v1 1->1"
    },
    {
      why: "worked example: stuck at 8 and 5, scaled to 15 of which 18 may be there",
      from: 10,
      to: 15,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->11, web-v9 5->7"
    },
    {
      why: "deployment should support proportional scaling (e2e, Conformance)",
      from: 10,
      to: 30,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->20, web-v9 5->13"
    },
    {
      why: "already of the right sum: only the memory is refreshed",
      from: 8,
      to: 9,
      surge: 1,
      surgeBefore: 2,
      next: { replicas: 3 },
      previous: [{ replicas: 7 }],
      plan: "web-v1 7->7, web-v9 3->3"
    },
    {
      why: "already at its size: nothing is written, not even the memory",
      from: 4,
      to: 7,
      next: { replicas: 7 },
      plan: "nothing"
    }
  ])("$from -> $to: $plan: $why", (row) => {
    expect(planned(row)).toBe(row.plan)
  })

  it("Recreate leaves several active ReplicaSets alone", () => {
    const sets = [{ replicas: 3 }, { version: "v9", created: 9, replicas: 2, available: 0 }]
    expect(planScaling(seenOf({ strategy: "Recreate", replicas: 11 }, sets))).toEqual([])
  })

  it("a Deployment without any ReplicaSet has nothing to scale", () => {
    expect(planScaling(seenOf({ replicas: 11, paused: true }, []))).toEqual([])
  })
})

describe("a share keeps the part of the former maximum (TestGetReplicaSetFraction)", () => {
  it.each([
    { why: "a Deployment of 0 takes all away", to: 0, size: 10, change: -10 },
    { why: "no maximum remembered, no Pods counted: no share to keep", to: 10, size: 5, change: 0 },
    { why: "a maximum of 0 is as good as none", to: 10, size: 5, max: "0", change: 0 },
    { why: "no maximum: by the Pods there are", to: 120, status: 100, size: 50, change: 10 },
    { why: "a maximum of 0: by the Pods there are", to: 120, status: 100, size: 50, max: "0", change: 10 },
    { why: "an unreadable maximum: likewise", to: 120, status: 100, size: 50, max: "-3", change: 10 },
    { why: "a fifth more", to: 120, size: 50, max: "100", change: 10 },
    { why: "a fifth more, less the surge", to: 120, surge: 10, size: 50, max: "110", change: 9 },
    { why: "a sixth less", to: 10, size: 6, max: "12", change: -1 },
    { why: "a sixth less, less the surge", to: 100, surge: 10, size: 50, max: "130", change: -8 }
  ])("$size of $max, scaled to $to with surge $surge, changes by $change: $why", (row) => {
    const { size, change, to, surge = 0, max, status } = row
    // The other is larger, so that the rest falls to it, and would itself stay as it is.
    const other = change > 0 ? size + 1 : Math.max(size + 1, to + surge - size + 20)
    const resizes = planScaling(
      seenOf({ replicas: to, surge, ...(status === undefined ? {} : { status: { replicas: status } }) }, [
        { replicas: other, annotations: { [maxReplicasAnnotation]: String(to + surge) } },
        {
          version: "v2",
          created: 1,
          replicas: size,
          annotations: max === undefined ? {} : { [maxReplicasAnnotation]: max }
        }
      ])
    )
    const shared = resizes.find((it) => it.replicaSet.metadata.name === "web-v2")
    expect((shared?.replicasTo ?? size) - size).toBe(change)
  })
})

it("the largest cannot go below 0, though rounding asks it to: one more than allowed is left (sync.go, scale)", () => {
  const sets = [1, 2, 3, 4, 5].map((it) => ({
    version: `v${it}`,
    created: it,
    replicas: 4,
    remembers: { desired: 20, max: 20 }
  }))
  expect(planText(planScaling(seenOf({ replicas: 3, surge: 0 }, sets)))).toBe(
    "web-v1 4->0, web-v2 4->1, web-v3 4->1, web-v4 4->1, web-v5 4->1"
  )
})

describe("a scaling event is a size that a ReplicaSet does not remember", () => {
  it.each([
    { why: "the same size", desired: "7", replicas: 3, scaling: false },
    { why: "another size", desired: "5", replicas: 3, scaling: true },
    { why: "another size, but it is asked for nothing", desired: "5", replicas: 0, scaling: false },
    { why: "it remembers nothing", desired: undefined, replicas: 3, scaling: false },
    { why: "what it remembers cannot be read", desired: "many", replicas: 3, scaling: false },
    { why: "a negative size cannot be one", desired: "-1", replicas: 3, scaling: false },
    { why: "nor one beyond 32 bits", desired: "2147483648", replicas: 3, scaling: false },
    { why: "a sign is not part of a count", desired: "+5", replicas: 3, scaling: false }
  ])("remembering $desired at $replicas: $scaling: $why", ({ desired, replicas, scaling }) => {
    const annotations = desired === undefined ? {} : { [desiredReplicasAnnotation]: desired }
    const sets = [
      { replicas, annotations },
      { version: "v2", created: 1, replicas: 1 }
    ]
    expect(isScalingEvent(seenOf({ replicas: 7 }, sets))).toBe(scaling)
  })
})

const seed = 20_260_501

describe(`laws of shared scaling (seed ${seed})`, () => {
  const world = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 }),
    to: fc.integer({ min: 0, max: 97 }),
    surge: fc.integer({ min: 0, max: 13 }),
    formerSurge: fc.integer({ min: 0, max: 13 })
  })

  it("what was one rollout adds up to what is allowed, nobody goes below 0", () => {
    fc.assert(
      fc.property(world, ({ sizes, to, surge, formerSurge }) => {
        const total = sizes.reduce((sum, size) => sum + size, 0)
        const desired = Math.max(1, total - formerSurge)
        const seen = seenOf(
          { replicas: to, surge, unavailable: 1 },
          sizes.map((replicas, index) => ({
            version: `v${index + 1}`,
            created: index,
            replicas,
            remembers: { desired, max: desired + formerSurge }
          }))
        )
        const plan = planScaling(seen)
        const sizeByName = new Map(plan.map((it) => [it.replicaSet.metadata.name, it.replicasTo]))
        const after = seen.replicaSets.map((it) => sizeByName.get(it.metadata.name) ?? it.spec.replicas)
        const allowed = to === 0 ? 0 : to + surge
        const rest = after.reduce((sum, size) => sum + size, 0) - allowed
        // Only where rounding asks more of the largest than it has is anything left over, less than one for each other.
        const isExhausted = plan[0]?.replicasTo === 0 && rest > 0 && rest < after.length
        if (!isExhausted) expect(rest).toBe(0)
        for (const size of after) expect(size).toBeGreaterThanOrEqual(0)
      }),
      { seed, numRuns: 2_000 }
    )
  })
})
