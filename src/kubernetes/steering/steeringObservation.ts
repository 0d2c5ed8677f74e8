import {
  annotationOf,
  maxRevision,
  parseRevision,
  revisionAnnotation,
  revisionOf
} from "../apps/revisions/revisions.ts"
import { templateHashLabel } from "../apps/revisions/podTemplates.ts"
import { completedRevisionAnnotation } from "./steeringNames.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { recordOf } from "./steeringRecord.ts"
import type { Deployment, Pod, ReplicaSet } from "../meta/objects.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

export interface SteeringSettings {
  readonly name: string
  readonly settings: unknown
}

export interface SteeringObservation {
  readonly deployment: Deployment
  /** Undefined while the Deployment has no strategy, or one with `problems`. */
  readonly strategy: SteeringSettings | undefined
  readonly problems: ReadonlyArray<string>
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly newReplicaSet: ReplicaSet | undefined
  /** The Pods of `newReplicaSet` that are neither finished nor terminating. */
  readonly newPods: ReadonlyArray<Pod>
  /** Active Pods of all revisions that have been complete, if they have the readiness gate. */
  readonly completePods: ReadonlyArray<Pod>
  /** At most one: the Service that sends requests to the new Pods before they are approved. */
  readonly services: ReadonlyArray<Service>
  /** The Jobs that the strategy's hooks start copies of. */
  readonly jobs: ReadonlyArray<Job>
  /** The copies of `jobs`, of all revisions. Their names have the revision and the step. */
  readonly hookJobs: ReadonlyArray<Job>
  /** GitOps tools that manage the template. */
  readonly gitManagers: ReadonlyArray<string>
  readonly nowMillis: number
}

export type SteeringPredicate = (observation: SteeringObservation) => boolean

export const templateHashOf = (replicaSet: ReplicaSet): string =>
  replicaSet.metadata.labels?.[templateHashLabel] ?? ""

/** Undefined until the Deployment's controller has numbered the template's ReplicaSet. */
const reconciledRevision = ({
  deployment,
  replicaSets,
  newReplicaSet
}: SteeringObservation): string | undefined => {
  const { metadata, status } = deployment
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0) || newReplicaSet === undefined)
    return undefined
  const revision = annotationOf(newReplicaSet, revisionAnnotation)
  const isNewest = revisionOf(newReplicaSet) === maxRevision(replicaSets)
  return isNewest && revision === annotationOf(deployment, revisionAnnotation) ? revision : undefined
}

export const isControllerBehind: SteeringPredicate = (seen) => reconciledRevision(seen) === undefined

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

/** Undefined for a mark that a rollback copied from another ReplicaSet, whose hash it has. */
const completionMarkOf = (replicaSet: ReplicaSet): string | undefined => {
  const mark = annotationOf(replicaSet, completedRevisionAnnotation)
  if (mark === undefined) return undefined
  const hash = templateHashOf(replicaSet)
  const hasOwnHash = mark.startsWith(hash) && (mark.length === hash.length || mark[hash.length] === " ")
  return hasOwnHash ? mark : undefined
}

export const completionMark = (replicaSet: ReplicaSet, nowMillis: number): string =>
  [
    templateHashOf(replicaSet),
    annotationOf(replicaSet, revisionAnnotation) ?? "",
    new Date(nowMillis).toISOString()
  ].join(" ")

export const hasBeenComplete = (replicaSet: ReplicaSet): boolean => completionMarkOf(replicaSet) !== undefined

const markedRevisionOf = (replicaSet: ReplicaSet): string | undefined =>
  completionMarkOf(replicaSet)?.split(" ")[1]

/** A complete rollout stays complete, whatever happens to its Pods. */
export const isMarkedComplete = memoizePerObservation(
  ({ newReplicaSet }: Pick<SteeringObservation, "newReplicaSet">): boolean => {
    if (newReplicaSet === undefined) return false
    const revision = markedRevisionOf(newReplicaSet)
    return revision !== undefined && revision === annotationOf(newReplicaSet, revisionAnnotation)
  }
)

/** False for 0 replicas, which tell nothing about the revision. */
export const isRolloutComplete = ({
  deployment: { metadata, spec, status }
}: Pick<SteeringObservation, "deployment">): boolean =>
  spec.replicas > 0 &&
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
  status.updatedReplicas === spec.replicas &&
  status.replicas === spec.replicas &&
  status.availableReplicas === spec.replicas

/** The revision of the complete rollout: a later rollout of its template may have renumbered the ReplicaSet. */
const completedRevision = (replicaSet: ReplicaSet): bigint => {
  const revision = markedRevisionOf(replicaSet)
  return (revision === undefined ? revisionOf(replicaSet) : parseRevision(revision)) ?? 0n
}

export const stableReplicaSet = ({
  replicaSets,
  newReplicaSet
}: SteeringObservation): ReplicaSet | undefined =>
  newestBy(
    completedRevision,
    replicaSets.filter((replicaSet) => replicaSet !== newReplicaSet && hasBeenComplete(replicaSet))
  )

export const wasTakenBack = (deployment: Deployment, replicaSet: ReplicaSet): boolean =>
  recordOf(deployment)?.undone?.some(({ from }) => from === templateHashOf(replicaSet)) === true

export const newestOf = (replicaSets: ReadonlyArray<ReplicaSet>): ReplicaSet | undefined =>
  newestBy((replicaSet) => revisionOf(replicaSet) ?? 0n, replicaSets)

const newestBy = (
  numberOf: (replicaSet: ReplicaSet) => bigint,
  replicaSets: ReadonlyArray<ReplicaSet>
): ReplicaSet | undefined =>
  replicaSets.reduce<ReplicaSet | undefined>(
    (newest, replicaSet) =>
      newest === undefined || numberOf(replicaSet) > numberOf(newest) ? replicaSet : newest,
    undefined
  )

export const revisionText = (replicaSet: ReplicaSet): string =>
  `revision ${annotationOf(replicaSet, revisionAnnotation) ?? "?"} (${replicaSet.metadata.name})`

/**
 * The Deployment's controller counts Pods that it has yet to delete as available: setting the template back
 * now could cost more Pods than its bounds allow.
 */
export const hasPodsToDelete = ({ replicaSets }: Pick<SteeringObservation, "replicaSets">): boolean =>
  replicaSets.some(({ spec, status }) => status.replicas > spec.replicas)
