import { countReplicas } from "./replicaCounts.ts"
import { matchesSelector } from "./selectors.ts"
import { byCreation, controllerOf, isTerminating } from "./ownerReferences.ts"
import { isSameTemplate } from "./podTemplates.ts"
import { nextReplicaSet } from "./nextReplicaSet.ts"
import { resolveIntOrPercent } from "./intOrPercent.ts"
import type { Deployment, KubeObject, ReplicaSet } from "./objects.ts"
import type { DeploymentCounts } from "./replicaCounts.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"

/**
 * What a Deployment's actor may know when it decides: its object, its ReplicaSets, the time. Read fresh each time;
 * the same observation always leads to the same commands.
 */
export interface DeploymentObservation {
  readonly deployment: Deployment
  /** The ReplicaSets it controls and selects, oldest first. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** The oldest ReplicaSet of the present template. */
  readonly next: ReplicaSet | undefined
  /** All its other ReplicaSets, oldest first, whatever their size. */
  readonly previous: ReadonlyArray<ReplicaSet>
  /** Pods under `previous` that have not come to an end; terminating ones count. */
  readonly podsUnderPrevious: number
  /**
   * Who holds the name that a new ReplicaSet would get, where that is not a ReplicaSet of ours with our
   * template.
   */
  readonly nameTakenBy: string | undefined
  readonly claims: Claims<ReplicaSet>
  readonly surgeMax: number
  readonly unavailableMax: number
  /**
   * Whether statuses count the Pods that terminate (feature gate DeploymentReplicaSetTerminatingReplicas), so that the
   * end of each of them wakes the Deployment.
   */
  readonly countsTerminating: boolean
  /** What the Deployment should say of its Pods now. */
  readonly counts: DeploymentCounts
  readonly nowMillis: number
}

/** Something that holds of an observation or does not: what charts ask. */
export type Fact = (seen: DeploymentObservation) => boolean

/** What changes hands: orphans that match are adopted, children that no longer match are released. */
export interface Claims<A extends KubeObject> {
  readonly adopt: ReadonlyArray<A>
  readonly release: ReadonlyArray<A>
}

/**
 * Sorts the children of an owner from those that change hands. Nothing changes hands while the owner is being
 * deleted; somebody else's child is never taken.
 *
 * Source: pkg/controller/controller_ref_manager.go (ClaimObject).
 */
export const claim = <A extends KubeObject>(options: {
  readonly owner: KubeObject
  readonly selector: LabelSelector
  readonly owned: ReadonlyArray<A>
  readonly orphans: ReadonlyArray<A>
}): Claims<A> & { readonly kept: ReadonlyArray<A> } => {
  const matches = (child: A): boolean => matchesSelector(options.selector, child.metadata.labels)
  const dying = isTerminating(options.owner)
  const kept = options.owned.filter(matches)
  const areAll = kept.length === options.owned.length
  return {
    kept,
    release: dying || areAll ? [] : options.owned.filter((child) => !matches(child)),
    adopt: dying ? [] : options.orphans.filter((child) => !isTerminating(child) && matches(child))
  }
}

/** Makes an observation of what was read; pure, so that a test can show an actor any world. */
export const observeDeployment = (world: {
  readonly deployment: Deployment
  readonly owned: ReadonlyArray<ReplicaSet>
  readonly orphans: ReadonlyArray<ReplicaSet>
  /** How many Pods of a ReplicaSet (by uid) have not come to an end. */
  readonly podsOf: (uid: string) => number
  /** The ReplicaSet that has the name the next one would get. */
  readonly namesake: ReplicaSet | undefined
  /** True where it is left out: the default of the feature gate. */
  readonly countsTerminating?: boolean
  readonly nowMillis: number
}): DeploymentObservation => {
  const { deployment, countsTerminating = true } = world
  const { kept, adopt, release } = claim({
    owner: deployment,
    selector: deployment.spec.selector,
    owned: world.owned,
    orphans: world.orphans
  })
  const replicaSets = [...kept].sort(byCreation)
  const next = nextReplicaSet(deployment, replicaSets)
  const previous = replicaSets.filter((it) => it !== next)
  return {
    deployment,
    replicaSets,
    next,
    previous,
    podsUnderPrevious: previous.reduce((sum, it) => sum + world.podsOf(it.metadata.uid), 0),
    nameTakenBy: next === undefined ? takerOf(deployment, world.namesake) : undefined,
    claims: { adopt, release },
    ...fenceposts(deployment),
    countsTerminating,
    counts: countReplicas(deployment, replicaSets, next, countsTerminating),
    nowMillis: world.nowMillis
  }
}

const takerOf = (deployment: Deployment, namesake: ReplicaSet | undefined): string | undefined => {
  if (namesake === undefined) return undefined
  const ours = controllerOf(namesake)?.uid === deployment.metadata.uid
  // One of ours with our template that is not among the kept is about to be released or adopted: not a
  // collision.
  return ours && isSameTemplate(namesake.spec.template, deployment.spec.template)
    ? undefined
    : namesake.metadata.name
}

/**
 * How many Pods may be there beyond the desired number, and how many may be missing from it. Surge rounds up,
 * unavailability down; where both come to 0 one Pod may be missing, or nothing could ever move. Where the strategy is
 * given no amounts, as Recreate never is, nothing may be beyond or missing.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts, MaxSurge, MaxUnavailable).
 */
export const fenceposts = (
  deployment: Deployment
): { readonly surgeMax: number; readonly unavailableMax: number } => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { surgeMax: 0, unavailableMax: 0 }
  const surgeMax = resolveIntOrPercent({
    value: strategy.rollingUpdate.maxSurge ?? 0,
    total: replicas,
    round: "up"
  })
  const missing = resolveIntOrPercent({
    value: strategy.rollingUpdate.maxUnavailable ?? 0,
    total: replicas,
    round: "down"
  })
  const unavailable = surgeMax === 0 && missing === 0 ? 1 : missing
  return { surgeMax, unavailableMax: Math.min(unavailable, replicas) }
}
