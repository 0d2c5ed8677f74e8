import { aTemplate, millisAt, textAt } from "./workloadObservations.ts"
import { trackingFinalizer } from "../../src/kubernetes/batch/jobs/jobPods.ts"
import type { Job, JobStatus } from "../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { JobObservation } from "../../src/kubernetes/batch/jobs/jobObservation.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"

export type JobPodLook = "pending" | "ready" | "succeeded" | "failed" | "terminating" | "counted"

export interface JobSituation {
  readonly spec?: Partial<Job["spec"]>
  readonly status?: JobStatus
  /** How each Pod looks; `counted`: it has failed, and its finalizer is gone. */
  readonly pods?: ReadonlyArray<JobPodLook>
  readonly deleting?: boolean
  readonly adopts?: boolean
}

const phases: Readonly<Record<JobPodLook, string>> = {
  pending: "Pending",
  ready: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  terminating: "Running",
  counted: "Failed"
}

const podOf = (index: number, look: JobPodLook): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `pi-${index}`,
    namespace: "shop",
    uid: `pod-${index}`,
    resourceVersion: "1",
    creationTimestamp: textAt(0),
    annotations: { "batch.kubernetes.io/job-completion-index": String(index) },
    ...(look === "counted" || look === "terminating" ? {} : { finalizers: [trackingFinalizer] }),
    ...(look === "terminating" ? { deletionTimestamp: textAt(9) } : {})
  },
  spec: { containers: [], ...(look === "pending" ? {} : { nodeName: "node-1" }) },
  status: {
    phase: phases[look],
    conditions: [
      { type: "Ready", status: look === "ready" ? "True" : "False", lastTransitionTime: textAt(9) }
    ]
  }
})

export const observedJob = ({
  spec = {},
  status = {},
  pods = [],
  deleting,
  adopts
}: JobSituation): JobObservation => ({
  job: {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "pi",
      namespace: "shop",
      uid: "pi",
      resourceVersion: "1",
      creationTimestamp: textAt(0),
      ...(deleting === true ? { deletionTimestamp: textAt(9) } : {})
    },
    spec: { parallelism: 2, completions: 3, backoffLimit: 1, template: aTemplate("v1"), ...spec },
    status: { startTime: textAt(0), ...status }
  },
  pods: pods.map((look, index) => podOf(index, look)),
  claims: { adopt: adopts === true ? [podOf(9, "ready")] : [], release: [] },
  deletesExpired: true,
  nowMillis: millisAt(10)
})

const condition = (type: string) => ({
  type,
  status: "True",
  reason: "Because",
  message: "it is so",
  lastTransitionTime: textAt(8)
})

export const jobObservations: ReadonlyMap<string, JobObservation> = new Map(
  Object.entries({
    "no Pod yet": {},
    "an Indexed Job without Pods": { spec: { completionMode: "Indexed" } },
    "two run": { pods: ["ready", "pending"] },
    "two run before a deadline": { spec: { activeDeadlineSeconds: 60 }, pods: ["ready", "ready"] },
    "one has succeeded": { pods: ["succeeded", "ready"] },
    "one is noted": {
      pods: ["succeeded", "ready"],
      status: { uncountedTerminatedPods: { succeeded: ["pod-0"] } }
    },
    "one is released": {
      pods: ["counted", "ready"],
      status: { uncountedTerminatedPods: { failed: ["pod-0"] } }
    },
    "one has failed": { pods: ["failed", "ready"] },
    "one has failed, and is counted": { pods: ["counted", "ready"], status: { failed: 1 } },
    "too many have failed": { pods: ["ready", "ready"], status: { failed: 2 } },
    "failing, Pods run": { pods: ["ready"], status: { failed: 2, conditions: [condition("FailureTarget")] } },
    "failing, one stops": {
      pods: ["terminating"],
      status: { failed: 2, conditions: [condition("FailureTarget")] }
    },
    "failing, none is left": { status: { failed: 2, conditions: [condition("FailureTarget")] } },
    "over its deadline": { spec: { activeDeadlineSeconds: 5 }, pods: ["ready"] },
    "all have succeeded": { status: { succeeded: 3 } },
    "succeeding, one runs": {
      pods: ["ready"],
      status: { succeeded: 3, conditions: [condition("SuccessCriteriaMet")] }
    },
    "succeeding, one stops": {
      pods: ["terminating"],
      status: { succeeded: 3, conditions: [condition("SuccessCriteriaMet")] }
    },
    "succeeding, none is left": { status: { succeeded: 3, conditions: [condition("SuccessCriteriaMet")] } },
    complete: { status: { succeeded: 3, conditions: [condition("Complete")] } },
    "complete, to expire later": {
      spec: { ttlSecondsAfterFinished: 60 },
      status: { conditions: [condition("Complete")] }
    },
    "failed, and expired": {
      spec: { ttlSecondsAfterFinished: 1 },
      status: { conditions: [condition("Failed")] }
    },
    "too many Pods": { spec: { parallelism: 1 }, pods: ["ready", "pending"] },
    "to be suspended": { spec: { suspend: true }, pods: ["ready"] },
    suspended: { spec: { suspend: true }, status: { conditions: [condition("Suspended")] } },
    resumed: { status: { conditions: [condition("Suspended")] } },
    "of another controller": { spec: { managedBy: "example.com/queue" } },
    "an orphan matches": { adopts: true },
    "being deleted": { deleting: true, pods: ["ready"] },
    "being deleted, one stops": { deleting: true, pods: ["terminating"] }
  } satisfies Readonly<Record<string, JobSituation>>).map(([name, situation]) => [
    name,
    observedJob(situation)
  ])
)
