import { assign, setup } from "xstate"
import {
  dueTimes,
  jobChanges,
  oldJobs,
  scheduleProblem,
  unexpectedJobs
} from "../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import { draftScheduledJob } from "../src/kubernetes/batch/cronJobs/scheduledJob.ts"
import { emitEach } from "./emitEach.ts"
import { cronJobGuards, nextLookMillis } from "./guards/cronJobGuards.ts"
import { referenceTo } from "./revisionActions.ts"
import { recordEvent, type RecordEvent } from "../src/kubernetes/apps/sharedCommands.ts"
import type { CronJobCommand } from "../src/kubernetes/batch/cronJobs/cronJobCommands.ts"
import type { CronJobContext, CronJobEvent } from "./guards/cronJobGuards.ts"
import type { CronJobObservation } from "../src/kubernetes/batch/cronJobs/cronJobObservation.ts"

type Emitted = CronJobCommand | RecordEvent

const emitCommands = (commands: (seen: CronJobObservation) => ReadonlyArray<Emitted>) =>
  emitEach<CronJobContext, CronJobEvent, Emitted>(({ context: { seen } }) =>
    seen === undefined ? [] : commands(seen)
  )

const noteChanges = (seen: CronJobObservation): ReadonlyArray<Emitted> => {
  const { finished, missing, lastSuccessfulTime } = jobChanges(seen)
  const { status } = seen.cronJob
  const goneUids = new Set(finished.map(({ job }) => job.metadata.uid))
  const active = (status.active ?? []).filter(
    ({ uid = "", name = "" }) => !goneUids.has(uid) && !missing.includes(name)
  )
  const { active: _active, ...others } = status
  return [
    ...finished.map(({ job, as }) =>
      recordEvent("Normal", "SawCompletedJob", `Saw completed job: ${job.metadata.name}, condition: ${as}`)
    ),
    ...missing.map((name) => recordEvent("Normal", "MissingJob", `Active job went missing: ${name}`)),
    {
      type: "reportCronJob",
      status: {
        ...others,
        ...(active.length === 0 ? {} : { active }),
        ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime })
      }
    }
  ]
}

const tooManyMissed =
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"

/** Upstream's words for a schedule whose next time is the same as the one after it: none. */
const neverDue = "time difference between two schedules is less than 1 second"

const tellMissed = (seen: CronJobObservation): ReadonlyArray<RecordEvent> =>
  dueTimes(seen).hasMissedMany ? [recordEvent("Warning", "TooManyMissedTimes", tooManyMissed)] : []

const cronJobSetup = setup({
  types: {} as { context: CronJobContext; events: CronJobEvent; emitted: Emitted },
  guards: cronJobGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    tellUnexpected: emitCommands((seen) =>
      unexpectedJobs(seen).map(({ metadata }) =>
        recordEvent(
          "Warning",
          "UnexpectedJob",
          `Saw a job that the controller did not create or forgot: ${metadata.name}`
        )
      )
    ),
    noteChanges: emitCommands(noteChanges),
    deleteOld: emitCommands((seen) => [{ type: "deleteJobs", children: oldJobs(seen).map(referenceTo) }]),
    tellProblem: emitCommands((seen) => {
      const problem = scheduleProblem(seen)
      return problem === undefined ? [] : [recordEvent("Warning", problem.reason, problem.message)]
    }),
    tellNeverDue: emitCommands(({ cronJob: { spec } }) => [
      recordEvent("Warning", "InvalidSchedule", `invalid schedule: ${spec.schedule} : ${neverDue}`)
    ]),
    tellForbidden: emitCommands((seen) => [
      ...tellMissed(seen),
      recordEvent(
        "Normal",
        "JobAlreadyActive",
        "Not starting job because prior execution is running and concurrency policy is Forbid"
      )
    ]),
    deleteActive: emitCommands((seen) => [
      {
        type: "deleteJobs",
        children: (seen.cronJob.status.active ?? []).map(({ name = "", uid = "" }) => ({ name, uid }))
      }
    ]),
    start: emitCommands((seen) => {
      const { due = seen.nowMillis } = dueTimes(seen)
      return [
        ...tellMissed(seen),
        { type: "startJob", job: draftScheduledJob(seen.cronJob, due), atMillis: due }
      ]
    }),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilNext: ({ context: { seen } }) =>
      seen === undefined ? 0 : Math.max(0, nextLookMillis(seen) - seen.nowMillis)
  }
})

/** A state that waits for the next time of the schedule. */
const untilNextTime = (description: string, entry?: "tellForbidden") =>
  cronJobSetup.createStateConfig({
    description,
    ...(entry === undefined ? {} : { entry }),
    after: { untilNext: { actions: "lookAgain" } }
  })

/**
 * Starts a Job at every time of its schedule, on the clock of its time zone.
 * Source: pkg/controller/cronjob/cronjob_controllerv2.go (syncCronJob).
 */
export const cronJobMachine = cronJobSetup.createMachine({
  id: "cronJob",
  context: { seen: undefined },
  initial: "unseen",
  on: {
    observed: { target: ".looking", actions: "remember" },
    refused: ".refused"
  },
  states: {
    unseen: { description: "No observation has arrived yet." },
    looking: {
      description: "What has become of its Jobs, and is the schedule due?",
      entry: "tellUnexpected",
      always: [
        { guard: "hasJobChanges", target: "noting" },
        { guard: "hasOldJobs", target: "cleaningUp" },
        { guard: "isTerminating", target: "terminating" },
        { guard: "isUnreadable", target: "unreadable" },
        { guard: "isSuspended", target: "suspended" },
        { guard: "isDue", target: "due" },
        { guard: "comesAgain", target: "waiting" },
        { target: "neverDue" }
      ]
    },
    noting: {
      description: "Takes Jobs that have finished or gone from the status.",
      entry: "noteChanges"
    },
    cleaningUp: {
      description: "Deletes finished Jobs beyond successfulJobsHistoryLimit and failedJobsHistoryLimit.",
      entry: "deleteOld"
    },
    waiting: untilNextTime("Waits for the next time of the schedule."),
    due: {
      description:
        "A time of the schedule has come, within startingDeadlineSeconds. Of several only the last counts.",
      initial: "comparing",
      states: {
        comparing: {
          description: "May its Job start?",
          always: [
            { guard: "isStarted", target: "started" },
            { guard: "isForbidden", target: "forbidden" },
            { guard: "isReplacing", target: "replacing" },
            { target: "starting" }
          ]
        },
        started: untilNextTime("The Job of this time is there already."),
        forbidden: untilNextTime(
          "concurrencyPolicy is Forbid, and a Job runs: this time waits.",
          "tellForbidden"
        ),
        replacing: {
          description: "concurrencyPolicy is Replace: deletes the Job that runs.",
          entry: "deleteActive"
        },
        starting: { description: "Creates the Job, whose name has the time in it.", entry: "start" }
      }
    },
    suspended: { description: "spec.suspend is set: no Job starts, and those that run go on." },
    unreadable: { description: "No Job starts until the schedule is corrected.", entry: "tellProblem" },
    neverDue: { description: "The schedule names a day that never comes.", entry: "tellNeverDue" },
    refused: { description: "The API server refused a write. Retries with back-off." },
    terminating: { description: "The CronJob is being deleted." }
  }
})
