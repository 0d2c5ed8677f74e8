import { describe, expect, it } from "vitest"
import { hasSameCountedFields, isPodReady, readySinceMillis } from "../../../src/kubernetes/pods/podState.ts"
import { aPod, aReplicaSet, aTime, startMillis } from "../../builders.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const pod = aPod({ owner: aReplicaSet(), ready: 7 })
const changed = (metadata: Partial<Pod["metadata"]>, status: Partial<Pod["status"]> = {}): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
  status: { ...pod.status, ...status }
})
const ready = (status: string, lastTransitionTime = aTime(7)) => ({
  conditions: [{ type: "Ready", status, lastTransitionTime }]
})

describe("a change of a Pod for its ReplicaSet", () => {
  it.each([
    { why: "nothing", update: changed({}), same: true },
    {
      why: "its message",
      update: changed({ resourceVersion: "9" }, { message: "hello" }),
      same: true
    },
    { why: "its phase from Pending", update: changed({}, { phase: "Pending" }), same: true },
    { why: "its labels", update: changed({ labels: { app: "other" } }), same: false },
    { why: "its owner", update: changed({ ownerReferences: [] }), same: false },
    { why: "its deletion", update: changed({ deletionTimestamp: aTime(9) }), same: false },
    { why: "its success", update: changed({}, { phase: "Succeeded" }), same: false },
    { why: "its failure", update: changed({}, { phase: "Failed" }), same: false },
    { why: "its readiness", update: changed({}, ready("False")), same: false },
    { why: "the time of its readiness", update: changed({}, ready("True", aTime(8))), same: false }
  ])("counts the same ($same): $why", ({ update, same }) => {
    expect(hasSameCountedFields(pod, update)).toBe(same)
    expect(hasSameCountedFields(update, pod)).toBe(same)
  })
})

describe("the readiness of a Pod", () => {
  it.each([
    { why: "it has a time", pod, since: 7, isReady: true },
    { why: "it is False", pod: changed({}, ready("False")), since: undefined, isReady: false },
    { why: "it has no time", pod: aPod({ ready: true }), since: undefined, isReady: true },
    {
      why: "there is no condition",
      pod: { ...pod, status: { phase: "Running" } },
      since: undefined,
      isReady: false
    }
  ])("is since $since: $why", ({ pod: it, since, isReady: expectedReady }) => {
    expect(isPodReady(it)).toBe(expectedReady)
    expect(readySinceMillis(it)).toBe(since === undefined ? undefined : startMillis + since * 1000)
  })
})
