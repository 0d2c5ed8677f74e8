import { countReplicas } from "./replicaCounts.ts"
import { matchesSelector } from "../meta/selectors/labelSelectors.ts"
import { controllerOf } from "../meta/ownerReferences.ts"
import { compareByCreation } from "../meta/objectOrder.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isSameTemplate } from "./revisions/podTemplates.ts"
import { findNewReplicaSet } from "./revisions/findNewReplicaSet.ts"
import { resolveFenceposts } from "./rolloutBounds.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../meta/objects.ts"
import type { DeploymentCounts } from "./replicaCounts.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"

/** Everything a Deployment's actor decides on. Equal observations lead to equal commands. */
export interface DeploymentObservation {
  readonly deployment: Deployment
  /** The ReplicaSets that it controls and selects, oldest first. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** The new ReplicaSet: the oldest with the present template. */
  readonly newReplicaSet: ReplicaSet | undefined
  /** The old ReplicaSets, oldest first, whatever their size. */
  readonly oldReplicaSets: ReadonlyArray<ReplicaSet>
  /** Unfinished Pods of the old ReplicaSets, terminating ones included. */
  readonly unfinishedOldPods: number
  /** The name that the new ReplicaSet would get, if a ReplicaSet of another owner or with another template has it. */
  readonly collidingName: string | undefined
  /** ReplicaSets to adopt and to release. */
  readonly claims: OwnershipChanges<ReplicaSet>
  /** `maxSurge` and `maxUnavailable` as numbers of Pods. */
  readonly surgeMax: number
  readonly unavailableMax: number
  /**
   * Feature gate DeploymentReplicaSetTerminatingReplicas: statuses count terminating Pods, so that the end of each
   * one wakes the Deployment.
   */
  readonly countsTerminating: boolean
  readonly counts: DeploymentCounts
  readonly nowMillis: number
}

export type DeploymentGuard = (observation: DeploymentObservation) => boolean

/** Children to adopt (matching orphans) and to release (owned, but no longer matching). */
export interface OwnershipChanges<A extends KubeObject> {
  readonly adopt: ReadonlyArray<A>
  readonly release: ReadonlyArray<A>
}

/** `controlled`: children that stay, including those of a terminating owner. */
export interface ClaimedChildren<A extends KubeObject> extends OwnershipChanges<A> {
  readonly controlled: ReadonlyArray<A>
}

/**
 * Splits children into controlled, adopted and released ones. A terminating owner neither adopts nor releases; children
 * of other controllers are never adopted.
 * Source: pkg/controller/controller_ref_manager.go (ClaimObject).
 */
export const claimChildren = <A extends KubeObject>(options: {
  readonly owner: KubeObject
  readonly selector: LabelSelector
  readonly owned: ReadonlyArray<A>
  readonly orphans: ReadonlyArray<A>
  /** A condition besides the selector; none by default. */
  readonly isMember?: (child: A) => boolean
}): ClaimedChildren<A> => {
  const { isMember = () => true } = options
  const matches = (child: A): boolean =>
    matchesSelector(options.selector, child.metadata.labels) && isMember(child)
  const isOwnerTerminating = isTerminating(options.owner)
  const controlled = options.owned.filter(matches)
  const allMatch = controlled.length === options.owned.length
  return {
    controlled,
    release: isOwnerTerminating || allMatch ? [] : options.owned.filter((child) => !matches(child)),
    adopt: isOwnerTerminating
      ? []
      : options.orphans.filter((child) => !isTerminating(child) && matches(child))
  }
}

export const observeDeployment = (options: {
  readonly deployment: Deployment
  readonly owned: ReadonlyArray<ReplicaSet>
  readonly orphans: ReadonlyArray<ReplicaSet>
  /** The number of unfinished Pods of the ReplicaSet with this uid. */
  readonly countPodsOf: (uid: string) => number
  /** The ReplicaSet with the name that the new one would get. */
  readonly namesake: ReplicaSet | undefined
  /** Default: true, as the feature gate. */
  readonly countsTerminating?: boolean
  readonly nowMillis: number
}): DeploymentObservation => {
  const { deployment, countsTerminating = true } = options
  const { controlled, adopt, release } = claimChildren({
    owner: deployment,
    selector: deployment.spec.selector,
    owned: options.owned,
    orphans: options.orphans
  })
  const replicaSets = [...controlled].sort(compareByCreation)
  const newReplicaSet = findNewReplicaSet(deployment, replicaSets)
  const oldReplicaSets = replicaSets.filter((it) => it !== newReplicaSet)
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  return {
    deployment,
    replicaSets,
    newReplicaSet,
    oldReplicaSets,
    unfinishedOldPods: oldReplicaSets.reduce((sum, it) => sum + options.countPodsOf(it.metadata.uid), 0),
    collidingName: newReplicaSet === undefined ? findCollidingName(deployment, options.namesake) : undefined,
    claims: { adopt, release },
    surgeMax,
    unavailableMax,
    countsTerminating,
    counts: countReplicas(deployment, replicaSets, newReplicaSet, countsTerminating),
    nowMillis: options.nowMillis
  }
}

const findCollidingName = (deployment: Deployment, namesake: ReplicaSet | undefined): string | undefined => {
  if (namesake === undefined) return undefined
  const isOurs = controllerOf(namesake)?.uid === deployment.metadata.uid
  // As upstream, an own ReplicaSet with this template counts as the one that was to be created: no collision.
  return isOurs && isSameTemplate(namesake.spec.template, deployment.spec.template)
    ? undefined
    : namesake.metadata.name
}
