import { describe, expect, it } from "vitest"
import { countsText, playManualStory, podText } from "./manualPods.ts"
import type { Job } from "../../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"
import type { Step, StoryKind } from "./manualPods.ts"

const indexAnnotation = "batch.kubernetes.io/job-completion-index"
const countAnnotation = "batch.kubernetes.io/job-index-failure-count"
const ignoredAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count"

/**
 * Pods are called by index: `0:ready`, with the failures of the index before, `0/1:ready`, and those ignored, `0/1/2`.
 */
const jobs: StoryKind = {
  resource: "jobs.batch",
  nameOf: ({ metadata }) => metadata.annotations?.[indexAnnotation] ?? "-",
  describe: (object, pods) => {
    const { status } = object as Job
    const { active, succeeded, failed, terminating, completedIndexes, failedIndexes } = status
    const conditions = (status.conditions ?? []).map(({ type, status: is, reason }) =>
      is === "True" ? `${type}:${reason ?? ""}` : `not ${type}`
    )
    const podTexts = pods.map((pod) => {
      const {
        [indexAnnotation]: index,
        [countAnnotation]: count,
        [ignoredAnnotation]: ignored
      } = pod.metadata.annotations ?? {}
      const failures = [count === "0" && ignored === undefined ? undefined : count, ignored]
      return `${[index, ...failures].filter((it) => it !== undefined).join("/")}:${podText(pod)}`
    })
    const counts = countsText({ active, succeeded, failed, terminating, completedIndexes, failedIndexes })
    return [counts, conditions.join(" "), podTexts.join(" ")].join(" | ")
  }
}

const aJob = (spec: object): Manifest =>
  ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "sums" },
    spec: {
      completionMode: "Indexed",
      ...spec,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "app", image: "app:1" }] } }
    }
  }) as Manifest

interface Row {
  readonly why: string
  readonly spec: object
  readonly steps: ReadonlyArray<Step>
}

const ignoreDisruptions = {
  action: "Ignore",
  onPodConditions: [{ type: "DisruptionTarget", status: "True" }]
}
const exits = (action: string, ...values: ReadonlyArray<number>) => ({
  action,
  onExitCodes: { operator: "In", values }
})

const rows: ReadonlyArray<Row> = [
  {
    why: "successPolicy: Pods that still run are let go, and count for nothing",
    spec: { completions: 3, parallelism: 3, successPolicy: { rules: [{ succeededIndexes: "0" }] } },
    steps: [
      ["create", "active=3 |  | 0:pending 1:pending 2:pending"],
      ["run all", "active=3 |  | 0:ready 1:ready 2:ready"],
      [
        "succeed 0",
        "succeeded=1 completedIndexes=0 | SuccessCriteriaMet:SuccessPolicy Complete:SuccessPolicy | 0:succeeded"
      ],
      [
        "wait 1s",
        "succeeded=1 completedIndexes=0 | SuccessCriteriaMet:SuccessPolicy Complete:SuccessPolicy | 0:succeeded"
      ]
    ]
  },
  {
    why: "podReplacementPolicy Failed: no Pod comes while another terminates",
    spec: { completions: 2, parallelism: 2, podReplacementPolicy: "Failed" },
    steps: [
      ["create", "active=2 |  | 0:pending 1:pending"],
      ["run all", "active=2 |  | 0:ready 1:ready"],
      ["delete 0", "active=1 terminating=1 |  | 0:-ready 1:ready"],
      ["fail 0 exit=137", "active=1 failed=1 |  | 1:ready"],
      ["wait 10s", "active=2 failed=1 |  | 1:ready 0:pending"]
    ]
  },
  {
    why: "a Job that fails counts its Pods as failed at once, whatever they end with",
    spec: {
      completions: 3,
      parallelism: 3,
      podFailurePolicy: { rules: [exits("FailJob", 42)] }
    },
    steps: [
      ["create", "active=3 |  | 0:pending 1:pending 2:pending"],
      ["run all", "active=3 |  | 0:ready 1:ready 2:ready"],
      ["fail 1 exit=42", "failed=3 | FailureTarget:PodFailurePolicy Failed:PodFailurePolicy | 1:failed"]
    ]
  },
  {
    why: "failures that are ignored do not count, but make the next Pod wait",
    spec: { completions: 1, backoffLimit: 0, podFailurePolicy: { rules: [ignoreDisruptions] } },
    steps: [
      ["create", "active=1 |  | 0:pending"],
      ["run all", "active=1 |  | 0:ready"],
      ["fail 0 condition=DisruptionTarget", " |  | 0:failed"],
      ["wait 9s", "active=1 |  | 0:failed 0:pending"],
      ["run all", "active=1 |  | 0:failed 0:ready"],
      [
        "fail 0",
        "failed=1 | FailureTarget:BackoffLimitExceeded Failed:BackoffLimitExceeded | 0:failed 0:failed"
      ]
    ]
  },
  {
    why: "backoffLimitPerIndex: the lowest index waits, and holds up higher ones that would not have to",
    spec: { completions: 4, parallelism: 1, backoffLimitPerIndex: 1 },
    steps: [
      ["create", "active=1 |  | 0:pending"],
      ["run all", "active=1 |  | 0:ready"],
      ["fail 0", " |  | 0:failed"],
      ["wait 4s", " |  | 0:failed"],
      ["wait 2s", "active=1 failed=1 |  | 0:failed 0/1:pending"],
      ["run all", "active=1 failed=1 |  | 0:failed 0/1:ready"],
      ["fail 0", "active=1 failed=2 failedIndexes=0 |  | 0:failed 0/1:failed 1:pending"]
    ]
  },
  {
    why: "backoffLimitPerIndex with podFailurePolicy: one index is given up, another remembers what was ignored",
    spec: {
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [exits("FailIndex", 42), ignoreDisruptions] }
    },
    steps: [
      ["create", "active=2 |  | 0:pending 1:pending"],
      ["run all", "active=2 |  | 0:ready 1:ready"],
      ["fail 0 exit=42", "active=1 failed=1 failedIndexes=0 |  | 0:failed 1:ready"],
      ["fail 1 condition=DisruptionTarget", "failed=1 failedIndexes=0 |  | 0:failed 1:failed"],
      ["wait 10s", "active=1 failed=1 failedIndexes=0 |  | 0:failed 1:failed 1/0/1:pending"],
      ["run 1", "active=1 failed=1 failedIndexes=0 |  | 0:failed 1:failed 1/0/1:ready"],
      [
        "succeed 1",
        "succeeded=1 failed=1 completedIndexes=1 failedIndexes=0 | FailureTarget:FailedIndexes Failed:FailedIndexes | 0:failed 1:failed 1/0/1:succeeded"
      ]
    ]
  },
  {
    why: "suspended in the middle: Pods go uncounted, what is done stays, and the deadline begins anew",
    spec: {
      completions: 3,
      parallelism: 2,
      activeDeadlineSeconds: 20,
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [ignoreDisruptions] }
    },
    steps: [
      ["create", "active=2 |  | 0:pending 1:pending"],
      ["run all", "active=2 |  | 0:ready 1:ready"],
      ["succeed 0", "active=2 succeeded=1 completedIndexes=0 |  | 0:succeeded 1:ready 2:pending"],
      ['set {"suspend":true}', "succeeded=1 completedIndexes=0 | Suspended:JobSuspended | 0:succeeded"],
      ["wait 60s", "succeeded=1 completedIndexes=0 | Suspended:JobSuspended | 0:succeeded"],
      [
        'set {"suspend":false}',
        "active=2 succeeded=1 completedIndexes=0 | not Suspended | 0:succeeded 1:pending 2:pending"
      ],
      [
        "wait 10s",
        "active=2 succeeded=1 completedIndexes=0 | not Suspended | 0:succeeded 1:pending 2:pending"
      ],
      [
        "wait 10s",
        "succeeded=1 failed=2 completedIndexes=0 | not Suspended FailureTarget:DeadlineExceeded Failed:DeadlineExceeded | 0:succeeded"
      ]
    ]
  },
  {
    why: "too many failed indexes: a Pod that remembers failures is counted and let go",
    spec: { completions: 3, parallelism: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 0 },
    steps: [
      ["create", "active=3 |  | 0:pending 1:pending 2:pending"],
      ["run all", "active=3 |  | 0:ready 1:ready 2:ready"],
      ["fail 2", "active=2 |  | 0:ready 1:ready 2:failed"],
      ["fail 0 exit=1", "active=1 |  | 0:failed 1:ready 2:failed"],
      ["wait 10s", "active=3 failed=2 |  | 0:failed 1:ready 2:failed 2/1:pending 0/1:pending"],
      [
        "fail 0",
        "failed=5 failedIndexes=0 | FailureTarget:MaxFailedIndexesExceeded Failed:MaxFailedIndexesExceeded | 0:failed 2:failed 0/1:failed"
      ]
    ]
  },
  {
    why: "an Indexed Job is made larger and smaller",
    spec: { completions: 2, parallelism: 2 },
    steps: [
      ["create", "active=2 |  | 0:pending 1:pending"],
      ["run all", "active=2 |  | 0:ready 1:ready"],
      ['set {"completions":4,"parallelism":4}', "active=4 |  | 0:ready 1:ready 2:pending 3:pending"],
      ["succeed 3", "active=3 succeeded=1 completedIndexes=3 |  | 0:ready 1:ready 2:pending 3:succeeded"],
      ['set {"completions":2,"parallelism":2}', "active=2 |  | 0:ready 1:ready 3:succeeded"],
      [
        "succeed 0,1",
        "succeeded=2 completedIndexes=0,1 | SuccessCriteriaMet:CompletionsReached Complete:CompletionsReached | 0:succeeded 1:succeeded 3:succeeded"
      ]
    ]
  },
  {
    why: "deleted in the foreground, it lets go of Pods that run",
    spec: { completions: 2, parallelism: 2, podReplacementPolicy: "Failed" },
    steps: [
      ["create", "active=2 |  | 0:pending 1:pending"],
      ["run all", "active=2 |  | 0:ready 1:ready"],
      ["remove Foreground", "gone"]
    ]
  }
]

describe("a Job", () => {
  it.each(rows)("$why", async ({ spec, steps }) => {
    expect(await playManualStory(jobs, aJob(spec), { steps })).toEqual(steps)
  })
})
