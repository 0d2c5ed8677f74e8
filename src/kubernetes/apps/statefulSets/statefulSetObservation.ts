import { isTerminating } from "../../meta/ownerReferences.ts"
import { isPodFinished, isPodReady, readySinceMillis } from "../../pods/podState.ts"
import { podRevisionLabel } from "../controllerRevisions/controllerRevisions.ts"
import { memoizePerObservation } from "../memoizePerObservation.ts"
import { isInRange, hasIdentity, startOrdinal } from "./replicaIdentity.ts"
import type { OwnershipChanges } from "../deploymentObservation.ts"
import type { ControllerRevision, TemplateRecord } from "../controllerRevisions/controllerRevisions.ts"
import type { KubeObject, Pod } from "../../meta/objects.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { StatefulSet } from "./statefulSetTypes.ts"

/**
 * Everything a StatefulSet's actor decides on, and which Pods come next.
 * Source: pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet, processReplica, processCondemned).
 */
export interface StatefulSetObservation {
  readonly statefulSet: StatefulSet
  /** Its Pods by ordinal, terminating and finished ones included. */
  readonly pods: ReadonlyArray<OrdinalPod>
  /** The Pods to adopt and to release. */
  readonly claims: OwnershipChanges<Pod>
  /** Its revisions, lowest number first. */
  readonly revisions: ReadonlyArray<ControllerRevision>
  readonly orphanedRevisions: ReadonlyArray<ControllerRevision>
  readonly templateRecord: TemplateRecord
  /** Ordinals whose Pod waits for a claim that is not there. */
  readonly missingClaims: ReadonlyArray<number>
  /** Ordinals whose claims a former Pod takes with it. */
  readonly staleClaims: ReadonlyArray<number>
  /** Claims whose owner references do not follow `persistentVolumeClaimRetentionPolicy`. */
  readonly claimOwners: ReadonlyArray<ClaimOwners>
  readonly nowMillis: number
}

export interface OrdinalPod {
  readonly ordinal: number
  readonly pod: Pod
}

export interface ClaimOwners {
  readonly claim: KubeObject
  readonly ownerReferences: ReadonlyArray<OwnerReference>
}

/** The Pod of an ordinal in the range of `spec.replicas`. */
export interface OrdinalReplica {
  readonly ordinal: number
  readonly pod: Pod | undefined
  readonly state: OrdinalState
}

/**
 * `claimless`: a PersistentVolumeClaim is missing. `ended`: its phase is Failed or Succeeded. `unavailable`: ready,
 * but not for `minReadySeconds`.
 */
export type OrdinalState =
  | "missing"
  | "claimless"
  | "ended"
  | "terminating"
  | "unready"
  | "unavailable"
  | "available"

/** The update revision is the present template's, the current one that of the Pods before the update. */
export interface CurrentAndUpdate {
  readonly current: ControllerRevision
  readonly update: ControllerRevision
}

export const currentAndUpdate = memoizePerObservation(
  ({ statefulSet, revisions, templateRecord }: StatefulSetObservation): CurrentAndUpdate | undefined => {
    if (templateRecord.type !== "recorded") return undefined
    const update = templateRecord.revision
    const current = revisions.find(({ metadata }) => metadata.name === statefulSet.status.currentRevision)
    return { update, current: current ?? update }
  }
)

export const isOrdered = ({ statefulSet }: StatefulSetObservation): boolean =>
  statefulSet.spec.podManagementPolicy !== "Parallel"

/** One for each ordinal, lowest first. */
export const replicasOf = memoizePerObservation(
  (seen: StatefulSetObservation): ReadonlyArray<OrdinalReplica> => {
    const { statefulSet, pods } = seen
    const byOrdinal = new Map(pods.map(({ ordinal, pod }) => [ordinal, pod]))
    const start = startOrdinal(statefulSet)
    return Array.from({ length: statefulSet.spec.replicas }, (_, index) => {
      const ordinal = start + index
      const pod = byOrdinal.get(ordinal)
      return { ordinal, pod, state: replicaState(seen, ordinal, pod) }
    })
  }
)

const replicaState = (seen: StatefulSetObservation, ordinal: number, pod: Pod | undefined): OrdinalState => {
  if (pod === undefined) return seen.staleClaims.includes(ordinal) ? "terminating" : "missing"
  if (isTerminating(pod)) return "terminating"
  if (isPodFinished(pod)) return "ended"
  if (seen.missingClaims.includes(ordinal)) return "claimless"
  return isRunningAndReady(pod) ? (isAvailable(seen, pod) ? "available" : "unavailable") : "unready"
}

export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === "Running" && isPodReady(pod)

const availableSince = ({ statefulSet }: StatefulSetObservation, pod: Pod): number =>
  (readySinceMillis(pod) ?? 0) + (statefulSet.spec.minReadySeconds ?? 0) * 1000

/** Terminating Pods count as long as they are ready. */
export const isAvailable = (seen: StatefulSetObservation, pod: Pod): boolean =>
  isRunningAndReady(pod) && availableSince(seen, pod) <= seen.nowMillis

/** When the next ready Pod becomes available, in Unix milliseconds; undefined if none is to. */
export const nextAvailableMillis = memoizePerObservation(
  (seen: StatefulSetObservation): number | undefined => {
    const times = seen.pods
      .filter(({ pod }) => isRunningAndReady(pod) && !isTerminating(pod) && !isAvailable(seen, pod))
      .map(({ pod }) => availableSince(seen, pod))
    return times.length === 0 ? undefined : Math.min(...times)
  }
)

/** With OrderedReady the lowest ordinal that is not available; it holds up all above. */
export const firstUnavailable = memoizePerObservation(
  (seen: StatefulSetObservation): OrdinalReplica | undefined =>
    isOrdered(seen) ? replicasOf(seen).find(({ state }) => state !== "available") : undefined
)

/** The replicas in this state that may be acted on: with OrderedReady at most the first that is not available. */
export const replicasInTurn = (
  seen: StatefulSetObservation,
  state: OrdinalState
): ReadonlyArray<OrdinalReplica> => {
  const candidates = isOrdered(seen) ? [firstUnavailable(seen)] : replicasOf(seen)
  return candidates.flatMap((replica) => (replica?.state === state ? [replica] : []))
}

/** Pods without the labels and volumes of their ordinal; with OrderedReady, below the first that is not available. */
export const podsWithoutIdentity = memoizePerObservation(
  (seen: StatefulSetObservation): ReadonlyArray<OrdinalPod> => {
    const firstBlocked = firstUnavailable(seen)?.ordinal ?? Number.POSITIVE_INFINITY
    return replicasOf(seen).flatMap(({ ordinal, pod, state }) =>
      pod === undefined ||
      state === "ended" ||
      ordinal >= firstBlocked ||
      hasIdentity(seen.statefulSet, pod, ordinal)
        ? []
        : [{ ordinal, pod }]
    )
  }
)

/** The Pods beyond `spec.replicas` or below `ordinals.start`, highest ordinal first. */
export const condemnedPods = memoizePerObservation(
  ({ statefulSet, pods }: StatefulSetObservation): ReadonlyArray<OrdinalPod> =>
    pods.filter(({ ordinal }) => !isInRange(statefulSet, ordinal)).sort((a, b) => b.ordinal - a.ordinal)
)

/**
 * The condemned Pods to delete now: with Parallel all, with OrderedReady the highest. One that is not available is only
 * deleted while no Pod below it is unavailable.
 */
export const condemnedPodsToDelete = memoizePerObservation(
  (seen: StatefulSetObservation): ReadonlyArray<OrdinalPod> => {
    const condemned = condemnedPods(seen)
    if (!isOrdered(seen)) return condemned.filter(({ pod }) => !isTerminating(pod))
    const [highest] = condemned
    if (highest === undefined || isTerminating(highest.pod)) return []
    const lowestUnavailable = condemned.findLast(({ pod }) => isTerminating(pod) || !isAvailable(seen, pod))
    return isAvailable(seen, highest.pod) || lowestUnavailable === highest ? [highest] : []
  }
)

/** What a rolling update does next, from the highest ordinal down to the partition. */
export type UpdateStep =
  | { readonly type: "replace"; readonly target: OrdinalPod }
  | { readonly type: "wait"; readonly for: OrdinalReplica }

export const updateStep = memoizePerObservation((seen: StatefulSetObservation): UpdateStep | undefined => {
  const updateRevision = currentAndUpdate(seen)?.update.metadata.name
  const { updateStrategy } = seen.statefulSet.spec
  if (updateStrategy?.type === "OnDelete") return undefined
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0
  for (const replica of replicasOf(seen).slice(partition).reverse()) {
    const { ordinal, pod, state } = replica
    if (pod !== undefined && state !== "terminating" && revisionNameOf(pod) !== updateRevision)
      return { type: "replace", target: { ordinal, pod } }
    if (state !== "available") return { type: "wait", for: replica }
  }
  return undefined
})

export const revisionNameOf = (pod: Pod): string => pod.metadata.labels?.[podRevisionLabel] ?? ""

/**
 * Below the partition a new Pod gets the current revision, at and above it the update revision.
 * Source: pkg/controller/statefulset/stateful_set_utils.go (newVersionedStatefulSetPod).
 */
export const revisionFor = (
  seen: StatefulSetObservation,
  ordinal: number
): ControllerRevision | undefined => {
  const revisions = currentAndUpdate(seen)
  const { spec, status } = seen.statefulSet
  if (revisions === undefined || spec.updateStrategy?.type === "OnDelete") return revisions?.update
  const first = startOrdinal(seen.statefulSet)
  const kept = spec.updateStrategy?.rollingUpdate?.partition ?? status.currentReplicas ?? 0
  return ordinal < first + kept ? revisions.current : revisions.update
}
