import { slowStartBatchSize, missingPods } from "../../kubernetes/apps/replicaSetObservation.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { CommandRefusal } from "../../kubernetes/apps/commands.ts"
import type { ReplicaSetObservation } from "../../kubernetes/apps/replicaSetObservation.ts"
import type { GuardReason, GuardReasons } from "./guardReason.ts"

interface ReplicaSetContext {
  readonly seen: ReplicaSetObservation | undefined
  readonly created: number
  readonly wanted: number
}

const replicaSetReason =
  (text: (seen: ReplicaSetObservation) => string): GuardReason =>
  ({ context }) => {
    const { seen } = context as ReplicaSetContext
    return seen === undefined ? "nothing has been observed yet" : text(seen)
  }

const missingText = (seen: ReplicaSetObservation): string => {
  const { replicaSet, pods, claims } = seen
  const missingCount = missingPods(seen)
  const adoptedText = claims.adopt.length === 0 ? "" : `, ${claims.adopt.length} to be adopted`
  const result =
    missingCount === 0
      ? "as many as there should be"
      : missingCount > 0
        ? `${missingCount} missing`
        : `${-missingCount} too many`
  return `asked for ${replicaSet.spec.replicas}, ${pods.active} there${adoptedText}: ${result}`
}

/** By guard name of `machines/replicaSet.ts`. */
export const replicaSetReasons: GuardReasons = {
  isTerminating: replicaSetReason(({ replicaSet: { metadata } }) =>
    metadata.deletionTimestamp === undefined
      ? "nobody has asked to delete it"
      : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  hasLostPods: replicaSetReason(
    (seen) => `${missingText(seen)}; it last reported ${seen.replicaSet.status.replicas ?? 0}`
  ),
  hasTooFew: replicaSetReason(missingText),
  hasTooMany: replicaSetReason(missingText),
  isAwaitingAvailability: replicaSetReason(({ pods, nowMillis }) => {
    const counts = `${pods.ready} ready, ${pods.available} available`
    return pods.nextAvailableMillis === undefined
      ? counts
      : `${counts}; the next is available in ${formatDuration(pods.nextAvailableMillis - nowMillis)}`
  }),
  hasMoreToCreate: ({ context }) => {
    const replicaSetContext = context as ReplicaSetContext
    return `${replicaSetContext.created} created before, ${slowStartBatchSize(replicaSetContext)} just now, ${replicaSetContext.wanted} wanted`
  },
  isManageRefused: ({ event }) => {
    const { refusal } = event as { readonly refusal?: CommandRefusal }
    return refusal === undefined
      ? "nothing was refused"
      : `${refusal.command} was refused, ${refusal.reason}: ${refusal.message}`
  }
}
