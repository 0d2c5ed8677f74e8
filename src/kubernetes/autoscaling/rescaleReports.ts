import { recordEvent, type RecordEvent } from "../apps/sharedCommands.ts"
import type { AutoscalerDecision, ConditionUpdate } from "./autoscalerDecision.ts"

/** Source: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler). */
export interface RescaleReport {
  readonly condition: ConditionUpdate
  readonly event: RecordEvent
}

export const rescaledReport = ({ desired, reason }: AutoscalerDecision): RescaleReport => ({
  condition: {
    type: "AbleToScale",
    isTrue: true,
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${desired}`
  },
  event: recordEvent("Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`)
})

export const rescaleRefusedReport = (
  { desired, reason }: AutoscalerDecision,
  problem: string
): RescaleReport => ({
  condition: {
    type: "AbleToScale",
    isTrue: false,
    reason: "FailedUpdateScale",
    message: `the HPA controller was unable to update the target scale: ${problem}`
  },
  event: recordEvent("Warning", "FailedRescale", `New size: ${desired}; reason: ${reason}; error: ${problem}`)
})
