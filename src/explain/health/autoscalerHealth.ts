import { explainAutoscaler } from "../workloads/explainAutoscaler.ts"
import { toWorkloadHealth } from "./healthLeads.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { Progress, WorkloadHealth } from "./healthLeads.ts"

const progressOfState: Readonly<Record<string, Progress>> = {
  unable: "blocked",
  unmeasured: "blocked",
  limited: "limited",
  disabled: "idle",
  new: "idle"
}

/** The explanation's second sentence is the cause. */
export const autoscalerHealth = (autoscaler: Autoscaler): WorkloadHealth => {
  const { state, isWell, sentences } = explainAutoscaler(autoscaler)
  const progress = (isWell ? undefined : progressOfState[state]) ?? "steady"
  const hasCause = progress === "blocked" || progress === "limited"
  return toWorkloadHealth(
    "ok",
    progress,
    hasCause ? sentences.slice(1, 2).map((sentence) => sentence.replace(/\.$/u, "")) : []
  )
}
