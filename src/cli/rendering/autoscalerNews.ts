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
  const active = conditionOf(after.status.conditions, "ScalingActive")
  const wasActive = conditionOf(before?.status.conditions ?? [], "ScalingActive")
  const hasConditionChanged = active?.status !== wasActive?.status || active?.reason !== wasActive?.reason
  const { message = "" } = active ?? {}
  return [
    ...(hasScaled
      ? [{ reason: "Scaled", message: `${target} from ${currentReplicas} to ${desiredReplicas}` } as const]
      : []),
    ...(hasConditionChanged && active?.status === "False"
      ? [{ reason: active.reason === "ScalingDisabled" ? "Paused" : "Failed", message } as const]
      : []),
    ...(wasActive?.status === "False" && active?.status === "True"
      ? [{ reason: "Resumed", message: `${target} is scaled again` } as const]
      : [])
  ]
}
