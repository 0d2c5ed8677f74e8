import { assign, setup } from "xstate"
import {
  forbiddenEvent,
  jobChangeEvents,
  missedTimesEvents,
  neverDueEvent,
  scheduleProblemEvents,
  unexpectedJobEvents
} from "../src/kubernetes/batch/cronJobs/cronJobEvents.ts"
import { activeJobs, dueTimes, oldJobs } from "../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import { draftScheduledJob } from "../src/kubernetes/batch/cronJobs/scheduledJob.ts"
import { emitEach } from "./emitEach.ts"
import { cronJobGuards, nextLookMillis } from "./guards/cronJobGuards.ts"
import { identityOf } from "../src/kubernetes/apps/sharedCommands.ts"
import { statusAfterChanges } from "../src/kubernetes/batch/cronJobs/cronJobStatus.ts"
import type { CronJobCommand } from "../src/kubernetes/batch/cronJobs/cronJobCommands.ts"
import type { CronJobContext, CronJobEvent } from "./guards/cronJobGuards.ts"
import type { CronJobObservation } from "../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { ObjectIdentity, RecordEvent } from "../src/kubernetes/apps/sharedCommands.ts"

type Emitted = CronJobCommand | RecordEvent

const emitCommands = (commands: (seen: CronJobObservation) => ReadonlyArray<Emitted>) =>
  emitEach<CronJobContext, CronJobEvent, Emitted>(({ context: { seen } }) =>
    seen === undefined ? [] : commands(seen)
  )

const startJob = (
  seen: CronJobObservation,
  replaces: ReadonlyArray<ObjectIdentity>
): ReadonlyArray<Emitted> => {
  const { dueMillis = seen.nowMillis } = dueTimes(seen)
  const job = draftScheduledJob(seen.cronJob, dueMillis)
  return [...missedTimesEvents(seen), { type: "startJob", job, dueMillis, replaces }]
}

const cronJobSetup = setup({
  types: {} as { context: CronJobContext; events: CronJobEvent; emitted: Emitted },
  guards: cronJobGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    recordUnexpectedJobs: emitCommands(unexpectedJobEvents),
    reportJobChanges: emitCommands((seen) => [
      ...jobChangeEvents(seen),
      { type: "reportCronJob", status: statusAfterChanges(seen) }
    ]),
    deleteOld: emitCommands((seen) => [{ type: "deleteJobs", children: oldJobs(seen).map(identityOf) }]),
    recordScheduleProblem: emitCommands(scheduleProblemEvents),
    recordNeverDue: emitCommands((seen) => [neverDueEvent(seen)]),
    recordForbidden: emitCommands((seen) => [...missedTimesEvents(seen), forbiddenEvent]),
    replace: emitCommands((seen) => startJob(seen, activeJobs(seen.cronJob))),
    start: emitCommands((seen) => startJob(seen, [])),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilNext: ({ context: { seen } }) =>
      seen === undefined ? 0 : Math.max(0, nextLookMillis(seen) - seen.nowMillis)
  }
})

/** A state that waits for the next time of the schedule. */
const untilNextTime = (description: string, entry?: "recordForbidden") =>
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
      entry: "recordUnexpectedJobs",
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
      description: "Removes from the status the Jobs that have finished or are gone.",
      entry: "reportJobChanges"
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
          "concurrencyPolicy is Forbid, and a Job runs: the Job of this time waits.",
          "recordForbidden"
        ),
        replacing: {
          description: "concurrencyPolicy is Replace: deletes the Job that runs, and creates the next.",
          entry: "replace"
        },
        starting: { description: "Creates the Job, whose name has the time in it.", entry: "start" }
      }
    },
    suspended: { description: "spec.suspend is set: no Job starts, and those that run go on." },
    unreadable: {
      description: "No Job starts until the schedule is corrected.",
      entry: "recordScheduleProblem"
    },
    neverDue: { description: "The schedule names a day that never comes.", entry: "recordNeverDue" },
    refused: { description: "The API server refused a write. Retries with back-off." },
    terminating: { description: "The CronJob is being deleted." }
  }
})
