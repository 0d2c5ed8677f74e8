import { annotationOf, maxRevision, revisionAnnotation, revisionOf } from "../apps/revisions/revisions.ts"
import { templateHashLabel } from "../apps/revisions/podTemplates.ts"
import { completedAnnotation } from "./steeringNames.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { recordOf } from "./steeringRecord.ts"
import type { Deployment, Pod, ReplicaSet } from "../meta/objects.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

/** The strategy of a Deployment's annotation: the name of a steering chart, and its decoded settings. */
export interface SteeringSettings {
  readonly name: string
  readonly settings: unknown
}

/** Everything on which a steering chart decides. */
export interface SteeringObservation {
  readonly deployment: Deployment
  /** Undefined while the Deployment has no strategy, or one with `problems`. */
  readonly strategy: SteeringSettings | undefined
  /** Why the strategy is invalid. The Deployment is then left alone. */
  readonly problems: ReadonlyArray<string>
  /** The ReplicaSets of the Deployment, oldest first. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** The ReplicaSet with the present template. */
  readonly newReplicaSet: ReplicaSet | undefined
  /** The Pods of `newReplicaSet` that are neither finished nor terminating. */
  readonly newPods: ReadonlyArray<Pod>
  /** The Pods with the readiness gate of all revisions that were complete, also of `newReplicaSet` if it was. */
  readonly completePods: ReadonlyArray<Pod>
  /** The Services and the Jobs that the strategy names, as far as they exist. */
  readonly services: ReadonlyArray<Service>
  readonly jobs: ReadonlyArray<Job>
  /** The Jobs that hooks of the new revision have started. `newReplicaSet` controls them. */
  readonly hookJobs: ReadonlyArray<Job>
  /** The names of the field managers that apply the Pod template from Git. */
  readonly gitManagers: ReadonlyArray<string>
  readonly nowMillis: number
}

export type SteeringPredicate = (observation: SteeringObservation) => boolean

export const templateHashOf = (replicaSet: ReplicaSet): string =>
  replicaSet.metadata.labels?.[templateHashLabel] ?? ""

/**
 * The number of the present revision; undefined until the Deployment's controller has given it to the new ReplicaSet.
 */
const settledRevision = ({
  deployment,
  replicaSets,
  newReplicaSet
}: SteeringObservation): string | undefined => {
  const { metadata, status } = deployment
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0) || newReplicaSet === undefined)
    return undefined
  const number = annotationOf(newReplicaSet, revisionAnnotation)
  const isNewest = revisionOf(newReplicaSet) === maxRevision(replicaSets)
  return isNewest && number === annotationOf(deployment, revisionAnnotation) ? number : undefined
}

/** Whether the Deployment's controller has not yet made a numbered ReplicaSet for the present template. */
export const isControllerBehind: SteeringPredicate = (seen) => settledRevision(seen) === undefined

/** The record of the present rollout; undefined before it has one. */
export const currentRecord = memoizePerObservation(
  ({
    deployment,
    newReplicaSet
  }: Pick<SteeringObservation, "deployment" | "newReplicaSet">): SteeringRecord | undefined => {
    const record = recordOf(deployment)
    return record !== undefined &&
      newReplicaSet !== undefined &&
      record.hash === templateHashOf(newReplicaSet) &&
      record.revision === annotationOf(newReplicaSet, revisionAnnotation)
      ? record
      : undefined
  }
)

/**
 * The mark of a complete revision: its hash, number and time. Undefined without one, and for a mark with another hash,
 * which a rollback copied.
 */
const completionOf = (replicaSet: ReplicaSet): string | undefined => {
  const mark = annotationOf(replicaSet, completedAnnotation)
  if (mark === undefined) return undefined
  const hash = templateHashOf(replicaSet)
  const isOwn = mark.startsWith(hash) && (mark.length === hash.length || mark[hash.length] === " ")
  return isOwn ? mark : undefined
}

/** The value of the annotation that marks a ReplicaSet as complete. */
export const completionMark = (replicaSet: ReplicaSet, nowMillis: number): string =>
  [
    templateHashOf(replicaSet),
    annotationOf(replicaSet, revisionAnnotation) ?? "",
    new Date(nowMillis).toISOString()
  ].join(" ")

/** Whether a ReplicaSet is marked as complete, now or in an earlier rollout of its template. */
export const hasBeenComplete = (replicaSet: ReplicaSet): boolean => completionOf(replicaSet) !== undefined

/** Whether the present rollout is marked as complete. It stays so, whatever happens to its Pods. */
export const isMarkedComplete = memoizePerObservation(
  ({ newReplicaSet }: Pick<SteeringObservation, "newReplicaSet">): boolean => {
    if (newReplicaSet === undefined) return false
    const [, number] = completionOf(newReplicaSet)?.split(" ") ?? []
    return number !== undefined && number === annotationOf(newReplicaSet, revisionAnnotation)
  }
)

/** Whether all Pods are of the new revision and available; false for 0 replicas, which show nothing. */
export const isRolloutComplete = ({
  deployment: { metadata, spec, status }
}: Pick<SteeringObservation, "deployment">): boolean =>
  spec.replicas > 0 &&
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
  status.updatedReplicas === spec.replicas &&
  status.replicas === spec.replicas &&
  status.availableReplicas === spec.replicas

/** The ReplicaSet of the last other revision that was complete: the one to go back to. */
export const stableReplicaSet = ({
  replicaSets,
  newReplicaSet
}: SteeringObservation): ReplicaSet | undefined =>
  newestOf(replicaSets.filter((replicaSet) => replicaSet !== newReplicaSet && hasBeenComplete(replicaSet)))

/** Whether the steering took this revision back, and no other one was complete since. */
export const wasTakenBack = (deployment: Deployment, replicaSet: ReplicaSet): boolean =>
  recordOf(deployment)?.undone?.some(({ from }) => from === templateHashOf(replicaSet)) === true

/** The ReplicaSet with the largest revision number. */
export const newestOf = (replicaSets: ReadonlyArray<ReplicaSet>): ReplicaSet | undefined =>
  replicaSets.reduce<ReplicaSet | undefined>(
    (newest, replicaSet) =>
      newest === undefined || (revisionOf(replicaSet) ?? 0n) > (revisionOf(newest) ?? 0n)
        ? replicaSet
        : newest,
    undefined
  )

export const revisionText = (replicaSet: ReplicaSet): string =>
  `revision ${annotationOf(replicaSet, revisionAnnotation) ?? "?"} (${replicaSet.metadata.name})`

/**
 * Whether a ReplicaSet still has Pods to delete. The Deployment's controller counts them as available until then: a
 * template that is set back now could cost more Pods than its bounds allow.
 */
export const isShrinking: SteeringPredicate = ({ replicaSets }) =>
  replicaSets.some(({ spec, status }) => status.replicas > spec.replicas)
