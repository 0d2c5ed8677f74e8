import { compareByRestarts } from "../../pods/deletionOrder.ts"
import { controllerReference } from "../../meta/ownerReferences.ts"
import { isPodReady, readySinceMillis } from "../../pods/podState.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, KubeObject, Pod, PodSpec } from "../../meta/objects.ts"
import type { Job } from "./jobTypes.ts"

/**
 * A finalizer keeps each Pod until the Job has counted the Pod. Source:
 * pkg/controller/job/job_controller.go (manageJob), indexed_job_utils.go.
 */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking"
const completionIndexKey = "batch.kubernetes.io/job-completion-index"
const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count"
const ignoredCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count"

export const hasTrackingFinalizer = ({ metadata }: KubeObject): boolean =>
  (metadata.finalizers ?? []).includes(trackingFinalizer)

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed"

export const hasBackoffLimitPerIndex = ({ spec }: Job): boolean => spec.backoffLimitPerIndex !== undefined

/** Undefined for a Pod without an index below `completions`. */
export const completionIndexOf = ({ spec }: Job, pod: KubeObject): number | undefined => {
  const text = pod.metadata.annotations?.[completionIndexKey] ?? ""
  const index = Number(text)
  return /^\d+$/.test(text) && index < (spec.completions ?? 0) ? index : undefined
}

/** Failures of an index before this Pod. */
export interface IndexFailures {
  readonly counted: number
  readonly ignored: number
}

export const indexFailuresBefore = ({ metadata }: KubeObject): IndexFailures => ({
  counted: Number(metadata.annotations?.[failureCountAnnotation] ?? 0),
  ignored: Number(metadata.annotations?.[ignoredCountAnnotation] ?? 0)
})

export type JobPodDraft = Draft & { readonly spec: PodSpec }

/** `index`: for an Indexed Job. `failures`: of the index so far, with `backoffLimitPerIndex`. */
export const draftJobPod = (
  job: Job,
  {
    index,
    failures
  }: { readonly index?: number | undefined; readonly failures?: IndexFailures | undefined } = {}
): JobPodDraft => {
  const { name, namespace } = job.metadata
  const { metadata = {}, spec = { containers: [] } } = job.spec.template
  const { labels, annotations, finalizers = [] } = metadata
  const indexLabels = index === undefined ? {} : { [completionIndexKey]: String(index) }
  const jobAnnotations = {
    ...indexLabels,
    ...(failures === undefined ? {} : failureAnnotations(failures))
  }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: index === undefined ? `${name}-` : prefixWithIndex(name, index),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, ...indexLabels },
      annotations: { ...annotations, ...jobAnnotations },
      finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
      ownerReferences: [controllerReference(job)]
    },
    spec: index === undefined ? spec : withIndex(spec, `${name}-${index}`)
  }
}

/** The API server cuts longer values of `generateName`. */
const generatedPrefixMax = 58

/** A long name is cut so that the index stays. */
const prefixWithIndex = (name: string, index: number): string => {
  const suffix = `-${index}-`
  return `${name.slice(0, generatedPrefixMax - suffix.length)}${suffix}`
}

const failureAnnotations = ({ counted, ignored }: IndexFailures) => ({
  [failureCountAnnotation]: String(counted),
  ...(ignored === 0 ? {} : { [ignoredCountAnnotation]: String(ignored) })
})

const indexVariable = "JOB_COMPLETION_INDEX"

const withIndex = (spec: PodSpec, hostname: string): PodSpec => {
  const withVariable = (container: Core.Container): Core.Container =>
    (container.env ?? []).some(({ name }) => name === indexVariable)
      ? container
      : {
          ...container,
          env: [
            ...(container.env ?? []),
            {
              name: indexVariable,
              valueFrom: { fieldRef: { fieldPath: `metadata.labels['${completionIndexKey}']` } }
            }
          ]
        }
  return {
    ...spec,
    containers: spec.containers.map(withVariable),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withVariable) }),
    hostname
  }
}

/** Source: pkg/controller/controller_utils.go (ActivePods). */
export const compareForDeletion = (a: Pod, b: Pod): number =>
  deletionRank(a) - deletionRank(b) ||
  (readySinceMillis(b) ?? Infinity) - (readySinceMillis(a) ?? Infinity) ||
  compareByRestarts(a, b) ||
  timestampMillis(b.metadata.creationTimestamp) - timestampMillis(a.metadata.creationTimestamp)

const deletionRank = (pod: Pod): number => {
  if (pod.spec.nodeName === undefined) return 0
  if (pod.status.phase === "Pending") return 1
  return isPodReady(pod) ? 3 : 2
}
