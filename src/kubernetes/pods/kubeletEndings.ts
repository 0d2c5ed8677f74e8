import { withDisruptionTarget } from "./disruptionTarget.ts"
import type { Pod, PodCondition } from "../meta/objects.ts"
import type { KubeletEnding } from "./podLife.ts"

/**
 * The messages of endings that set the condition DisruptionTarget, by reason. Source: pkg/kubelet/eviction,
 * preemption.go, nodeshutdown_manager.go.
 */
const disruptionMessages: Readonly<Record<string, string>> = {
  Evicted: "The node was low on resource: memory. ",
  Preempting: "Preempted in order to admit critical pod",
  Terminated: "Pod was terminated in response to imminent node shutdown."
}

export const kubeletEndingFor = (reason: string): KubeletEnding => {
  const message = Object.hasOwn(disruptionMessages, reason) ? disruptionMessages[reason] : undefined
  return message === undefined ? { reason } : { reason, message }
}

/** Upstream's `immediateEvictionGracePeriodSeconds`. */
export const kubeletEvictionGraceMillis = 1000

export const withDisruptionCondition = (
  ending: KubeletEnding,
  options: { readonly pod: Pod; readonly conditions: ReadonlyArray<PodCondition>; readonly nowMillis: number }
): ReadonlyArray<PodCondition> => {
  const { pod, conditions, nowMillis } = options
  const { reason, message = "" } = ending
  if (!Object.hasOwn(disruptionMessages, reason)) return conditions
  const cause = { reason: "TerminationByKubelet", message }
  const { conditions: updated = [] } = withDisruptionTarget(
    { ...pod, status: { ...pod.status, conditions } },
    cause,
    nowMillis
  )
  return updated
}
