import { trackingFinalizer } from "../../src/kubernetes/batch/jobs/jobPods.ts"
import { aTemplate } from "./workloads.ts"
import { aPod } from "./pods.ts"
import { metadataOf, startMillis } from "./storedObjects.ts"
import type { Job, JobStatus } from "../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { JobObservation } from "../../src/kubernetes/batch/jobs/jobObservation.ts"
import type { ObjectOptions } from "./storedObjects.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "./pods.ts"

export interface JobOptions extends ObjectOptions {
  readonly spec?: Partial<Job["spec"]>
  readonly status?: JobStatus
}

/** A Job of one Pod at a time, whose Pods need not be numbered. Without `completions` it is a work queue. */
export const aJob = (options: JobOptions = {}): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: metadataOf(options, { name: "pi", labels: { app: "pi" } }),
  spec: { parallelism: 1, template: aTemplate("v1"), ...options.spec },
  status: options.status ?? {}
})

export interface JobPodOptions extends PodOptions {
  /** The text of its annotation. */
  readonly index?: number | string
  /** Failures of its index before it: those that count, and those that are ignored. */
  readonly failuresBefore?: readonly [counted: number, ignored: number]
  /** Whether it has the finalizer by which it is counted; it has by default. */
  readonly hasTrackingFinalizer?: boolean
  readonly status?: Partial<Pod["status"]>
}

/** A Pod of a Job; one that has succeeded, for example, has `phase: "Succeeded"`. */
export const aJobPod = ({
  index,
  failuresBefore,
  hasTrackingFinalizer = true,
  status,
  ...options
}: JobPodOptions): Pod => {
  const [counted, ignored] = failuresBefore ?? []
  const pod = aPod({
    ...options,
    annotations: {
      ...options.annotations,
      ...(index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": String(index) }),
      ...(counted === undefined ? {} : { "batch.kubernetes.io/job-index-failure-count": String(counted) }),
      ...(ignored === undefined
        ? {}
        : { "batch.kubernetes.io/job-index-ignored-failure-count": String(ignored) })
    },
    ...(hasTrackingFinalizer ? { finalizers: [trackingFinalizer] } : {})
  })
  return { ...pod, status: { ...pod.status, ...status } }
}

/** A look at a Job, so many seconds after the start. */
export const aJobObservation = (
  job: JobOptions,
  pods: ReadonlyArray<JobPodOptions> = [],
  now = 0
): JobObservation => ({
  job: aJob(job),
  pods: pods.map((it, index) => aJobPod({ name: `pod-${index}`, ...it })),
  claims: { adopt: [], release: [] },
  deletesExpired: true,
  nowMillis: startMillis + now * 1000
})
