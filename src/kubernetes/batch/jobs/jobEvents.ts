import { recordEvent, type RecordEvent } from "../../apps/sharedCommands.ts"
import type { Job } from "./jobTypes.ts"
import type { JobOutcome } from "./jobOutcome.ts"

/** Source: pkg/controller/job/job_controller.go (syncJob, recordJobFinished). */
export const suspendedEvent = recordEvent("Normal", "Suspended", "Job suspended")

export const resumedEvent = recordEvent("Normal", "Resumed", "Job resumed")

export const finishedEvents = (
  { spec, status }: Job,
  { target, reason, message }: JobOutcome
): ReadonlyArray<RecordEvent> => {
  if (target === "FailureTarget") return [recordEvent("Warning", reason, message)]
  const isSurpassed = spec.completions !== undefined && (status.succeeded ?? 0) > spec.completions
  return [...(isSurpassed ? [tooManySucceededEvent] : []), completedEvent]
}

const tooManySucceededEvent = recordEvent(
  "Warning",
  "TooManySucceededPods",
  "Too many succeeded pods running after completion count reached"
)

const completedEvent = recordEvent("Normal", "Completed", "Job completed")
