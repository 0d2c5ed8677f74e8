import { isTerminating } from "../../meta/deletion.ts"
import { memoizePerObservation } from "../memoizePerObservation.ts"
import { hasIdentity, isOrdinalInRange, startOrdinal } from "./replicaIdentity.ts"
import {
  currentAndUpdateRevisions,
  isAvailable,
  isOrderedReady,
  replicasOf,
  revisionNameOf
} from "./statefulSetObservation.ts"
import type { ControllerRevision } from "../controllerRevisions/controllerRevisions.ts"
import type {
  OrdinalPod,
  OrdinalReplica,
  OrdinalState,
  StatefulSetObservation
} from "./statefulSetObservation.ts"

/** Source: stateful_set_control.go (processReplica, processCondemned). */

/** With OrderedReady, the lowest unavailable ordinal blocks all above. */
export const firstUnavailableReplica = memoizePerObservation(
  (seen: StatefulSetObservation): OrdinalReplica | undefined =>
    isOrderedReady(seen) ? replicasOf(seen).find(({ state }) => state !== "available") : undefined
)

/** The replicas in this state; with OrderedReady at most the first unavailable replica. */
export const actionableReplicas = (
  seen: StatefulSetObservation,
  state: OrdinalState
): ReadonlyArray<OrdinalReplica> => {
  const candidates = isOrderedReady(seen) ? [firstUnavailableReplica(seen)] : replicasOf(seen)
  return candidates.flatMap((replica) => (replica?.state === state ? [replica] : []))
}

/** Pods without the labels and volumes of their ordinal; with OrderedReady, only below the first unavailable one. */
export const podsWithoutIdentity = memoizePerObservation(
  (seen: StatefulSetObservation): ReadonlyArray<OrdinalPod> => {
    const firstUnavailableOrdinal = firstUnavailableReplica(seen)?.ordinal ?? Number.POSITIVE_INFINITY
    return replicasOf(seen).flatMap(({ ordinal, pod, state }) =>
      pod === undefined ||
      state === "ended" ||
      ordinal >= firstUnavailableOrdinal ||
      hasIdentity(seen.statefulSet, pod, ordinal)
        ? []
        : [{ ordinal, pod }]
    )
  }
)

/** Pods outside the range of ordinals, highest first. */
export const condemnedPods = memoizePerObservation(
  ({ statefulSet, pods }: StatefulSetObservation): ReadonlyArray<OrdinalPod> =>
    pods
      .filter(({ ordinal }) => !isOrdinalInRange(statefulSet, ordinal))
      .sort((a, b) => b.ordinal - a.ordinal)
)

/** Parallel deletes all condemned Pods. OrderedReady deletes the highest, unless it and a lower one are unavailable. */
export const condemnedPodsToDelete = memoizePerObservation(
  (seen: StatefulSetObservation): ReadonlyArray<OrdinalPod> => {
    const condemned = condemnedPods(seen)
    if (!isOrderedReady(seen)) return condemned.filter(({ pod }) => !isTerminating(pod))
    const [highest] = condemned
    if (highest === undefined || isTerminating(highest.pod)) return []
    const lowestUnavailable = condemned.findLast(({ pod }) => isTerminating(pod) || !isAvailable(seen, pod))
    return isAvailable(seen, highest.pod) || lowestUnavailable === highest ? [highest] : []
  }
)

/** An update goes from the highest ordinal down to the partition. */
export type UpdateStep =
  | { readonly type: "replace"; readonly target: OrdinalPod }
  | { readonly type: "wait"; readonly awaited: OrdinalReplica }

/** Undefined with OnDelete, or once all replicas from the partition on are updated. */
export const updateStep = memoizePerObservation((seen: StatefulSetObservation): UpdateStep | undefined => {
  const updateRevision = currentAndUpdateRevisions(seen)?.update.metadata.name
  const { updateStrategy } = seen.statefulSet.spec
  if (updateStrategy?.type === "OnDelete") return undefined
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0
  for (const replica of replicasOf(seen).slice(partition).reverse()) {
    const { ordinal, pod, state } = replica
    if (pod !== undefined && state !== "terminating" && revisionNameOf(pod) !== updateRevision)
      return { type: "replace", target: { ordinal, pod } }
    if (state !== "available") return { type: "wait", awaited: replica }
  }
  return undefined
})

/**
 * Below the partition a new Pod gets the current revision. Without a partition, the lowest ordinals
 * count as the Pods that still have the current revision. Source:
 * stateful_set_utils.go (newVersionedStatefulSetPod).
 */
export const revisionForNewPod = (
  seen: StatefulSetObservation,
  ordinal: number
): ControllerRevision | undefined => {
  const revisions = currentAndUpdateRevisions(seen)
  const { spec, status } = seen.statefulSet
  if (revisions === undefined || spec.updateStrategy?.type === "OnDelete") return revisions?.update
  const firstOrdinal = startOrdinal(seen.statefulSet)
  const currentCount = spec.updateStrategy?.rollingUpdate?.partition ?? status.currentReplicas ?? 0
  return ordinal < firstOrdinal + currentCount ? revisions.current : revisions.update
}
