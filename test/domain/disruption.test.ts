import { describe, expect, it } from "vitest"
import { disruptionReasons, withDisruptionTarget } from "../../src/kubernetes/pods/disruptionTarget.ts"
import { aPod, aTime, startMillis } from "../builders.ts"
import type { Pod, PodCondition } from "../../src/kubernetes/meta/objects.ts"

const ready: PodCondition = { type: "Ready", status: "True" }

const aPodThatSays = (conditions: ReadonlyArray<PodCondition> | undefined): Pod => {
  const { status, ...pod } = aPod({ generation: 3 })
  const { conditions: _conditions, ...others } = status
  return { ...pod, status: conditions === undefined ? others : { ...others, conditions: [...conditions] } }
}

const told = (pod: Pod): ReadonlyArray<PodCondition> =>
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

describe("a Pod that is ended from outside says why", () => {
  const { lastTransitionTime: _time, ...timeless } = eviction(2)
  it.each<{
    why: string
    before: ReadonlyArray<PodCondition> | undefined
    after: ReadonlyArray<PodCondition>
  }>([
    { why: "where it says nothing else", before: undefined, after: [eviction(7)] },
    { why: "after what it says already", before: [ready], after: [ready, eviction(7)] },
    {
      why: "in other words than before, since the same time",
      before: [{ ...eviction(2), reason: "DeletionByPodGC" }, ready],
      after: [ready, eviction(2)]
    },
    {
      why: "since now where it was not so before",
      before: [{ ...eviction(2), status: "False" }],
      after: [eviction(7)]
    },
    { why: "since now where nobody knows since when", before: [timeless], after: [eviction(7)] }
  ])("$why", ({ before, after }) => {
    expect(told(aPodThatSays(before))).toStrictEqual(after)
  })

  it("and names no generation where the Pod has none", () => {
    const { generation: _generation, ...metadata } = aPod().metadata
    expect(told({ ...aPod(), metadata }).at(-1)).not.toHaveProperty("observedGeneration")
  })

  it("without a change of anything else", () => {
    const pod = aPod({ phase: "Pending" })
    const { conditions: _said, ...others } = withDisruptionTarget(pod, disruptionReasons.taint, startMillis)
    const { conditions: _before, ...before } = pod.status
    expect(others).toStrictEqual(before)
  })
})
