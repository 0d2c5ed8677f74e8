import { describe, expect, it } from "vitest"
import { areOldPodsLeft, planStart, planStop } from "../../../src/kubernetes/apps/recreate.ts"
import { isPodFinished } from "../../../src/kubernetes/pods/podState.ts"
import { aDeployment, anObservation, aPod, aReplicaSet } from "../../builders.ts"
import { planText } from "./scalePlanText.ts"
import type { PodOptions, ReplicaSetOptions } from "../../builders.ts"

const observe = (
  replicas: number,
  replicaSets: ReadonlyArray<ReplicaSetOptions>,
  unfinished: Readonly<Record<string, number>> = {}
) =>
  anObservation({
    deployment: aDeployment({ strategy: "Recreate", version: "v9", replicas }),
    replicaSets: replicaSets.map((it) => aReplicaSet(it)),
    unfinished
  })

describe("scaling down with Recreate (TestScaleDownOldReplicaSets)", () => {
  it.each([
    { why: "one old ReplicaSet", sets: [{ replicas: 3 }], plan: "web-v1 3->0" },
    {
      why: "every active old ReplicaSet, not the new one",
      sets: [
        { version: "v1", replicas: 2 },
        { version: "v2", replicas: 0 },
        { version: "v3", replicas: 5 },
        { version: "v9", replicas: 4 }
      ],
      plan: "web-v1 2->0, web-v3 5->0"
    },
    { why: "no old ReplicaSet is active", sets: [{ replicas: 0, pods: 2 }], plan: "nothing" },
    { why: "no ReplicaSet", sets: [], plan: "nothing" }
  ])("$plan: $why", ({ sets, plan }) => {
    expect(planText(planStop(observe(5, sets)))).toBe(plan)
  })
})

interface RunningRow {
  readonly why: string
  readonly pods: number
  readonly ownedPods?: ReadonlyArray<PodOptions>
  readonly running: boolean
}

describe("old Pods that still run (TestOldPodsRunning)", () => {
  it.each<RunningRow>([
    { why: "old RSs without pods but with non-zero status replicas", pods: 1, running: true },
    { why: "old RSs without pods or non-zero status replicas", pods: 0, running: false },
    {
      why: "finished Pods",
      pods: 0,
      ownedPods: [{ phase: "Failed" }, { phase: "Succeeded" }],
      running: false
    },
    { why: "a Pod in phase Unknown", pods: 0, ownedPods: [{ phase: "Unknown" }], running: true },
    { why: "a pending Pod", pods: 0, ownedPods: [{ phase: "Pending" }], running: true },
    { why: "a running Pod", pods: 0, ownedPods: [{ phase: "Running" }], running: true },
    { why: "a terminating Pod", pods: 0, ownedPods: [{ terminating: true }], running: true },
    {
      why: "a Pod that failed while terminating",
      pods: 0,
      ownedPods: [{ terminating: true, phase: "Failed" }],
      running: false
    },
    {
      why: "a pending Pod among finished ones",
      pods: 0,
      ownedPods: [{ phase: "Failed" }, { phase: "Pending" }, { phase: "Succeeded" }],
      running: true
    }
  ])("are there: $running: $why", ({ pods, ownedPods = [], running }) => {
    const unfinished = ownedPods.map((it) => aPod(it)).filter((pod) => !isPodFinished(pod)).length
    const observation = observe(3, [{ uid: "uid-old", replicas: 0, pods }], { "uid-old": unfinished })
    expect(areOldPodsLeft(observation)).toBe(running)
  })

  it("are absent without old ReplicaSets", () => {
    expect(areOldPodsLeft(observe(3, []))).toBe(false)
  })

  it("exclude Pods of the new ReplicaSet", () => {
    const observation = observe(3, [{ version: "v9", uid: "uid-new", replicas: 3 }], { "uid-new": 3 })
    expect(areOldPodsLeft(observation)).toBe(false)
  })

  it("include Pods of any old ReplicaSet", () => {
    const sets = [
      { version: "v1", uid: "a", replicas: 0 },
      { version: "v2", uid: "b", replicas: 0 }
    ]
    expect(areOldPodsLeft(observe(3, sets, { a: 0, b: 1 }))).toBe(true)
  })
})

describe("scaling up with Recreate", () => {
  it.each([
    { own: 0, replicas: 7, plan: "web-v9 0->7" },
    { own: 9, replicas: 7, plan: "web-v9 9->7" },
    { own: 7, replicas: 7, plan: "nothing" },
    { own: 2, replicas: 0, plan: "web-v9 2->0" }
  ])("resizes the new ReplicaSet in one step: $own of $replicas: $plan", ({ own, replicas, plan }) => {
    expect(planText(planStart(observe(replicas, [{ version: "v9", replicas: own }])))).toBe(plan)
  })

  it("does nothing before the new ReplicaSet exists", () => {
    expect(planStart(observe(7, [{ replicas: 0 }]))).toEqual([])
  })
})
