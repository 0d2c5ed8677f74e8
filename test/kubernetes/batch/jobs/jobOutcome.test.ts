import { describe, expect, it } from "vitest"
import { deadlineMillis, expiryMillis, jobOutcome } from "../../../../src/kubernetes/batch/jobs/jobOutcome.ts"
import { aJobObservation, aTemplate, aTime, startMillis } from "../../../builders.ts"
import { failed, succeeded } from "./endedPods.ts"
import type { JobOptions, JobPodOptions } from "../../../builders.ts"
import type { Job, SuccessRule } from "../../../../src/kubernetes/batch/jobs/jobTypes.ts"

interface Row {
  readonly why: string
  readonly spec?: Partial<Job["spec"]>
  readonly status?: Job["status"]
  readonly pods?: ReadonlyArray<JobPodOptions>
  /** Seconds after the start. */
  readonly now?: number
  /** Target, reason and message; "" while the Job goes on. */
  readonly outcome: string
}

const outcomeOf = ({ spec, status, pods, now }: Omit<Row, "why" | "outcome">): string => {
  const job: JobOptions = {
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status })
  }
  const outcome = jobOutcome(aJobObservation(job, pods, now))
  return outcome === undefined ? "" : `${outcome.target} ${outcome.reason}: ${outcome.message}`
}

const running: JobPodOptions = {}

const tooManyFailures = "FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit"
const tooLate = "FailureTarget DeadlineExceeded: Job was active longer than specified deadline"
const reached = "SuccessCriteriaMet CompletionsReached: Reached expected number of succeeded pods"

describe("the end of a Job (TestControllerSyncJob)", () => {
  it.each<Row>([
    { why: "goes on while Pods run", spec: { completions: 1 }, pods: [running], outcome: "" },
    { why: "has all completions", spec: { completions: 2 }, pods: [succeeded, succeeded], outcome: reached },
    {
      why: "has all completions, of which some are in the status",
      spec: { completions: 4 },
      pods: [succeeded],
      status: { succeeded: 2, uncountedTerminatedPods: { succeeded: ["uid-gone"] } },
      outcome: reached
    },
    { why: "lacks a completion", spec: { completions: 3 }, pods: [succeeded, succeeded], outcome: "" },
    {
      why: "has all completions, and waits for a Pod that still runs",
      spec: { completions: 1 },
      pods: [succeeded, running],
      outcome: ""
    },
    { why: "needs no Pod with completions of 0", spec: { completions: 0 }, outcome: reached },
    { why: "as a work queue needs one success", pods: [succeeded], outcome: reached },
    { why: "as a work queue waits for the Pods that still run", pods: [succeeded, running], outcome: "" },
    { why: "as a work queue is not over before a success", pods: [failed], outcome: "" },
    {
      why: "fails when more Pods have failed than backoffLimit",
      spec: { completions: 1, backoffLimit: 1 },
      pods: [failed, failed],
      outcome: tooManyFailures
    },
    {
      why: "may have as many failed Pods as backoffLimit",
      spec: { completions: 1, backoffLimit: 1 },
      pods: [failed],
      outcome: ""
    },
    {
      why: "fails at once where no Pod may fail",
      spec: { completions: 1, backoffLimit: 0 },
      pods: [failed],
      outcome: tooManyFailures
    },
    {
      why: "counts failures of the status, and those that are noted",
      spec: { completions: 1, backoffLimit: 3 },
      status: { failed: 2, uncountedTerminatedPods: { failed: ["uid-gone"] } },
      pods: [failed],
      outcome: tooManyFailures
    },
    { why: "has a backoffLimit of 6 by default", status: { failed: 6 }, outcome: "" },
    { why: "fails at the seventh failure by default", status: { failed: 7 }, outcome: tooManyFailures },
    {
      why: "fails rather than succeeds",
      spec: { completions: 1, backoffLimit: 0 },
      pods: [failed, succeeded],
      outcome: tooManyFailures
    },
    {
      why: "becomes what was announced, with its reason",
      spec: { completions: 1 },
      status: {
        conditions: [{ type: "FailureTarget", status: "True", reason: "PodFailurePolicy", message: "exit 3" }]
      },
      pods: [succeeded],
      outcome: "FailureTarget PodFailurePolicy: exit 3"
    },
    {
      why: "becomes what was announced by a controller that gave no reason",
      status: { conditions: [{ type: "SuccessCriteriaMet", status: "True" }] },
      outcome: "SuccessCriteriaMet : "
    },
    {
      why: "is not announced by a condition that is False",
      spec: { completions: 1 },
      status: { conditions: [{ type: "FailureTarget", status: "False", reason: "No", message: "no" }] },
      outcome: ""
    },
    {
      why: "fails by a rule of podFailurePolicy, before backoffLimit counts",
      spec: {
        completions: 1,
        backoffLimit: 0,
        podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] }
      },
      pods: [running, { ...failed, name: "pi-x" }],
      outcome:
        "FailureTarget PodFailurePolicy: Container app for pod shop/pi-x failed with exit code 1 matching FailJob " +
        "rule at index 0"
    },
    {
      why: "does not fail by failures that podFailurePolicy ignores",
      spec: {
        completions: 1,
        backoffLimit: 0,
        podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }] }
      },
      pods: [failed],
      outcome: ""
    }
  ])("$why", ({ outcome, ...row }) => {
    expect(outcomeOf(row)).toBe(outcome)
  })
})

describe("restarts of containers with restartPolicy OnFailure (TestJobBackoffForOnFailure)", () => {
  const onFailure = aTemplate("v1", { spec: { restartPolicy: "OnFailure" } })
  interface RestartRow {
    readonly why: string
    readonly limit?: number
    readonly pods: ReadonlyArray<JobPodOptions>
    readonly fails: boolean
  }
  it.each<RestartRow>([
    { why: "a limit of 0 allows the first start", limit: 0, pods: [{ restarts: [0] }], fails: false },
    { why: "a limit of 0 allows no restart", limit: 0, pods: [{ restarts: [1] }], fails: true },
    { why: "a limit of 1 is reached by a restart", limit: 1, pods: [{ restarts: [1] }], fails: true },
    { why: "a limit of 2 allows one", limit: 2, pods: [{ restarts: [1] }], fails: false },
    {
      why: "restarts of all Pods count",
      limit: 2,
      pods: [{ restarts: [1] }, { restarts: [1] }],
      fails: true
    },
    { why: "restarts of all containers count", limit: 2, pods: [{ restarts: [1, 1] }], fails: true },
    { why: "a pending Pod counts", limit: 2, pods: [{ phase: "Pending", restarts: [2] }], fails: true },
    {
      why: "a Pod that is being deleted counts",
      limit: 2,
      pods: [{ restarts: [2], terminating: true }],
      fails: true
    },
    {
      why: "a Pod that has ended does not",
      limit: 2,
      pods: [{ phase: "Succeeded", restarts: [2] }],
      fails: false
    },
    { why: "the limit is 6 by default", pods: [{ restarts: [6] }], fails: true },
    { why: "and five are fewer", pods: [{ restarts: [5] }], fails: false }
  ])("$why", ({ limit, pods, fails }) => {
    const spec = {
      completions: 2,
      template: onFailure,
      ...(limit === undefined ? {} : { backoffLimit: limit })
    }
    expect(outcomeOf({ spec, pods })).toBe(fails ? tooManyFailures : "")
  })

  it("do not count with restartPolicy Never, where no container restarts", () => {
    const spec = { backoffLimit: 1, template: aTemplate("v1", { spec: { restartPolicy: "Never" } }) }
    expect(outcomeOf({ spec, pods: [{ restarts: [3] }] })).toBe("")
  })
})

describe("activeDeadlineSeconds (TestPastDeadlineJobFinished)", () => {
  const spec = { completions: 1, activeDeadlineSeconds: 10 }
  const status = { startTime: aTime(5) }
  it.each<Row>([
    { why: "are not over a second before", spec, status, now: 14, outcome: "" },
    { why: "are over when they have passed since startTime", spec, status, now: 15, outcome: tooLate },
    { why: "do not run before the Job has started", spec, now: 99, outcome: "" },
    {
      why: "do not run while it is suspended",
      spec: { ...spec, suspend: true },
      status,
      now: 99,
      outcome: ""
    },
    { why: "are not set", spec: { completions: 1 }, status, now: 99, outcome: "" },
    {
      why: "are less urgent than too many failures",
      spec: { ...spec, backoffLimit: 0 },
      status: { ...status, failed: 1 },
      now: 99,
      outcome: tooManyFailures
    }
  ])("$why", ({ outcome, ...row }) => {
    expect(outcomeOf(row)).toBe(outcome)
  })

  it("tell when to look again, once the Job has started", () => {
    expect(deadlineMillis(aJobObservation({ spec, status }))).toBe(startMillis + 15_000)
    expect(deadlineMillis(aJobObservation({ spec }))).toBeUndefined()
    expect(deadlineMillis(aJobObservation({ status }))).toBeUndefined()
  })
})

describe("indexes that have failed for good", () => {
  const indexed = {
    completionMode: "Indexed",
    completions: 3,
    backoffLimitPerIndex: 0,
    backoffLimit: 99
  } as const
  const allEnded = "FailureTarget FailedIndexes: Job has failed indexes"
  const tooMany =
    "FailureTarget MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes"
  it.each<Row>([
    {
      why: "fail the Job once every index has ended",
      spec: indexed,
      status: { completedIndexes: "0,2" },
      pods: [{ ...failed, index: 1 }],
      outcome: allEnded
    },
    {
      why: "do not fail it while an index is left",
      spec: indexed,
      status: { completedIndexes: "0" },
      pods: [{ ...failed, index: 1 }],
      outcome: ""
    },
    {
      why: "fail it at once where there are more than maxFailedIndexes",
      spec: { ...indexed, maxFailedIndexes: 1 },
      status: { failedIndexes: "2" },
      pods: [{ ...failed, index: 1 }],
      outcome: tooMany
    },
    {
      why: "may be as many as maxFailedIndexes",
      spec: { ...indexed, maxFailedIndexes: 1 },
      pods: [{ ...failed, index: 1 }],
      outcome: ""
    },
    {
      why: "are none where all have succeeded",
      spec: indexed,
      status: { completedIndexes: "0-2" },
      outcome: reached
    }
  ])("$why", ({ outcome, ...row }) => {
    expect(outcomeOf(row)).toBe(outcome)
  })
})

describe("the success policy (TestMatchSuccessPolicy)", () => {
  interface PolicyRow {
    readonly why: string
    readonly succeeded: string
    readonly rules: ReadonlyArray<SuccessRule>
    /** The index of the rule that is met. */
    readonly rule?: number
  }
  it.each<PolicyRow>([
    { why: "has no rule", succeeded: "0", rules: [] },
    {
      why: "names indexes that have all succeeded",
      succeeded: "0-2,4-7",
      rules: [{ succeededIndexes: "0-2" }],
      rule: 0
    },
    { why: "names one index", succeeded: "0-2", rules: [{ succeededIndexes: "2" }], rule: 0 },
    { why: "names an index that has not", succeeded: "0-2", rules: [{ succeededIndexes: "2-3" }] },
    { why: "asks for a number of any indexes", succeeded: "0,5", rules: [{ succeededCount: 2 }], rule: 0 },
    { why: "asks for more than have succeeded", succeeded: "0-2", rules: [{ succeededCount: 4 }] },
    {
      why: "has several rules, of which the second is met",
      succeeded: "0-2,4-7",
      rules: [{ succeededIndexes: "9" }, { succeededIndexes: "4,6" }],
      rule: 1
    },
    {
      why: "has several rules, of which the first counts",
      succeeded: "0-2,4-7",
      rules: [{ succeededIndexes: "0,1" }, { succeededIndexes: "5" }],
      rule: 0
    },
    {
      why: "asks for a number of the indexes that it names",
      succeeded: "0-2,4-7",
      rules: [{ succeededIndexes: "3-6", succeededCount: 2 }],
      rule: 0
    },
    {
      why: "does not count indexes that it does not name",
      succeeded: "0-2,6-7",
      rules: [{ succeededIndexes: "3-6", succeededCount: 2 }]
    },
    { why: "names no index: the rule is never met", succeeded: "1-3", rules: [{ succeededIndexes: "" }] },
    { why: "names no index, and none has succeeded", succeeded: "", rules: [{ succeededIndexes: "" }] },
    {
      why: "asks for none: one index has to succeed all the same",
      succeeded: "",
      rules: [{ succeededCount: 0 }]
    },
    { why: "asks for none, and one has succeeded", succeeded: "7", rules: [{ succeededCount: 0 }], rule: 0 }
  ])("$why", ({ succeeded: completedIndexes, rules, rule }) => {
    const spec = { completionMode: "Indexed", completions: 10, successPolicy: { rules } } as const
    expect(outcomeOf({ spec, status: { completedIndexes } })).toBe(
      rule === undefined ? "" : `SuccessCriteriaMet SuccessPolicy: Matched rules at index ${rule}`
    )
  })
})

describe("the time to live of a finished Job (TestTimeLeft)", () => {
  const finished = (type: "Complete" | "Failed") => ({
    conditions: [{ type, status: "True", lastTransitionTime: aTime(20) }]
  })
  interface ExpiryRow {
    readonly why: string
    readonly ttl?: number
    readonly status: Job["status"]
    readonly deletesExpired?: boolean
    /** Seconds after the start. */
    readonly expires?: number
  }
  it.each<ExpiryRow>([
    { why: "begins when it is complete", ttl: 10, status: finished("Complete"), expires: 30 },
    { why: "begins when it has failed", ttl: 10, status: finished("Failed"), expires: 30 },
    { why: "may be 0", ttl: 0, status: finished("Failed"), expires: 20 },
    { why: "has not begun while it runs", ttl: 10, status: {} },
    { why: "does not end without ttlSecondsAfterFinished", status: finished("Failed") },
    {
      why: "ends only where its controller runs",
      ttl: 10,
      status: finished("Failed"),
      deletesExpired: false
    },
    {
      why: "has no beginning where the condition has no time",
      ttl: 10,
      status: { conditions: [{ type: "Failed", status: "True" }] }
    }
  ])("$why", ({ ttl, status, deletesExpired = true, expires }) => {
    const spec = ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl }
    const millis = expiryMillis({ ...aJobObservation({ spec, status }), deletesExpired })
    expect(millis).toBe(expires === undefined ? undefined : startMillis + expires * 1000)
  })
})
