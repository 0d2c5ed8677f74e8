import { assign, setup } from "xstate"
import { activePods, podCounting } from "../src/kubernetes/batch/jobs/jobObservation.ts"
import { isSameValue } from "../src/kubernetes/meta/semanticEquality.ts"
import { jobOutcome } from "../src/kubernetes/batch/jobs/jobOutcome.ts"
import { jobStatus } from "../src/kubernetes/batch/jobs/jobStatus.ts"
import { readEndMillis } from "../src/kubernetes/batch/jobs/podEnds.ts"
import { surplusJobPods } from "../src/kubernetes/batch/jobs/jobPlan.ts"
import { emitEach } from "./emitEach.ts"
import { expiryMillis, jobGuards, missingPodsIn, nextJobDueMillis } from "./guards/jobGuards.ts"
import { referenceTo } from "./revisionActions.ts"
import { recordEvent, type RecordEvent } from "../src/kubernetes/apps/sharedCommands.ts"
import type { JobCommand } from "../src/kubernetes/batch/jobs/jobCommands.ts"
import type { JobConditionUpdate } from "../src/kubernetes/batch/jobs/jobStatus.ts"
import type { JobContext, JobEvent } from "./guards/jobGuards.ts"
import type { JobObservation } from "../src/kubernetes/batch/jobs/jobObservation.ts"
import type { Pod } from "../src/kubernetes/meta/objects.ts"

type Emitted = JobCommand | RecordEvent

const emitCommands = (commands: (seen: JobObservation, context: JobContext) => ReadonlyArray<Emitted>) =>
  emitEach<JobContext, JobEvent, Emitted>(({ context }) =>
    context.seen === undefined ? [] : commands(context.seen, context)
  )

const reportOf = (seen: JobObservation, conditionUpdate?: JobConditionUpdate): ReadonlyArray<Emitted> => {
  const status = jobStatus(seen, conditionUpdate)
  return isSameValue(seen.job.status, status) ? [] : [{ type: "reportJob", status }]
}

/** `counts`: whether the deleted Pods count as failed. */
const deleteAll = (pods: ReadonlyArray<Pod>, counts: boolean): ReadonlyArray<Emitted> =>
  pods.length === 0 ? [] : [{ type: "deleteJobPods", children: pods.map(referenceTo), counts }]

const suspension = {
  type: "Suspended",
  status: "True",
  reason: "JobSuspended",
  message: "Job suspended"
} as const
const resumption = {
  type: "Suspended",
  status: "False",
  reason: "JobResumed",
  message: "Job resumed"
} as const

const announce = (seen: JobObservation): ReadonlyArray<Emitted> => {
  const outcome = jobOutcome(seen)
  if (outcome === undefined) return []
  const { target, reason, message } = outcome
  return reportOf(seen, { type: target, status: "True", reason, message })
}

const finish = (seen: JobObservation, type: "Complete" | "Failed"): ReadonlyArray<Emitted> => {
  const { reason = "", message = "" } = jobOutcome(seen) ?? {}
  const report = reportOf(seen, { type, status: "True", reason, message })
  if (type === "Failed") return [...report, recordEvent("Warning", reason, message)]
  const { completions } = seen.job.spec
  const tooMany: ReadonlyArray<RecordEvent> =
    completions !== undefined && (seen.job.status.succeeded ?? 0) > completions
      ? [
          recordEvent(
            "Warning",
            "TooManySucceededPods",
            "Too many succeeded pods running after completion count reached"
          )
        ]
      : []
  return [...report, ...tooMany, recordEvent("Normal", "Completed", "Job completed")]
}

type Failures = Pick<JobContext, "failures" | "lastFailureMillis">

/** A success ends the back-off; each failure after it makes it longer. */
const failuresAfter = (context: JobContext): Failures => {
  const { seen, failures, lastFailureMillis } = context
  if (seen === undefined) return { failures, lastFailureMillis }
  const { newSucceeded, newFailed } = podCounting(seen)
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...newSucceeded.map(readEndMillis))
  const failedSince = newFailed.map(readEndMillis).filter((millis) => millis > lastSuccess)
  const before = newSucceeded.length > 0 ? 0 : failures
  return {
    failures: before + failedSince.length,
    lastFailureMillis: Math.max(newSucceeded.length > 0 ? 0 : lastFailureMillis, ...failedSince)
  }
}

/** Failures that `podFailurePolicy` ignores count for nothing, but make the next Pod wait. */
const failuresWithIgnored = ({ seen, failures, lastFailureMillis }: JobContext): Failures => {
  const ends = seen === undefined ? [] : podCounting(seen).ignored.map(readEndMillis)
  return {
    failures: failures + ends.length,
    lastFailureMillis: Math.max(lastFailureMillis, ...ends)
  }
}

const jobSetup = setup({
  types: {} as { context: JobContext; events: JobEvent; emitted: Emitted; tags: "moving" },
  guards: jobGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claim: emitCommands(({ claims }) => [
      ...claims.release.map((pod) => ({ type: "releasePod", child: referenceTo(pod) }) as const),
      ...claims.adopt.map((pod) => ({ type: "adoptPod", child: referenceTo(pod) }) as const)
    ]),
    report: emitCommands((seen) => reportOf(seen)),
    noteFailures: assign(({ context }) => failuresAfter(context)),
    noteIgnored: assign(({ context }) => failuresWithIgnored(context)),
    releaseCounted: emitCommands((seen) => [
      { type: "releaseJobPods", children: podCounting(seen).releasable.map(referenceTo) }
    ]),
    announce: emitCommands(announce),
    deleteActive: emitCommands((seen) => deleteAll(activePods(seen), true)),
    fail: emitCommands((seen) => finish(seen, "Failed")),
    complete: emitCommands((seen) => finish(seen, "Complete")),
    suspend: emitCommands((seen) => [
      ...deleteAll(activePods(seen), false),
      ...reportOf(seen, suspension),
      recordEvent("Normal", "Suspended", "Job suspended")
    ]),
    resume: emitCommands((seen) => [
      ...reportOf(seen, resumption),
      recordEvent("Normal", "Resumed", "Job resumed")
    ]),
    deleteSurplus: emitCommands((seen) => deleteAll(surplusJobPods(seen), false)),
    createMissing: emitCommands((_seen, context) => [
      { type: "createJobPods", pods: missingPodsIn(context).now }
    ]),
    expire: emitCommands(() => [{ type: "deleteJob" }]),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilDue: ({ context }) => Math.max(0, (nextJobDueMillis(context) ?? 0) - (context.seen?.nowMillis ?? 0)),
    untilExpiry: ({ context: { seen } }) =>
      seen === undefined ? 0 : Math.max(0, (expiryMillis(seen) ?? 0) - seen.nowMillis)
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
  context: { seen: undefined, failures: 0, lastFailureMillis: 0 },
  initial: "unseen",
  on: {
    observed: { target: ".looking", actions: "remember" },
    refused: ".refused"
  },
  states: {
    unseen: { description: "No observation has arrived yet." },
    looking: {
      description: "Is it over, what is it to become, and are all Pods counted?",
      always: [
        { guard: "isFinished", target: "finished" },
        { guard: "isManagedElsewhere", target: "managedElsewhere" },
        { guard: "hasClaims", target: "claiming" },
        { guard: "isNewFailure", target: "failing.announcing" },
        { guard: "isNewSuccess", target: "succeeding.announcing" },
        { guard: "hasUncounted", target: "counting.noting" },
        { guard: "hasReleasable", target: "counting.releasing" },
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
      entry: "claim"
    },
    counting: {
      description: "Counts every Pod that has ended exactly once, whatever crashes in between.",
      initial: "noting",
      states: {
        noting: {
          description: "Notes the uids of ended Pods, and adds those to the counts that are released.",
          entry: ["noteFailures", "report"]
        },
        releasing: {
          description:
            "Removes the finalizer of Pods that are noted, or need not be, so that they may be deleted.",
          entry: ["noteIgnored", "releaseCounted"]
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
            { guard: "hasTooMany", target: "scalingDown" },
            { guard: "hasTooFew", target: "creating" },
            { guard: "isDueLater", target: "awaitingTime" },
            { target: "awaitingPods" }
          ]
        },
        scalingDown: {
          description: "Deletes surplus Pods, which do not count as failed.",
          entry: ["report", "deleteSurplus"]
        },
        creating: {
          description: "Creates Pods, of an Indexed Job for the lowest indexes first.",
          entry: ["report", "createMissing"]
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
          always: [{ guard: "isSettledSuspended", target: "resting" }, { target: "suspending" }]
        },
        suspending: {
          description: "Deletes all active Pods, which do not count as failed.",
          entry: "suspend"
        },
        resting: { description: "Waits until it is resumed.", entry: "report" }
      }
    },
    resuming: { description: "The time begins anew: startTime is set again.", entry: "resume" },
    failing: {
      description: "It is to fail, once its last Pod has ended.",
      initial: "checking",
      states: {
        announcing: {
          description: "Reports the condition FailureTarget, before the Pods that say why may go.",
          entry: "announce"
        },
        checking: {
          description: "Has every Pod ended?",
          always: [{ guard: "hasLastingPods", target: "stopping" }, { target: "failed" }]
        },
        stopping: {
          description: "Deletes all active Pods, which count as failed, and waits for their end.",
          entry: ["report", "deleteActive"]
        },
        failed: { description: "Reports the condition Failed.", entry: "fail" }
      }
    },
    succeeding: {
      description: "It has succeeded, and is complete once its last Pod has ended.",
      initial: "checking",
      states: {
        announcing: { description: "Reports the condition SuccessCriteriaMet.", entry: "announce" },
        checking: {
          description: "Has every Pod ended?",
          always: [{ guard: "hasLastingPods", target: "stopping" }, { target: "complete" }]
        },
        stopping: {
          description: "Deletes Pods that are not needed any more, and waits for their end.",
          entry: ["report", "deleteActive"]
        },
        complete: { description: "Reports the condition Complete.", entry: "complete" }
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
            { guard: "expires", target: "awaitingExpiry" },
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
