import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { podVerdictFor } from "../../src/kubernetes/pods/podVerdicts.ts"
import { aPod, reportedPod } from "../machines/leafWorlds.ts"
import { millisAt } from "../machines/worlds.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { PodVerdict } from "../../src/kubernetes/pods/podLife.ts"

const stopped: ContainerFacts = {
  name: "app",
  role: "app",
  doing: "terminated",
  ready: false,
  started: false,
  restartCount: 0,
  lastExit: { code: 0, reason: "Completed" },
  crashes: 1,
  pullError: undefined
}

/** What the status says of a Pod that has failed so. */
const told = (verdict: PodVerdict) => {
  const report = { containers: [stopped], ending: verdict }
  const { status } = reportedPod(aPod({ node: "node-1" }), report, millisAt(5))
  const { phase, reason, message, conditions } = status
  const disruption = conditionOf(conditions, "DisruptionTarget")
  return { phase, reason, message, disruption: disruption && `${disruption.reason}: ${disruption.message}` }
}

describe("what a kubelet says of a Pod that it gives up", () => {
  it.each([
    { reason: "Evicted", message: "The node was low on resource: memory. " },
    { reason: "Preempting", message: "Preempted in order to admit critical pod" },
    { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." }
  ])("is that it made room for others: $reason", ({ reason, message }) => {
    const disruption = `TerminationByKubelet: ${message}`
    expect(told(podVerdictFor(reason))).toEqual({ phase: "Failed", reason, message, disruption })
  })

  it.each(["OutOfcpu", "UnexpectedAdmissionError", "constructor"])(
    "is no more than the reason where that is no disruption: %s",
    (reason) => {
      expect(podVerdictFor(reason)).toStrictEqual({ reason })
      expect(told(podVerdictFor(reason))).toEqual({ phase: "Failed", reason })
    }
  )
})
