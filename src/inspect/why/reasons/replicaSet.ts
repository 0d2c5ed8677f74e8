import { batchSize, missingPods } from "../../../domain/replicaSetObservation.ts"
import { formatDuration } from "../../../domain/durations.ts"
import type { Refusal } from "../../../domain/commands.ts"
import type { ReplicaSetObservation } from "../../../domain/replicaSetObservation.ts"
import type { Reason, Reasons } from "./reason.ts"

/** What the chart of a ReplicaSet keeps. */
interface Kept {
  readonly seen: ReplicaSetObservation | undefined
  readonly created: number
  readonly wanted: number
}

const about =
  (words: (seen: ReplicaSetObservation) => string): Reason =>
  ({ context }) => {
    const { seen } = context as Kept
    return seen === undefined ? "nothing has been observed yet" : words(seen)
  }

const missing = (seen: ReplicaSetObservation): string => {
  const { replicaSet, pods, claims } = seen
  const left = missingPods(seen)
  const adopted = claims.adopt.length === 0 ? "" : `, ${claims.adopt.length} to be adopted`
  const so = left === 0 ? "as many as there should be" : left > 0 ? `${left} missing` : `${-left} too many`
  return `asked for ${replicaSet.spec.replicas}, ${pods.active} there${adopted}: ${so}`
}

/** By guard; the names are those of the chart in `machines/replicaSet.ts`. */
export const replicaSetReasons: Reasons = {
  isTerminating: about(({ replicaSet: { metadata } }) =>
    metadata.deletionTimestamp === undefined
      ? "nobody has asked to delete it"
      : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  hasLostPods: about((seen) => `${missing(seen)}; it last reported ${seen.replicaSet.status.replicas ?? 0}`),
  hasTooFew: about(missing),
  hasTooMany: about(missing),
  isAwaitingAvailability: about(({ pods, nowMillis }) => {
    const counts = `${pods.ready} ready, ${pods.available} available`
    return pods.nextAvailableMillis === undefined
      ? counts
      : `${counts}; the next is available in ${formatDuration(pods.nextAvailableMillis - nowMillis)}`
  }),
  hasMoreToCreate: ({ context }) => {
    const kept = context as Kept
    return `${kept.created} created before, ${batchSize(kept)} just now, ${kept.wanted} wanted`
  },
  isManageRefused: ({ event }) => {
    const { refusal } = event as { readonly refusal?: Refusal }
    return refusal === undefined
      ? "nothing was refused"
      : `${refusal.command} was refused, ${refusal.reason}: ${refusal.message}`
  }
}
