import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { WorkloadNews } from "./workloadNews.ts"

type AutoscalerNews = Pick<WorkloadNews, "reason" | "message">

/** A new size of the target, or a failure to measure. */
export const autoscalerNews = (
  before: Autoscaler | undefined,
  after: Autoscaler
): ReadonlyArray<AutoscalerNews> => {
  const { scaleTargetRef } = after.spec
  const target = `${scaleTargetRef.kind}/${scaleTargetRef.name}`
  const { lastScaleTime, currentReplicas = 0, desiredReplicas } = after.status
  const hasScaled = lastScaleTime !== undefined && lastScaleTime !== before?.status.lastScaleTime
  const activeCondition = conditionOf(after.status.conditions, "ScalingActive")
  const activeConditionBefore = conditionOf(before?.status.conditions ?? [], "ScalingActive")
  const hasConditionChanged =
    activeCondition?.status !== activeConditionBefore?.status ||
    activeCondition?.reason !== activeConditionBefore?.reason
  const { message = "" } = activeCondition ?? {}
  return [
    ...(hasScaled
      ? [{ reason: "Scaled", message: `${target} from ${currentReplicas} to ${desiredReplicas}` } as const]
      : []),
    ...(hasConditionChanged && activeCondition?.status === "False"
      ? [{ reason: activeCondition.reason === "ScalingDisabled" ? "Paused" : "Failed", message } as const]
      : []),
    ...(activeConditionBefore?.status === "False" && activeCondition?.status === "True"
      ? [{ reason: "Resumed", message: `${target} is scaled again` } as const]
      : [])
  ]
}
