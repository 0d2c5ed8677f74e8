import { conditionOf, withoutCondition } from "../../meta/conditions.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import type { Mutable } from "../../meta/fields.ts"
import type { OwnershipChanges } from "../deploymentObservation.ts"
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../meta/objects.ts"

/**
 * Everything a ReplicaSet's actor decides on, and the rules that follow.
 * Source: pkg/controller/replicaset/replica_set.go (manageReplicas), replica_set_utils.go (calculateStatus).
 */
export interface ReplicaSetObservation {
  readonly replicaSet: ReplicaSet
  readonly pods: PodCounts
  /** The Pods to adopt and to release. */
  readonly claims: OwnershipChanges<Pod>
  /** Feature gate DeploymentReplicaSetTerminatingReplicas: whether the status counts terminating Pods. */
  readonly countsTerminating: boolean
  readonly nowMillis: number
}

/** Counts of the Pods that the ReplicaSet controls and selects; no list, so that a look costs the same at any size. */
export interface PodCounts {
  /** Neither finished nor terminating. */
  readonly active: number
  /** Active, with all labels of the template. */
  readonly fullyLabeled: number
  readonly ready: number
  /** Ready for at least `minReadySeconds`. */
  readonly available: number
  readonly terminating: number
  /** When the next ready Pod becomes available, in Unix milliseconds. */
  readonly nextAvailableMillis: number | undefined
}

/** Limit of Pods created or deleted after one observation. */
export const podBurstMax = 500

/** Whether some ready Pods are not available yet: another look is due when the next one becomes available. */
export const isAwaitingAvailability = ({ pods }: ReplicaSetObservation): boolean =>
  pods.nextAvailableMillis !== undefined

/** The number of missing Pods; negative if there are too many. Pods about to be adopted count as present. */
export const missingPods = ({ replicaSet, pods, claims }: ReplicaSetObservation): number =>
  replicaSet.spec.replicas - pods.active - claims.adopt.length

/** Whether Pods are missing that the last reported status still counted. */
export const hasLostPods = (observation: ReplicaSetObservation): boolean =>
  missingPods(observation) > 0 && observation.pods.active < (observation.replicaSet.status.replicas ?? 0)

/**
 * Size of the next batch of a slow start: 1 Pod, then twice as many each time, so that a quota or a broken template
 * costs few refused requests.
 */
export const slowStartBatchSize = (options: { readonly created: number; readonly wanted: number }): number =>
  Math.min(options.created + 1, options.wanted - options.created)

export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete"
  readonly message: string
}

export const replicaSetStatus = (
  observation: ReplicaSetObservation,
  failure: ReplicaFailure | undefined
): ReplicaSetStatus => {
  const { pods, replicaSet, nowMillis } = observation
  const conditions = withFailure(replicaSet.status.conditions ?? [], failure, nowMillis)
  const status: Mutable<ReplicaSetStatus> = { replicas: pods.active }
  if (pods.fullyLabeled > 0) status.fullyLabeledReplicas = pods.fullyLabeled
  if (pods.ready > 0) status.readyReplicas = pods.ready
  if (pods.available > 0) status.availableReplicas = pods.available
  if (observation.countsTerminating) status.terminatingReplicas = pods.terminating
  status.observedGeneration = replicaSet.metadata.generation ?? 0
  if (conditions.length > 0) status.conditions = conditions
  return status
}

/** Sets ReplicaFailure if it is not set yet; the first look without a failure removes it. */
const withFailure = (
  conditions: ReadonlyArray<ReplicaSetCondition>,
  failure: ReplicaFailure | undefined,
  nowMillis: number
): ReadonlyArray<ReplicaSetCondition> => {
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure")
  if (conditionOf(conditions, "ReplicaFailure") !== undefined) return conditions
  return [
    ...conditions,
    { type: "ReplicaFailure", status: "True", ...failure, lastTransitionTime: timestampOf(nowMillis) }
  ]
}
