import { conditionOf } from "./conditions.ts"
import { timestampOf } from "./timestamps.ts"
import type { Claims } from "./observations.ts"
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "./objects.ts"

/**
 * What a ReplicaSet's actor may know, and what follows from it.
 *
 * Source: pkg/controller/replicaset/replica_set.go (manageReplicas), replica_set_utils.go (calculateStatus).
 */
export interface ReplicaSetObservation {
  readonly replicaSet: ReplicaSet
  readonly pods: PodCounts
  readonly claims: Claims<Pod>
  /** Whether the status says how many Pods terminate (feature gate DeploymentReplicaSetTerminatingReplicas). */
  readonly countsTerminating: boolean
  readonly nowMillis: number
}

/** Tallies over the Pods it controls and selects; no list, so that looking costs the same at any size. */
export interface PodCounts {
  /** Neither finished nor terminating. */
  readonly active: number
  readonly fullyLabeled: number
  readonly ready: number
  /** Ready for at least `minReadySeconds`. */
  readonly available: number
  readonly terminating: number
  /** When the next ready Pod becomes available, in Unix milliseconds. */
  readonly nextAvailableMillis: number | undefined
}

/** No more than this many Pods are created or deleted on one observation. */
export const burstMax = 500

/** Ready Pods that are not available yet: somebody must look again when the next one is. */
export const isAwaitingAvailability = ({ pods }: ReplicaSetObservation): boolean =>
  pods.nextAvailableMillis !== undefined

/** How many Pods are missing; negative when there are too many. Pods about to be adopted count as there. */
export const missingPods = ({ replicaSet, pods, claims }: ReplicaSetObservation): number =>
  replicaSet.spec.replicas - pods.active - claims.adopt.length

/** Pods were lost behind its back: fewer are there than it last reported. */
export const hasLostPods = (seen: ReplicaSetObservation): boolean =>
  missingPods(seen) > 0 && seen.pods.active < (seen.replicaSet.status.replicas ?? 0)

/**
 * The next batch of a slow start. One Pod first, then twice as many each time, so that a quota or a broken template
 * costs a handful of refusals and not hundreds.
 */
export const batchSize = (options: { readonly created: number; readonly wanted: number }): number =>
  Math.min(options.created + 1, options.wanted - options.created)

/** A manage error, as the ReplicaFailure condition reports it. */
export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete"
  readonly message: string
}

/** The status that follows from an observation and from what happened while it was acted upon. */
export const replicaSetStatus = (
  seen: ReplicaSetObservation,
  failure: ReplicaFailure | undefined
): ReplicaSetStatus => {
  const { pods, replicaSet, nowMillis } = seen
  const conditions = withFailure(replicaSet.status.conditions ?? [], failure, nowMillis)
  return {
    // The only count that is said even when it is 0.
    replicas: pods.active,
    ...positive("fullyLabeledReplicas", pods.fullyLabeled),
    ...positive("readyReplicas", pods.ready),
    ...positive("availableReplicas", pods.available),
    ...(seen.countsTerminating ? { terminatingReplicas: pods.terminating } : {}),
    observedGeneration: replicaSet.metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions })
  }
}

const positive = <K extends string>(name: K, count: number): { readonly [key in K]?: number } | object =>
  count === 0 ? {} : { [name]: count }

/** A failure that lasts is not written again; one pass without an error ends it. */
const withFailure = (
  conditions: ReadonlyArray<ReplicaSetCondition>,
  failure: ReplicaFailure | undefined,
  nowMillis: number
): ReadonlyArray<ReplicaSetCondition> => {
  const others = conditions.filter((condition) => condition.type !== "ReplicaFailure")
  if (failure === undefined) return others
  const present = conditionOf(conditions, "ReplicaFailure")
  if (present !== undefined) return conditions
  return [
    ...others,
    { type: "ReplicaFailure", status: "True", ...failure, lastTransitionTime: timestampOf(nowMillis) }
  ]
}
