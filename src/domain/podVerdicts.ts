import { withDisruption } from "./disruption.ts"
import type { Pod, PodCondition } from "./objects.ts"
import type { PodVerdict } from "./podLife.ts"

/**
 * Why a kubelet gives a Pod up. Those verdicts that make room for others count as disruptions; of any other nothing is
 * said but its reason.
 *
 * Source: pkg/kubelet/eviction/eviction_manager.go and helpers.go, pkg/kubelet/preemption/preemption.go,
 * pkg/kubelet/nodeshutdown/nodeshutdown_manager.go.
 */
const disruptive: Readonly<Record<string, string>> = {
  Evicted: "The node was low on resource: memory. ",
  Preempting: "Preempted in order to admit critical pod",
  Terminated: "Pod was terminated in response to imminent node shutdown."
}

/** The verdict with this reason, in its kubelet's words. */
export const verdictFor = (reason: string): PodVerdict => {
  const message = Object.hasOwn(disruptive, reason) ? disruptive[reason] : undefined
  return message === undefined ? { reason } : { reason, message }
}

/** What a Pod is left that is given up: less than any other that goes (immediateEvictionGracePeriodSeconds). */
export const verdictGraceMillis = 1000

/** The conditions of a Pod that has failed by a verdict. */
export const conditionsAfter = (
  verdict: PodVerdict,
  options: { readonly pod: Pod; readonly conditions: ReadonlyArray<PodCondition>; readonly nowMillis: number }
): ReadonlyArray<PodCondition> => {
  const { pod, conditions, nowMillis } = options
  const { reason, message = "" } = verdict
  if (!Object.hasOwn(disruptive, reason)) return conditions
  const because = { reason: "TerminationByKubelet", message }
  const { conditions: told = [] } = withDisruption(
    { ...pod, status: { ...pod.status, conditions } },
    because,
    nowMillis
  )
  return told
}
