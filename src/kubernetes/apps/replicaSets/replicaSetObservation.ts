import { conditionOf, withoutCondition } from "../../meta/conditions.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import type { Mutable } from "../../meta/fields.ts"
import type { OwnershipChanges } from "../deploymentObservation.ts"
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../meta/objects.ts"

/** Source: replicaset/replica_set.go, replica_set_utils.go. */
export interface ReplicaSetObservation {
  readonly replicaSet: ReplicaSet
  readonly pods: PodCounts
  readonly claims: OwnershipChanges<Pod>
  /** Feature gate DeploymentReplicaSetTerminatingReplicas. */
  readonly countsTerminating: boolean
  readonly nowMillis: number
}

/** Counts instead of a list, so that a look costs the same at any size. */
export interface PodCounts {
  /** Neither finished nor terminating. */
  readonly active: number
  /** Active, with all labels of the template. */
  readonly fullyLabeled: number
  readonly ready: number
  readonly available: number
  readonly terminating: number
  /** In Unix milliseconds. */
  readonly nextAvailableMillis: number | undefined
}

/** Upstream's limit of Pods created or deleted in one sync. */
export const podBurstMax = 500

export const isAwaitingAvailability = ({ pods }: ReplicaSetObservation): boolean =>
  pods.nextAvailableMillis !== undefined

/** Negative if there are too many Pods. Pods to be adopted count as present. */
export const missingPodCount = ({ replicaSet, pods, claims }: ReplicaSetObservation): number =>
  replicaSet.spec.replicas - pods.active - claims.adopt.length

/** Whether Pods are missing that the stored status counted. */
export const hasLostPods = (observation: ReplicaSetObservation): boolean =>
  missingPodCount(observation) > 0 && observation.pods.active < (observation.replicaSet.status.replicas ?? 0)

/** The size doubles from 1 Pod, so that a broken template costs few refused requests. */
export const slowStartBatchSize = (options: { readonly created: number; readonly wanted: number }): number =>
  Math.min(options.created + 1, options.wanted - options.created)

export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete"
  readonly message: string
}

export const replicaSetStatus = (
  observation: ReplicaSetObservation,
  failure?: ReplicaFailure
): ReplicaSetStatus => {
  const { pods, replicaSet, nowMillis } = observation
  const conditions = withReplicaFailure(replicaSet.status.conditions ?? [], failure, nowMillis)
  const status: Mutable<ReplicaSetStatus> = { replicas: pods.active }
  if (pods.fullyLabeled > 0) status.fullyLabeledReplicas = pods.fullyLabeled
  if (pods.ready > 0) status.readyReplicas = pods.ready
  if (pods.available > 0) status.availableReplicas = pods.available
  if (observation.countsTerminating) status.terminatingReplicas = pods.terminating
  status.observedGeneration = replicaSet.metadata.generation ?? 0
  if (conditions.length > 0) status.conditions = conditions
  return status
}

/** The first look without a failure removes ReplicaFailure. */
const withReplicaFailure = (
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
