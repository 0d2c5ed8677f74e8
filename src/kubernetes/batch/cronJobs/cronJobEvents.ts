import { dueTimes, jobChanges, scheduleProblem, unexpectedJobs } from "./cronJobObservation.ts"
import { recordEvent, type RecordEvent } from "../../apps/sharedCommands.ts"
import type { CronJobObservation } from "./cronJobObservation.ts"

/**
 * Events about the outcome of writes come from the controller. Source:
 * pkg/controller/cronjob/cronjob_controllerv2.go (syncCronJob).
 */
export const jobChangeEvents = (seen: CronJobObservation): ReadonlyArray<RecordEvent> => {
  const { finished, missing } = jobChanges(seen)
  return [
    ...finished.map(({ job, conditionType }) =>
      recordEvent(
        "Normal",
        "SawCompletedJob",
        `Saw completed job: ${job.metadata.name}, condition: ${conditionType}`
      )
    ),
    ...missing.map(({ name }) => recordEvent("Normal", "MissingJob", `Active job went missing: ${name}`))
  ]
}

export const unexpectedJobEvents = (seen: CronJobObservation): ReadonlyArray<RecordEvent> =>
  unexpectedJobs(seen).map(({ metadata: { name } }) =>
    recordEvent("Warning", "UnexpectedJob", `Saw a job that the controller did not create or forgot: ${name}`)
  )

export const scheduleProblemEvents = (seen: CronJobObservation): ReadonlyArray<RecordEvent> => {
  const problem = scheduleProblem(seen)
  return problem === undefined ? [] : [recordEvent("Warning", problem.reason, problem.message)]
}

/** Upstream's words for a schedule that is never due. */
const neverDue = "time difference between two schedules is less than 1 second"

export const neverDueEvent = ({ cronJob: { spec } }: CronJobObservation): RecordEvent =>
  recordEvent("Warning", "InvalidSchedule", `invalid schedule: ${spec.schedule} : ${neverDue}`)

const tooManyMissed =
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"

export const missedTimesEvents = (seen: CronJobObservation): ReadonlyArray<RecordEvent> =>
  dueTimes(seen).hasMissedMany ? [recordEvent("Warning", "TooManyMissedTimes", tooManyMissed)] : []

export const forbiddenEvent: RecordEvent = recordEvent(
  "Normal",
  "JobAlreadyActive",
  "Not starting job because prior execution is running and concurrency policy is Forbid"
)
