import { conditionOf, noProbeTime, replaceConditions, transitionTime } from "../meta/conditions.ts"
import type { Pod, PodCondition, PodStatus } from "../meta/objects.ts"

/** Source: taint_eviction.go, gc_controller.go, eviction.go, preemption.go. */
export const disruptionReasons = {
  taint: {
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint"
  },
  eviction: { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" },
  preemption: {
    reason: "PreemptionByScheduler",
    message: "default-scheduler: preempting to accommodate a higher priority pod"
  },
  nodeGone: { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" }
} as const

export const isPreempted = (pod: Pod): boolean =>
  disruptionReasonOf(pod) === disruptionReasons.preemption.reason

export const isEvictedByTaint = (pod: Pod): boolean =>
  disruptionReasonOf(pod) === disruptionReasons.taint.reason

const disruptionReasonOf = ({ status }: Pod): string | undefined => {
  const target = conditionOf(status.conditions, "DisruptionTarget")
  return target?.status === "True" ? target.reason : undefined
}

export const withDisruptionTarget = (
  { metadata, status }: Pod,
  cause: { readonly reason: string; readonly message: string },
  nowMillis: number
): PodStatus => {
  const { generation } = metadata
  const present = conditionOf(status.conditions, "DisruptionTarget")
  const condition: PodCondition = {
    type: "DisruptionTarget",
    status: "True",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: noProbeTime,
    lastTransitionTime: transitionTime(present, "True", nowMillis),
    ...cause
  }
  return { ...status, conditions: replaceConditions(status.conditions ?? [], [condition]) }
}
