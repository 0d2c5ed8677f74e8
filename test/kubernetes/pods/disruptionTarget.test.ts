import { describe, expect, it } from "vitest"
import { disruptionReasons, withDisruptionTarget } from "../../../src/kubernetes/pods/disruptionTarget.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import type { Pod, PodCondition } from "../../../src/kubernetes/meta/objects.ts"

const ready: PodCondition = { type: "Ready", status: "True" }

const aPodWithConditions = (conditions: ReadonlyArray<PodCondition> | undefined): Pod => {
  const { status, ...pod } = aPod({ generation: 3 })
  const { conditions: _conditions, ...others } = status
  return { ...pod, status: conditions === undefined ? others : { ...others, conditions: [...conditions] } }
}

const conditionsAfterEviction = (pod: Pod): ReadonlyArray<PodCondition> =>
  withDisruptionTarget(pod, disruptionReasons.eviction, startMillis + 7000).conditions ?? []

const eviction = (seconds: number): PodCondition => ({
  type: "DisruptionTarget",
  status: "True",
  observedGeneration: 3,
  lastProbeTime: null as unknown as string,
  lastTransitionTime: aTime(seconds),
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting"
})

describe("the condition DisruptionTarget", () => {
  const { lastTransitionTime: _time, ...timeless } = eviction(2)
  it.each<{
    why: string
    before: ReadonlyArray<PodCondition> | undefined
    after: ReadonlyArray<PodCondition>
  }>([
    { why: "is the first condition", before: undefined, after: [eviction(7)] },
    { why: "follows other conditions", before: [ready], after: [ready, eviction(7)] },
    {
      why: "replaces an earlier reason in its place and keeps its time (UpdatePodCondition)",
      before: [{ ...eviction(2), reason: "DeletionByPodGC" }, ready],
      after: [eviction(2), ready]
    },
    {
      why: "gets a new time when the status was False",
      before: [{ ...eviction(2), status: "False" }],
      after: [eviction(7)]
    },
    { why: "gets a new time when the earlier one has none", before: [timeless], after: [eviction(7)] }
  ])("$why", ({ before, after }) => {
    expect(conditionsAfterEviction(aPodWithConditions(before))).toStrictEqual(after)
  })

  it("has no observedGeneration when the Pod has no generation", () => {
    const { generation: _generation, ...metadata } = aPod().metadata
    expect(conditionsAfterEviction({ ...aPod(), metadata }).at(-1)).not.toHaveProperty("observedGeneration")
  })

  it("changes nothing else in the status", () => {
    const pod = aPod({ phase: "Pending" })
    const { conditions: _said, ...others } = withDisruptionTarget(pod, disruptionReasons.taint, startMillis)
    const { conditions: _before, ...before } = pod.status
    expect(others).toStrictEqual(before)
  })
})
