import { conditionOf } from "../../meta/conditions.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import type { JobOutcome } from "./jobOutcome.ts"
import type { StatusCondition } from "../../meta/conditions.ts"

/** Source: pkg/controller/job/job_controller.go (syncJob, ensureJobConditionStatus). */
export interface JobConditionUpdate {
  readonly type: "FailureTarget" | "SuccessCriteriaMet" | "Complete" | "Failed" | "Suspended"
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
}

export const jobSuspendedCondition: JobConditionUpdate = {
  type: "Suspended",
  status: "True",
  reason: "JobSuspended",
  message: "Job suspended"
}

export const jobResumedCondition: JobConditionUpdate = {
  type: "Suspended",
  status: "False",
  reason: "JobResumed",
  message: "Job resumed"
}

/** Announces the outcome before the last Pod has ended. */
export const targetCondition = ({ target, reason, message }: JobOutcome): JobConditionUpdate => ({
  type: target,
  status: "True",
  reason,
  message
})

export const finishedCondition = ({ target, reason, message }: JobOutcome): JobConditionUpdate => ({
  type: target === "FailureTarget" ? "Failed" : "Complete",
  status: "True",
  reason,
  message
})

export const withConditionUpdate = (
  conditions: ReadonlyArray<StatusCondition>,
  conditionUpdate: JobConditionUpdate | undefined,
  nowMillis: number
): ReadonlyArray<StatusCondition> => {
  if (conditionUpdate === undefined) return conditions
  const now = timestampOf(nowMillis)
  const present = conditionOf(conditions, conditionUpdate.type)
  const { status, reason, message } = conditionUpdate
  if (present?.status === status && present.reason === reason && present.message === message)
    return conditions
  const condition = { ...conditionUpdate, lastProbeTime: now, lastTransitionTime: now }
  return present === undefined
    ? [...conditions, condition]
    : conditions.map((it) => (it === present ? condition : it))
}
