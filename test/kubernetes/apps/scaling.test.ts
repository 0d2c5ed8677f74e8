import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isScalingEvent, planScaling } from "../../../src/kubernetes/apps/scaling.ts"
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation
} from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import { planText } from "./scalePlanText.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../../builders.ts"

interface Row {
  readonly why: string
  readonly desiredBefore: number
  readonly to: number
  readonly surge?: number
  readonly surgeBefore?: number
  readonly next?: ReplicaSetOptions
  /** The oldest first. */
  readonly previous?: ReadonlyArray<ReplicaSetOptions>
  readonly plan: string
}

const observe = (deployment: DeploymentOptions, sets: ReadonlyArray<ReplicaSetOptions>) =>
  anObservation({
    deployment: aDeployment({ version: "v9", unavailable: 0, ...deployment }),
    replicaSets: sets.map((it) => aReplicaSet(it))
  })

const scalingText = ({
  desiredBefore,
  to,
  surge = 0,
  surgeBefore = surge,
  next,
  previous = []
}: Row): string => {
  const annotatedSize = { desired: desiredBefore, max: desiredBefore + surgeBefore }
  return planText(
    planScaling(
      observe({ replicas: to, surge }, [
        ...previous.map((it, index) => ({ version: `v${index + 1}`, created: index, annotatedSize, ...it })),
        ...(next === undefined ? [] : [{ version: "v9", created: 99, annotatedSize, ...next }])
      ])
    )
  )
}

describe("proportional scaling (TestScale)", () => {
  it.each<Row>([
    {
      why: "normal scaling event: the only ReplicaSet gets all new replicas",
      desiredBefore: 10,
      to: 12,
      next: { replicas: 10 },
      plan: "web-v9 10->12"
    },
    {
      why: "the only ReplicaSet loses all replicas",
      desiredBefore: 10,
      to: 5,
      next: { replicas: 10 },
      plan: "web-v9 10->5"
    },
    {
      why: "proportional scaling, doubled",
      desiredBefore: 5,
      to: 10,
      next: { replicas: 2 },
      previous: [{ replicas: 3 }],
      plan: "web-v1 3->6, web-v9 2->4"
    },
    {
      why: "proportional scaling down, rounded half away from 0",
      desiredBefore: 5,
      to: 3,
      next: { replicas: 2 },
      previous: [{ replicas: 3 }],
      plan: "web-v1 3->2, web-v9 2->1"
    },
    {
      why: "the small ReplicaSet may go to 0",
      desiredBefore: 9,
      to: 4,
      next: { replicas: 8 },
      previous: [{ replicas: 1 }],
      plan: "web-v9 8->4, web-v1 1->0"
    },
    {
      why: "three ReplicaSets get one each",
      desiredBefore: 7,
      to: 10,
      next: { replicas: 2 },
      previous: [{ replicas: 2 }, { replicas: 3 }],
      plan: "web-v2 3->4, web-v9 2->3, web-v1 2->3"
    },
    {
      why: "three ReplicaSets lose five",
      desiredBefore: 13,
      to: 8,
      next: { replicas: 2 },
      previous: [{ replicas: 3 }, { replicas: 8 }],
      plan: "web-v2 8->5, web-v1 3->2, web-v9 2->1"
    },
    {
      why: "leftover distribution: among equals the newest grows",
      desiredBefore: 3,
      to: 4,
      next: { replicas: 1 },
      previous: [{ replicas: 1 }, { replicas: 1 }],
      plan: "web-v9 1->2, web-v2 1->1, web-v1 1->1"
    },
    {
      why: "leftover distribution: among equals the oldest shrinks",
      desiredBefore: 3,
      to: 2,
      next: { replicas: 1 },
      previous: [{ replicas: 1 }, { replicas: 1 }],
      plan: "web-v1 1->0, web-v2 1->1, web-v9 1->1"
    },
    {
      why: "no new ReplicaSet: the newest old one grows",
      desiredBefore: 4,
      to: 5,
      previous: [{ replicas: 2 }, { replicas: 2 }],
      plan: "web-v2 2->3, web-v1 2->2"
    },
    {
      why: "down to 0",
      desiredBefore: 6,
      to: 0,
      next: { replicas: 3 },
      previous: [{ replicas: 1 }, { replicas: 2 }],
      plan: "web-v9 3->0, web-v2 2->0, web-v1 1->0"
    },
    {
      why: "up from 0: the new ReplicaSet gets all, others are not written",
      desiredBefore: 6,
      to: 6,
      next: { replicas: 0 },
      previous: [{ replicas: 0 }, { replicas: 0 }],
      plan: "web-v9 0->6"
    },
    {
      why: "up from 0 without a new ReplicaSet: the newest old one",
      desiredBefore: 5,
      to: 3,
      previous: [{ replicas: 0 }, { replicas: 0 }],
      plan: "web-v2 0->3"
    },
    {
      why: "a ReplicaSet that a failed update left behind catches up by its size annotations",
      desiredBefore: 5,
      to: 5,
      next: { replicas: 2 },
      previous: [{ replicas: 1 }, { replicas: 1, annotatedSize: { desired: 3, max: 3 } }],
      plan: "web-v2 1->2"
    },
    {
      why: "deployment with surge Pods",
      desiredBefore: 10,
      to: 20,
      surge: 2,
      next: { replicas: 6 },
      previous: [{ replicas: 6 }],
      plan: "web-v9 6->11, web-v1 6->11"
    },
    {
      why: "change both surge and size",
      desiredBefore: 10,
      to: 50,
      surge: 6,
      surgeBefore: 3,
      next: { replicas: 5 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->34, web-v9 5->22"
    },
    {
      why: "change both size and template: old ReplicaSets are scaled first",
      desiredBefore: 10,
      to: 14,
      previous: [{ replicas: 3 }, { replicas: 7 }],
      plan: "web-v2 7->10, web-v1 3->4"
    },
    {
      why: "saturated but broken new replica set does not affect old Pods",
      desiredBefore: 2,
      to: 2,
      surge: 1,
      next: { replicas: 2, available: 0 },
      previous: [{ replicas: 1 }],
      plan: "nothing"
    },
    {
      why: "saturated and available: old ReplicaSets go to 0",
      desiredBefore: 7,
      to: 7,
      surge: 3,
      next: { replicas: 7 },
      previous: [{ replicas: 2 }, { replicas: 0 }, { replicas: 1 }],
      plan: "web-v1 2->0, web-v3 1->0"
    },
    {
      why: "as large as desired with outdated size annotations: scaled like the others",
      desiredBefore: 5,
      to: 7,
      next: { replicas: 7 },
      previous: [{ replicas: 1 }],
      plan: "web-v9 7->6, web-v1 1->1"
    },
    {
      why: "worked example: stuck at 8 and 5, scaled to 15 with at most 18",
      desiredBefore: 10,
      to: 15,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->11, web-v9 5->7"
    },
    {
      why: "deployment should support proportional scaling (e2e, Conformance)",
      desiredBefore: 10,
      to: 30,
      surge: 3,
      next: { replicas: 5, available: 0 },
      previous: [{ replicas: 8 }],
      plan: "web-v1 8->20, web-v9 5->13"
    },
    {
      why: "the sum is right: only size annotations are updated",
      desiredBefore: 8,
      to: 9,
      surge: 1,
      surgeBefore: 2,
      next: { replicas: 3 },
      previous: [{ replicas: 7 }],
      plan: "web-v1 7->7, web-v9 3->3"
    },
    {
      why: "at its size: not even the size annotations are updated",
      desiredBefore: 4,
      to: 7,
      next: { replicas: 7 },
      plan: "nothing"
    }
  ])("$desiredBefore -> $to: $plan: $why", (row) => {
    expect(scalingText(row)).toBe(row.plan)
  })

  it("does nothing with several active ReplicaSets and Recreate", () => {
    const sets = [{ replicas: 3 }, { version: "v9", created: 9, replicas: 2, available: 0 }]
    expect(planScaling(observe({ strategy: "Recreate", replicas: 11 }, sets))).toEqual([])
  })

  it("does nothing without ReplicaSets", () => {
    expect(planScaling(observe({ replicas: 11, paused: true }, []))).toEqual([])
  })
})

describe("the proportion of a ReplicaSet (TestGetReplicaSetFraction)", () => {
  it.each([
    { why: "0 replicas take all", to: 0, size: 10, change: -10 },
    { why: "no maximum and no replicas in the status", to: 10, size: 5, change: 0 },
    { why: "a maximum of 0 counts as none", to: 10, size: 5, max: "0", change: 0 },
    { why: "no maximum: the status decides", to: 120, status: 100, size: 50, change: 10 },
    { why: "a maximum of 0: the status decides", to: 120, status: 100, size: 50, max: "0", change: 10 },
    { why: "an invalid maximum: the status decides", to: 120, status: 100, size: 50, max: "-3", change: 10 },
    { why: "a fifth more", to: 120, size: 50, max: "100", change: 10 },
    { why: "a fifth more, without the surge", to: 120, surge: 10, size: 50, max: "110", change: 9 },
    { why: "a sixth less", to: 10, size: 6, max: "12", change: -1 },
    { why: "a sixth less, without the surge", to: 100, surge: 10, size: 50, max: "130", change: -8 }
  ])("for $size of $max, scaled to $to with surge $surge, is $change: $why", (row) => {
    const { size, change, to, surge = 0, max, status } = row
    // The other ReplicaSet is larger, so it gets the remainder, and would stay as it is.
    const otherSize = change > 0 ? size + 1 : Math.max(size + 1, to + surge - size + 20)
    const resizes = planScaling(
      observe({ replicas: to, surge, ...(status === undefined ? {} : { status: { replicas: status } }) }, [
        { replicas: otherSize, annotations: { [maxReplicasAnnotation]: String(to + surge) } },
        {
          version: "v2",
          created: 1,
          replicas: size,
          annotations: max === undefined ? {} : { [maxReplicasAnnotation]: max }
        }
      ])
    )
    const resize = resizes.find((it) => it.replicaSet.metadata.name === "web-v2")
    expect((resize?.replicasTo ?? size) - size).toBe(change)
  })
})

it("scaling leaves one replica too many when rounding asks more of the largest than it has (sync.go, scale)", () => {
  const sets = [1, 2, 3, 4, 5].map((it) => ({
    version: `v${it}`,
    created: it,
    replicas: 4,
    annotatedSize: { desired: 20, max: 20 }
  }))
  expect(planText(planScaling(observe({ replicas: 3, surge: 0 }, sets)))).toBe(
    "web-v1 4->0, web-v2 4->1, web-v3 4->1, web-v4 4->1, web-v5 4->1"
  )
})

describe("a scaling event", () => {
  it.each([
    { why: "the same size", desired: "7", replicas: 3, scaling: false },
    { why: "another size", desired: "5", replicas: 3, scaling: true },
    { why: "another size at 0 replicas", desired: "5", replicas: 0, scaling: false },
    { why: "no annotation", desired: undefined, replicas: 3, scaling: false },
    { why: "an invalid annotation", desired: "many", replicas: 3, scaling: false },
    { why: "a negative annotation", desired: "-1", replicas: 3, scaling: false },
    { why: "an annotation above 32 bits", desired: "2147483648", replicas: 3, scaling: false },
    { why: "an annotation with a sign", desired: "+5", replicas: 3, scaling: false }
  ])("with $desired remembered at $replicas: $scaling: $why", ({ desired, replicas, scaling }) => {
    const annotations = desired === undefined ? {} : { [desiredReplicasAnnotation]: desired }
    const sets = [
      { replicas, annotations },
      { version: "v2", created: 1, replicas: 1 }
    ]
    expect(isScalingEvent(observe({ replicas: 7 }, sets))).toBe(scaling)
  })
})

const seed = 20_260_501

describe(`laws of proportional scaling (seed ${seed})`, () => {
  const rollouts = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 }),
    to: fc.integer({ min: 0, max: 97 }),
    surge: fc.integer({ min: 0, max: 13 }),
    formerSurge: fc.integer({ min: 0, max: 13 })
  })

  it("adds up to the allowed replicas, never below 0", () => {
    fc.assert(
      fc.property(rollouts, ({ sizes, to, surge, formerSurge }) => {
        const total = sizes.reduce((sum, size) => sum + size, 0)
        const desired = Math.max(1, total - formerSurge)
        const observation = observe(
          { replicas: to, surge, unavailable: 1 },
          sizes.map((replicas, index) => ({
            version: `v${index + 1}`,
            created: index,
            replicas,
            annotatedSize: { desired, max: desired + formerSurge }
          }))
        )
        const plan = planScaling(observation)
        const sizeByName = new Map(plan.map((it) => [it.replicaSet.metadata.name, it.replicasTo]))
        const after = observation.replicaSets.map(
          (it) => sizeByName.get(it.metadata.name) ?? it.spec.replicas
        )
        const allowed = to === 0 ? 0 : to + surge
        const rest = after.reduce((sum, size) => sum + size, 0) - allowed
        // Only when rounding asks more of the largest than it has is a remainder left, less than one for each of
        // the others.
        const isExhausted = plan[0]?.replicasTo === 0 && rest > 0 && rest < after.length
        if (!isExhausted) expect(rest).toBe(0)
        for (const size of after) expect(size).toBeGreaterThanOrEqual(0)
      }),
      { seed, numRuns: 2_000 }
    )
  })
})
