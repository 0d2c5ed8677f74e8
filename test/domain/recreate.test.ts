import { describe, expect, it } from "vitest"
import { isPreviousRunning, planStart, planStop } from "../../src/kubernetes/apps/recreate.ts"
import { isPodFinished } from "../../src/kubernetes/pods/podState.ts"
import { aDeployment, anObservation, aPod, aReplicaSet } from "../builders.ts"
import { planText } from "./planText.ts"
import type { PodOptions, ReplicaSetOptions } from "../builders.ts"

const seenOf = (
  replicas: number,
  replicaSets: ReadonlyArray<ReplicaSetOptions>,
  unfinished: Readonly<Record<string, number>> = {}
) =>
  anObservation({
    deployment: aDeployment({ strategy: "Recreate", version: "v9", replicas }),
    replicaSets: replicaSets.map((it) => aReplicaSet(it)),
    unfinished
  })

describe("everything old goes at once (TestScaleDownOldReplicaSets)", () => {
  it.each([
    { why: "one old", sets: [{ replicas: 3 }], plan: "web-v1 3->0" },
    {
      why: "all that are active, and not the new one",
      sets: [
        { version: "v1", replicas: 2 },
        { version: "v2", replicas: 0 },
        { version: "v3", replicas: 5 },
        { version: "v9", replicas: 4 }
      ],
      plan: "web-v1 2->0, web-v3 5->0"
    },
    { why: "no old one is active", sets: [{ replicas: 0, pods: 2 }], plan: "nothing" },
    { why: "there is none", sets: [], plan: "nothing" }
  ])("$plan: $why", ({ sets, plan }) => {
    expect(planText(planStop(seenOf(5, sets)))).toBe(plan)
  })
})

interface RunningRow {
  readonly why: string
  readonly pods: number
  readonly under?: ReadonlyArray<PodOptions>
  readonly running: boolean
}

describe("nothing new starts while an old Pod may run (TestOldPodsRunning)", () => {
  it.each<RunningRow>([
    { why: "old RSs without pods but with non-zero status replicas", pods: 1, running: true },
    { why: "old RSs without pods or non-zero status replicas", pods: 0, running: false },
    {
      why: "Pods in terminal state are over",
      pods: 0,
      under: [{ phase: "Failed" }, { phase: "Succeeded" }],
      running: false
    },
    { why: "a Pod in unknown phase may run", pods: 0, under: [{ phase: "Unknown" }], running: true },
    { why: "a pending Pod may yet", pods: 0, under: [{ phase: "Pending" }], running: true },
    { why: "a running Pod does", pods: 0, under: [{ phase: "Running" }], running: true },
    { why: "a terminating Pod still does", pods: 0, under: [{ terminating: true }], running: true },
    {
      why: "one that failed while it was terminating does not",
      pods: 0,
      under: [{ terminating: true, phase: "Failed" }],
      running: false
    },
    {
      why: "one pending Pod among finished ones is enough",
      pods: 0,
      under: [{ phase: "Failed" }, { phase: "Pending" }, { phase: "Succeeded" }],
      running: true
    }
  ])("$running: $why", ({ pods, under = [], running }) => {
    const unfinished = under.map((it) => aPod(it)).filter((pod) => !isPodFinished(pod)).length
    const seen = seenOf(3, [{ uid: "uid-old", replicas: 0, pods }], { "uid-old": unfinished })
    expect(isPreviousRunning(seen)).toBe(running)
  })

  it("no old RSs: nothing runs", () => {
    expect(isPreviousRunning(seenOf(3, []))).toBe(false)
  })

  it("Pods of the new ReplicaSet are not old", () => {
    const seen = seenOf(3, [{ version: "v9", uid: "uid-new", replicas: 3 }], { "uid-new": 3 })
    expect(isPreviousRunning(seen)).toBe(false)
  })

  it("Pods under any of several old ReplicaSets count", () => {
    const sets = [
      { version: "v1", uid: "a", replicas: 0 },
      { version: "v2", uid: "b", replicas: 0 }
    ]
    expect(isPreviousRunning(seenOf(3, sets, { a: 0, b: 1 }))).toBe(true)
  })
})

describe("the new ReplicaSet goes to its full size in one step", () => {
  it.each([
    { own: 0, replicas: 7, plan: "web-v9 0->7" },
    { own: 9, replicas: 7, plan: "web-v9 9->7" },
    { own: 7, replicas: 7, plan: "nothing" },
    { own: 2, replicas: 0, plan: "web-v9 2->0" }
  ])("$own of $replicas: $plan", ({ own, replicas, plan }) => {
    expect(planText(planStart(seenOf(replicas, [{ version: "v9", replicas: own }])))).toBe(plan)
  })

  it("one that does not exist cannot be resized", () => {
    expect(planStart(seenOf(7, [{ replicas: 0 }]))).toEqual([])
  })
})
