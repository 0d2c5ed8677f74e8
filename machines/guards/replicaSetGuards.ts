import {
  slowStartBatchSize,
  hasLostPods,
  isAwaitingAvailability,
  missingPodCount
} from "../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { explainGuard } from "./guard.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type { ReplicaSetObservation } from "../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"

export interface ReplicaSetContext {
  readonly seen: ReplicaSetObservation | undefined
  /** Pods created in earlier batches of the present slow start, which creates 1, 2, 4, … Pods at a time. */
  readonly created: number
  /** Pods to create in all batches. */
  readonly wanted: number
}

export type ReplicaSetEvent =
  | { readonly type: "observed"; readonly seen: ReplicaSetObservation }
  /** The Pods of a batch were created. */
  | { readonly type: "performed" }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

interface ReplicaSetGuardArgs {
  readonly context: ReplicaSetContext
  readonly event: ReplicaSetEvent
}

const replicaSetGuard = (
  predicate: (seen: ReplicaSetObservation) => boolean,
  words: GuardWording,
  reason: (seen: ReplicaSetObservation) => string
) =>
  explainGuard(
    ({ context: { seen } }: ReplicaSetGuardArgs) => seen !== undefined && predicate(seen),
    words,
    ({ context: { seen } }) => (seen === undefined ? "nothing has been observed yet" : reason(seen))
  )

const missingText = (seen: ReplicaSetObservation): string => {
  const { replicaSet, pods, claims } = seen
  const missingCount = missingPodCount(seen)
  const adoptedText = claims.adopt.length === 0 ? "" : `, ${claims.adopt.length} to be adopted`
  const result =
    missingCount === 0
      ? "as many as there should be"
      : missingCount > 0
        ? `${missingCount} missing`
        : `${-missingCount} too many`
  return `asked for ${replicaSet.spec.replicas}, ${pods.active} there${adoptedText}: ${result}`
}

export const replicaSetGuards = {
  isTerminating: replicaSetGuard(
    ({ replicaSet }) => isTerminating(replicaSet),
    "being deleted",
    ({ replicaSet: { metadata } }) =>
      metadata.deletionTimestamp === undefined
        ? "its deletion was not requested"
        : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  // Some of the missing Pods were in the last reported status.
  hasLostPods: replicaSetGuard(
    hasLostPods,
    "Pods were lost",
    (seen) => `${missingText(seen)}; it last reported ${seen.replicaSet.status.replicas ?? 0}`
  ),
  hasTooFewPods: replicaSetGuard((seen) => missingPodCount(seen) > 0, "too few Pods", missingText),
  hasTooManyPods: replicaSetGuard((seen) => missingPodCount(seen) < 0, "too many Pods", missingText),
  isAwaitingAvailability: replicaSetGuard(
    isAwaitingAvailability,
    "a ready Pod is not available yet",
    ({ pods, nowMillis }) => {
      const counts = `${pods.ready} ready, ${pods.available} available`
      return pods.nextAvailableMillis === undefined
        ? counts
        : `${counts}; the next is available in ${formatDuration(pods.nextAvailableMillis - nowMillis)}`
    }
  ),
  hasMoreToCreate: explainGuard(
    ({ context }: ReplicaSetGuardArgs) => context.created + slowStartBatchSize(context) < context.wanted,
    "more are to be created",
    ({ context }) =>
      `${context.created} created before, ${slowStartBatchSize(context)} just now, ${context.wanted} wanted`
  ),
  isScalingRefused: explainGuard(
    ({ event }: ReplicaSetGuardArgs) =>
      event.type === "refused" &&
      (event.refusal.command === "createPods" || event.refusal.command === "deletePods"),
    "creating or deleting Pods was refused",
    ({ event }) =>
      event.type === "refused"
        ? `${event.refusal.command} was refused, ${event.refusal.reason}: ${event.refusal.message}`
        : "nothing was refused"
  )
}

export const replicaSetStepNumbers: ObservedNumbers = (context) => {
  const { seen } = context as { readonly seen: ReplicaSetObservation | undefined }
  if (seen === undefined) return []
  const { pods, replicaSet } = seen
  return [
    ["asked for", replicaSet.spec.replicas],
    ["there", pods.active],
    ["missing", missingPodCount(seen)],
    ["ready", pods.ready],
    ["available", pods.available],
    ["terminating", pods.terminating]
  ]
}
