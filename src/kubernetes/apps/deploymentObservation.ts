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

export interface DeploymentObservation {
  readonly deployment: Deployment
  /** The controlled and selected ReplicaSets, oldest first. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** The oldest ReplicaSet with the present template. */
  readonly newReplicaSet: ReplicaSet | undefined
  readonly oldReplicaSets: ReadonlyArray<ReplicaSet>
  /** Includes terminating Pods. */
  readonly unfinishedOldPods: number
  /** The new ReplicaSet's name, if a ReplicaSet of another owner or template has it. */
  readonly collidingName: string | undefined
  readonly claims: OwnershipChanges<ReplicaSet>
  /** `maxSurge` and `maxUnavailable` as numbers of Pods. */
  readonly surgeMax: number
  readonly unavailableMax: number
  /**
   * Feature gate DeploymentReplicaSetTerminatingReplicas: the end of each terminating Pod wakes the
   * Deployment.
   */
  readonly countsTerminating: boolean
  readonly counts: DeploymentCounts
  readonly nowMillis: number
}

export type DeploymentGuard = (observation: DeploymentObservation) => boolean

/** Children to adopt (matching orphans) and to release (owned, no longer matching). */
export interface OwnershipChanges<A extends KubeObject> {
  readonly adopt: ReadonlyArray<A>
  readonly release: ReadonlyArray<A>
}

/** `controlled` includes the children of a terminating owner. */
export interface ClaimedChildren<A extends KubeObject> extends OwnershipChanges<A> {
  readonly controlled: ReadonlyArray<A>
}

/** Source: pkg/controller/controller_ref_manager.go (ClaimObject). */
export const claimChildren = <A extends KubeObject>(options: {
  readonly owner: KubeObject
  readonly selector: LabelSelector
  readonly owned: ReadonlyArray<A>
  readonly orphans: ReadonlyArray<A>
  /** For StatefulSets, whose Pods are named by ordinals. */
  readonly isNamedAsMember?: (child: A) => boolean
}): ClaimedChildren<A> => {
  const { isNamedAsMember = () => true } = options
  const matches = (child: A): boolean =>
    matchesSelector(options.selector, child.metadata.labels) && isNamedAsMember(child)
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
  readonly countUnfinishedPods: (replicaSetUid: string) => number
  /** The ReplicaSet that already has the name of the new one. */
  readonly namesake: ReplicaSet | undefined
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
    unfinishedOldPods: oldReplicaSets.reduce(
      (sum, it) => sum + options.countUnfinishedPods(it.metadata.uid),
      0
    ),
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
  const isOwn = controllerOf(namesake)?.uid === deployment.metadata.uid
  // As in Kubernetes, an own ReplicaSet with this template is no collision.
  return isOwn && isSameTemplate(namesake.spec.template, deployment.spec.template)
    ? undefined
    : namesake.metadata.name
}
