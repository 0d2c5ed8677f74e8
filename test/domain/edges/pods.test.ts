import { describe, expect, it } from "vitest"
import { hasSameCounts, isPodReady, readySinceMillis } from "../../../src/kubernetes/pods/podState.ts"
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

describe("those who count Pods see a change", () => {
  it.each([
    { why: "nothing has changed", to: changed({}), same: true },
    {
      why: "it says something more",
      to: changed({ resourceVersion: "9" }, { message: "hello" }),
      same: true
    },
    { why: "it has come to run", to: changed({}, { phase: "Pending" }), same: true },
    { why: "it has other labels", to: changed({ labels: { app: "other" } }), same: false },
    { why: "it has another owner", to: changed({ ownerReferences: [] }), same: false },
    { why: "it is to go", to: changed({ deletionTimestamp: aTime(9) }), same: false },
    { why: "it is done", to: changed({}, { phase: "Succeeded" }), same: false },
    { why: "it has failed", to: changed({}, { phase: "Failed" }), same: false },
    { why: "it is no longer ready", to: changed({}, ready("False")), same: false },
    { why: "it is ready anew", to: changed({}, ready("True", aTime(8))), same: false }
  ])("and count the same: $same: $why", ({ to, same }) => {
    expect(hasSameCounts(pod, to)).toBe(same)
    expect(hasSameCounts(to, pod)).toBe(same)
  })
})

describe("a Pod has been ready", () => {
  it.each([
    { why: "it says since when", pod, since: 7, isReady: true },
    { why: "it is not", pod: changed({}, ready("False")), since: undefined, isReady: false },
    { why: "it does not say since when", pod: aPod({ ready: true }), since: undefined, isReady: true },
    {
      why: "it says nothing of itself",
      pod: { ...pod, status: { phase: "Running" } },
      since: undefined,
      isReady: false
    }
  ])("since $since: $why", ({ pod: it, since, isReady: is }) => {
    expect(isPodReady(it)).toBe(is)
    expect(readySinceMillis(it)).toBe(since === undefined ? undefined : startMillis + since * 1000)
  })
})
