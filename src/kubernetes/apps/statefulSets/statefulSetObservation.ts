import { earliestOf } from "../../meta/amounts/timestamps.ts"
import { isTerminating } from "../../meta/deletion.ts"
import { isPodFinished, isPodReady, readySinceMillis } from "../../pods/podState.ts"
import { podRevisionLabel } from "../controllerRevisions/controllerRevisions.ts"
import { memoizePerObservation } from "../memoizePerObservation.ts"
import { startOrdinal } from "./replicaIdentity.ts"
import type { OwnershipChanges } from "../deploymentObservation.ts"
import type { ControllerRevision, TemplateRecord } from "../controllerRevisions/controllerRevisions.ts"
import type { KubeObject, Pod } from "../../meta/objects.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { StatefulSet } from "./statefulSetTypes.ts"

export interface StatefulSetObservation {
  readonly statefulSet: StatefulSet
  /** The Pods by ordinal, with terminating and finished Pods. */
  readonly pods: ReadonlyArray<OrdinalPod>
  /** Pods to adopt or release, no PersistentVolumeClaims. */
  readonly claims: OwnershipChanges<Pod>
  /** Lowest number first. */
  readonly revisions: ReadonlyArray<ControllerRevision>
  readonly orphanedRevisions: ReadonlyArray<ControllerRevision>
  /** How the present template gets its ControllerRevision. */
  readonly templateRecord: TemplateRecord
  /** Ordinals whose Pod uses a missing PersistentVolumeClaim. */
  readonly ordinalsWithoutClaim: ReadonlyArray<number>
  /** Ordinals whose claims a former Pod still owns. */
  readonly ordinalsWithStaleClaim: ReadonlyArray<number>
  /** Claims that violate `persistentVolumeClaimRetentionPolicy`. */
  readonly claimsAgainstRetentionPolicy: ReadonlyArray<ClaimOwners>
  readonly nowMillis: number
}

export interface OrdinalPod {
  readonly ordinal: number
  readonly pod: Pod
}

export interface ClaimOwners {
  readonly claim: KubeObject
  /** The owners that the retention policy wants. */
  readonly ownerReferences: ReadonlyArray<OwnerReference>
}

export interface OrdinalReplica {
  readonly ordinal: number
  readonly pod: Pod | undefined
  readonly state: OrdinalState
}

/**
 * `claimless`: a PersistentVolumeClaim is missing. `ended`: Failed or Succeeded. `terminating`: the
 * Pod or its claims are being deleted. `unavailable`: ready, but not for `minReadySeconds`.
 */
export type OrdinalState =
  | "missing"
  | "claimless"
  | "ended"
  | "terminating"
  | "unready"
  | "unavailable"
  | "available"

/** `update`: the revision of the present template. `current`: the revision before the update. */
export interface CurrentAndUpdateRevisions {
  readonly current: ControllerRevision
  readonly update: ControllerRevision
}

/** Undefined until the present template has a ControllerRevision. */
export const currentAndUpdateRevisions = memoizePerObservation(
  ({
    statefulSet,
    revisions,
    templateRecord
  }: StatefulSetObservation): CurrentAndUpdateRevisions | undefined => {
    if (templateRecord.type !== "recorded") return undefined
    const update = templateRecord.revision
    const current = revisions.find(({ metadata }) => metadata.name === statefulSet.status.currentRevision)
    return { update, current: current ?? update }
  }
)

export const isOrderedReady = ({ statefulSet }: StatefulSetObservation): boolean =>
  statefulSet.spec.podManagementPolicy !== "Parallel"

/** Lowest ordinal first. */
export const replicasOf = memoizePerObservation(
  (seen: StatefulSetObservation): ReadonlyArray<OrdinalReplica> => {
    const { statefulSet, pods } = seen
    const podByOrdinal = new Map(pods.map(({ ordinal, pod }) => [ordinal, pod]))
    const start = startOrdinal(statefulSet)
    return Array.from({ length: statefulSet.spec.replicas }, (_, index) => {
      const ordinal = start + index
      const pod = podByOrdinal.get(ordinal)
      return { ordinal, pod, state: replicaState(seen, ordinal, pod) }
    })
  }
)

const replicaState = (seen: StatefulSetObservation, ordinal: number, pod: Pod | undefined): OrdinalState => {
  if (pod === undefined) return seen.ordinalsWithStaleClaim.includes(ordinal) ? "terminating" : "missing"
  if (isTerminating(pod)) return "terminating"
  if (isPodFinished(pod)) return "ended"
  if (seen.ordinalsWithoutClaim.includes(ordinal)) return "claimless"
  return isRunningAndReady(pod) ? (isAvailable(seen, pod) ? "available" : "unavailable") : "unready"
}

export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === "Running" && isPodReady(pod)

const availableSinceMillis = ({ statefulSet }: StatefulSetObservation, pod: Pod): number =>
  (readySinceMillis(pod) ?? 0) + (statefulSet.spec.minReadySeconds ?? 0) * 1000

/** Terminating Pods count as long as they are ready. */
export const isAvailable = (seen: StatefulSetObservation, pod: Pod): boolean =>
  isRunningAndReady(pod) && availableSinceMillis(seen, pod) <= seen.nowMillis

/** In Unix milliseconds; undefined if no Pod will become available. */
export const nextAvailableMillis = memoizePerObservation(
  (seen: StatefulSetObservation): number | undefined => {
    const waiting = seen.pods.filter(
      ({ pod }) => isRunningAndReady(pod) && !isTerminating(pod) && !isAvailable(seen, pod)
    )
    return earliestOf(waiting.map(({ pod }) => availableSinceMillis(seen, pod)))
  }
)

export const revisionNameOf = (pod: Pod): string => pod.metadata.labels?.[podRevisionLabel] ?? ""
