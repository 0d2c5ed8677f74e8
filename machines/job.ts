import { assign, setup } from "xstate"
import { activePods, podCounting } from "../src/kubernetes/batch/jobs/jobObservation.ts"
import { expiryMillis, jobOutcome } from "../src/kubernetes/batch/jobs/jobOutcome.ts"
import { failuresAfterCounting, failuresAfterIgnoring } from "../src/kubernetes/batch/jobs/jobBackOff.ts"
import {
  finishedCondition,
  jobResumedCondition,
  jobSuspendedCondition,
  targetCondition
} from "../src/kubernetes/batch/jobs/jobConditions.ts"
import { finishedEvents, resumedEvent, suspendedEvent } from "../src/kubernetes/batch/jobs/jobEvents.ts"
import {
  assumeClaimed,
  assumeDeleted,
  assumeReleased,
  assumeStatus
} from "../src/kubernetes/batch/jobs/assumedJob.ts"
import { isSemanticallyEqual } from "../src/kubernetes/meta/semanticEquality.ts"
import { jobStatus } from "../src/kubernetes/batch/jobs/jobStatus.ts"
import { surplusJobPods } from "../src/kubernetes/batch/jobs/jobPlan.ts"
import { emitEach } from "./emitEach.ts"
import { jobGuards, missingPodsIn, nextJobDueMillis } from "./guards/jobGuards.ts"
import { identityOf } from "../src/kubernetes/apps/sharedCommands.ts"
import type { JobCommand } from "../src/kubernetes/batch/jobs/jobCommands.ts"
import type { JobContext, JobEvent } from "./guards/jobGuards.ts"
import type { BackOffFailures } from "../src/kubernetes/batch/jobs/jobBackOff.ts"
import type { JobObservation } from "../src/kubernetes/batch/jobs/jobObservation.ts"
import type { JobOutcome } from "../src/kubernetes/batch/jobs/jobOutcome.ts"
import type { JobStatus } from "../src/kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../src/kubernetes/meta/objects.ts"
import type { RecordEvent } from "../src/kubernetes/apps/sharedCommands.ts"

type Emitted = JobCommand | RecordEvent

const emitCommands = (commands: (seen: JobObservation, context: JobContext) => ReadonlyArray<Emitted>) =>
  emitEach<JobContext, JobEvent, Emitted>(({ context }) => {
    const { seen } = context
    return seen === undefined ? [] : commands(seen, context)
  })

const statusReport = (seen: JobObservation, status: JobStatus): ReadonlyArray<Emitted> =>
  isSemanticallyEqual(seen.job.status, status) ? [] : [{ type: "reportJob", status }]

const deletePods = (
  pods: ReadonlyArray<Pod>,
  { countAsFailed }: { readonly countAsFailed: boolean }
): ReadonlyArray<Emitted> =>
  pods.length === 0 ? [] : [{ type: "deleteJobPods", children: pods.map(identityOf), countAsFailed }]

const announcedStatus = (seen: JobObservation): JobStatus => {
  const outcome = jobOutcome(seen)
  return jobStatus(seen, outcome === undefined ? {} : { conditionUpdate: targetCondition(outcome) })
}

const finishedReport = (seen: JobObservation, outcome: JobOutcome): ReadonlyArray<Emitted> => [
  ...statusReport(seen, jobStatus(seen, { conditionUpdate: finishedCondition(outcome) })),
  ...finishedEvents(seen.job, outcome)
]

const assignSeen = (change: (seen: JobObservation, context: JobContext) => Partial<JobContext>) =>
  assign<JobContext, JobEvent, undefined, JobEvent, never>(({ context }) => {
    const { seen } = context
    return seen === undefined ? {} : change(seen, context)
  })

const assume = (after: (seen: JobObservation) => JobObservation) =>
  assignSeen((seen) => ({ seen: after(seen) }))

const assignFailures = (
  failuresAfter: (before: BackOffFailures, seen: JobObservation) => Partial<BackOffFailures>
) => assignSeen((seen, context) => failuresAfter(context, seen))

/** Looks again before its writes are observed: `seen` assumes them already. */
const lookOn = { always: { target: "#job.looking" } } as const

const jobSetup = setup({
  types: {} as { context: JobContext; events: JobEvent; emitted: Emitted; tags: "moving" },
  guards: jobGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claim: emitCommands(({ claims }) => [
      ...claims.release.map((pod) => ({ type: "releasePod", child: identityOf(pod) }) as const),
      ...claims.adopt.map((pod) => ({ type: "adoptPod", child: identityOf(pod) }) as const)
    ]),
    assumeClaimed: assume(assumeClaimed),
    report: emitCommands((seen) => statusReport(seen, jobStatus(seen))),
    assumeReported: assume((seen) => assumeStatus(seen, jobStatus(seen))),
    noteFailures: assignFailures(failuresAfterCounting),
    // Failures that podFailurePolicy ignores.
    noteIgnored: assignFailures(failuresAfterIgnoring),
    releaseCounted: emitCommands((seen) => [
      { type: "releaseJobPods", children: podCounting(seen).withRemovableFinalizer.map(identityOf) }
    ]),
    assumeReleased: assume(assumeReleased),
    announce: emitCommands((seen) => statusReport(seen, announcedStatus(seen))),
    assumeAnnounced: assume((seen) => assumeStatus(seen, announcedStatus(seen))),
    deleteActive: emitCommands((seen) => deletePods(activePods(seen), { countAsFailed: true })),
    assumeDeleted: assume((seen) => assumeDeleted(seen, activePods(seen), { countAsFailed: true })),
    finish: emitCommands((seen) => {
      const outcome = jobOutcome(seen)
      return outcome === undefined ? [] : finishedReport(seen, outcome)
    }),
    deleteSuspended: emitCommands((seen) => deletePods(activePods(seen), { countAsFailed: false })),
    assumeSuspended: assume((seen) => assumeDeleted(seen, activePods(seen), { countAsFailed: false })),
    suspend: emitCommands((seen) => [
      ...statusReport(seen, jobStatus(seen, { conditionUpdate: jobSuspendedCondition })),
      suspendedEvent
    ]),
    resume: emitCommands((seen) => [
      ...statusReport(seen, jobStatus(seen, { conditionUpdate: jobResumedCondition })),
      resumedEvent
    ]),
    assumeResumed: assume((seen) =>
      assumeStatus(seen, jobStatus(seen, { conditionUpdate: jobResumedCondition }))
    ),
    deleteSurplus: emitCommands((seen) => deletePods(surplusJobPods(seen), { countAsFailed: false })),
    assumeShrunk: assume((seen) => assumeDeleted(seen, surplusJobPods(seen), { countAsFailed: false })),
    createMissing: emitCommands((_seen, context) => [
      { type: "createJobPods", pods: missingPodsIn(context).dueNow }
    ]),
    reportCreated: emitCommands((seen, context) =>
      statusReport(
        assumeStatus(seen, jobStatus(seen)),
        jobStatus(seen, { createdPodCount: missingPodsIn(context).dueNow.length })
      )
    ),
    expire: emitCommands(() => [{ type: "deleteJob" }]),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilDue: ({ context }) => Math.max(0, (nextJobDueMillis(context) ?? 0) - (context.seen?.nowMillis ?? 0)),
    untilExpiry: ({ context }) => {
      const { seen } = context
      return seen === undefined ? 0 : Math.max(0, (expiryMillis(seen) ?? 0) - seen.nowMillis)
    }
  }
})

/**
 * Runs Pods until enough have succeeded, or too many have failed. Pods are counted exactly once: their uids are noted
 * in the status, then their finalizers are removed, then the counts grow.
 * Source: pkg/controller/job/job_controller.go (syncJob),
 * pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
 */
export const jobMachine = jobSetup.createMachine({
  id: "job",
  context: { seen: undefined, failures: 0, lastFailureMillis: 0, countedPods: [] },
  initial: "unseen",
  on: {
    observed: { target: ".looking", actions: "remember" },
    refused: ".refused"
  },
  states: {
    unseen: { description: "No observation has arrived yet." },
    looking: {
      description: "Is the Job over, how is it to end, and are all Pods counted?",
      always: [
        { guard: "isFinished", target: "finished" },
        { guard: "isManagedElsewhere", target: "managedElsewhere" },
        { guard: "hasClaims", target: "claiming" },
        { guard: "isNewFailure", target: "failing.announcing" },
        { guard: "isNewSuccess", target: "succeeding.announcing" },
        { guard: "hasUncountedPods", target: "counting.noting" },
        { guard: "hasReleasablePods", target: "counting.releasing" },
        { guard: "isTerminating", target: "terminating" },
        { guard: "isFailing", target: "failing" },
        { guard: "isSucceeding", target: "succeeding" },
        { guard: "isSuspended", target: "suspended" },
        { guard: "isResumed", target: "resuming" },
        { target: "running" }
      ]
    },
    managedElsewhere: { description: "spec.managedBy names another controller, which does all the work." },
    claiming: {
      description: "Adopts Pods that its selector matches, and releases the others.",
      entry: ["claim", "assumeClaimed"],
      ...lookOn
    },
    counting: {
      description: "Counts every Pod that has ended exactly once, whatever crashes in between.",
      initial: "noting",
      states: {
        noting: {
          description: "Notes the uids of ended Pods, and counts those whose finalizer is removed.",
          entry: ["noteFailures", "report", "assumeReported"],
          ...lookOn
        },
        releasing: {
          description:
            "Removes the finalizer of Pods that are noted, or need not be, so that they may be deleted.",
          entry: ["noteIgnored", "releaseCounted", "assumeReleased"],
          ...lookOn
        }
      }
    },
    running: {
      description: "Keeps as many Pods as parallelism allows, until completions are reached.",
      initial: "comparing",
      states: {
        comparing: {
          description: "Does the number of active Pods match what is left to do?",
          always: [
            { guard: "hasTooManyPods", target: "scalingDown" },
            { guard: "hasTooFewPods", target: "creating" },
            { guard: "isDueLater", target: "awaitingTime" },
            { target: "awaitingPods" }
          ]
        },
        scalingDown: {
          description: "Deletes surplus Pods, which do not count as failed.",
          entry: ["report", "assumeReported", "deleteSurplus", "assumeShrunk", "report"]
        },
        creating: {
          description: "Creates Pods, of an Indexed Job for the lowest indexes first.",
          entry: ["report", "createMissing", "reportCreated"]
        },
        awaitingTime: {
          description: "A failed Pod is replaced after its back-off, or activeDeadlineSeconds end.",
          tags: "moving",
          entry: "report",
          after: { untilDue: { actions: "lookAgain" } }
        },
        awaitingPods: { description: "Waits for Pods to end.", entry: "report" }
      }
    },
    suspended: {
      description: "spec.suspend is set: no Pod runs.",
      initial: "comparing",
      states: {
        comparing: {
          description: "Is a Pod active, or the condition missing?",
          always: [{ guard: "isSuspendedWithoutPods", target: "resting" }, { target: "suspending" }]
        },
        suspending: {
          description: "Deletes all active Pods, which do not count as failed.",
          entry: ["deleteSuspended", "assumeSuspended", "suspend"]
        },
        resting: { description: "Waits until it is resumed.", entry: "report" }
      }
    },
    resuming: {
      description: "The time begins anew: startTime is set again.",
      entry: ["resume", "assumeResumed"],
      ...lookOn
    },
    failing: {
      description: "The Job is to fail once its last Pod has ended.",
      initial: "checking",
      states: {
        announcing: {
          description: "Reports the condition FailureTarget, before the Pods that say why may go.",
          entry: ["announce", "assumeAnnounced"],
          ...lookOn
        },
        checking: {
          description: "Has every Pod ended?",
          always: [
            { guard: "hasActivePods", target: "stopping" },
            { guard: "hasTerminatingPods", target: "awaitingEnds" },
            { target: "failed" }
          ]
        },
        stopping: {
          description: "Deletes all active Pods, which count as failed.",
          entry: ["deleteActive", "assumeDeleted"],
          ...lookOn
        },
        awaitingEnds: { description: "Waits for the end of its last Pods.", entry: "report" },
        failed: { description: "Reports the condition Failed.", entry: "finish" }
      }
    },
    succeeding: {
      description: "The Job has succeeded, and is complete once its last Pod has ended.",
      initial: "checking",
      states: {
        announcing: {
          description: "Reports the condition SuccessCriteriaMet.",
          entry: ["announce", "assumeAnnounced"],
          ...lookOn
        },
        checking: {
          description: "Has every Pod ended?",
          always: [
            { guard: "hasActivePods", target: "stopping" },
            { guard: "hasTerminatingPods", target: "awaitingEnds" },
            { target: "complete" }
          ]
        },
        stopping: {
          description: "Deletes Pods that are not needed any more.",
          entry: ["deleteActive", "assumeDeleted"],
          ...lookOn
        },
        awaitingEnds: { description: "Waits for the end of its last Pods.", entry: "report" },
        complete: { description: "Reports the condition Complete.", entry: "finish" }
      }
    },
    finished: {
      description: "Complete or Failed: nothing changes any more.",
      initial: "comparing",
      states: {
        comparing: {
          description: "Does ttlSecondsAfterFinished end?",
          always: [
            { guard: "isExpired", target: "expiring" },
            { guard: "hasTimeToLive", target: "awaitingExpiry" },
            { target: "resting" }
          ]
        },
        awaitingExpiry: {
          description: "Waits for the end of ttlSecondsAfterFinished.",
          after: { untilExpiry: { actions: "lookAgain" } }
        },
        expiring: { description: "Deletes the Job and its Pods.", entry: "expire" },
        resting: { description: "Stays until it is deleted." }
      }
    },
    refused: { description: "The API server refused a write. Retries with back-off." },
    terminating: {
      description: "The Job is being deleted: the garbage collector deletes its Pods.",
      entry: "report"
    }
  }
})
