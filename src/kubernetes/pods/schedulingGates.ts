import { withPodCondition } from "./podConditions.ts"
import type { Pod, PodStatus } from "../meta/objects.ts"

/** Source: scheduling_gates.go (PreEnqueue). */
export const hasSchedulingGates = ({ spec }: Pod): boolean =>
  spec.schedulingGates !== undefined && spec.schedulingGates.length > 0

/** Source: pod/strategy.go (applySchedulingGatedCondition). */
export const schedulingGatedStatus = (pod: Pod, nowMillis: number): PodStatus => ({
  ...pod.status,
  conditions: withPodCondition(
    pod,
    "PodScheduled",
    {
      status: "False",
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates"
    },
    nowMillis
  )
})
