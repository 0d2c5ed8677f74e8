import { describe, expect, it } from "vitest"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { kubeletEndingFor } from "../../../src/kubernetes/pods/kubeletEndings.ts"
import { aPod, reportedPod } from "../../machines/podAndNodeObservations.ts"
import { millisAt } from "../../machines/workloadObservations.ts"
import { someFacts, withCode } from "./containerFixtures.ts"
import type { KubeletEnding } from "../../../src/kubernetes/pods/podLife.ts"

const stopped = someFacts("terminated", { crashes: 1, ...withCode(0) })

const reportFor = (verdict: KubeletEnding) => {
  const report = { containers: [stopped], ending: verdict }
  const { status } = reportedPod(aPod({ node: "node-1" }), report, millisAt(5))
  const { phase, reason, message, conditions } = status
  const disruption = conditionOf(conditions, "DisruptionTarget")
  return { phase, reason, message, disruption: disruption && `${disruption.reason}: ${disruption.message}` }
}

describe("the status of a Pod that its kubelet ends", () => {
  it.each([
    { reason: "Evicted", message: "The node was low on resource: memory. " },
    { reason: "Preempting", message: "Preempted in order to admit critical pod" },
    { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." }
  ])("has the condition DisruptionTarget for $reason", ({ reason, message }) => {
    const disruption = `TerminationByKubelet: ${message}`
    expect(reportFor(kubeletEndingFor(reason))).toEqual({ phase: "Failed", reason, message, disruption })
  })

  it.each(["OutOfcpu", "UnexpectedAdmissionError", "constructor"])(
    "has only the reason for %s, which is no disruption",
    (reason) => {
      expect(kubeletEndingFor(reason)).toStrictEqual({ reason })
      expect(reportFor(kubeletEndingFor(reason))).toEqual({ phase: "Failed", reason })
    }
  )
})
