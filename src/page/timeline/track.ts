import { findNextReplicaSet } from "../../kubernetes/apps/revisions/findNextReplicaSet.ts"
import { rolloutBounds } from "../../kubernetes/apps/rolloutBounds.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Happening } from "./happenings.ts"

/** What is so of one Deployment from an entry on, until the next row. */
export interface Row {
  /** Of the entry that brought it, or of the first one after it where waiting alone did. */
  readonly number: number
  readonly atMillis: number
  /** The ReplicaSet of the present template, by its uid. */
  readonly next: string | undefined
  /** Of those that have Pods at all; the newest revision first. */
  readonly byRevision: ReadonlyArray<RevisionPods>
  /** Ready for `minReadySeconds`, to the instant, whoever has noticed yet. */
  readonly available: number
  readonly desired: number
  /** How few may be available, and how many may be there that are not on their way out; undefined: as it comes. */
  readonly floor: number | undefined
  readonly ceiling: number | undefined
}

/** The Pods of one ReplicaSet; those that have ended are not counted. */
export interface RevisionPods {
  /** The ReplicaSet's. */
  readonly uid: string
  /** "" while it has none. */
  readonly revision: string
  readonly ready: number
  readonly notReady: number
  readonly terminating: number
}

export const podsIn = ({ ready, notReady, terminating }: RevisionPods): number =>
  ready + notReady + terminating

/** How a Pod is counted. */
export type Standing = "ready" | "notReady" | "terminating"

/** A ReplicaSet and its Pods, whose ever they are: an owner may be told of after what it owns. */
export interface ReplicaSetCounts {
  readonly uid: string
  replicaSet: ReplicaSet | undefined
  owner: DeploymentCounts | undefined
  counts: RevisionPods
  available: number
  minReadyMillis: number
}

export const countReplicaSet = (uid: string): ReplicaSetCounts => ({
  uid,
  replicaSet: undefined,
  owner: undefined,
  counts: { uid, revision: "", ready: 0, notReady: 0, terminating: 0 },
  available: 0,
  minReadyMillis: 0
})

/** Running counts of one Deployment: a change costs the same whatever the number of its Pods. */
export interface DeploymentCounts {
  readonly uid: string
  deployment: Deployment | undefined
  isGone: boolean
  readonly replicaSets: Map<string, ReplicaSetCounts>
  /** Those of them that have Pods. */
  readonly withPods: Set<ReplicaSetCounts>
  next: string | undefined
  readonly rows: Array<Row>
  readonly happenings: Array<Happening>
  /** When there was one of either. */
  readonly moments: Array<Moment>
}

export interface Moment {
  readonly number: number
  readonly atMillis: number
}

/** Adds to moments in order, each instant once. */
export const mark = (moments: Array<Moment>, { number, atMillis }: Moment): void => {
  if (moments.at(-1)?.atMillis !== atMillis) moments.push({ number, atMillis })
}

export const happen = (ofDeployment: DeploymentCounts, happening: Happening): void => {
  ofDeployment.happenings.push(happening)
  mark(ofDeployment.moments, happening)
}

export const countDeployment = (uid: string): DeploymentCounts => ({
  uid,
  deployment: undefined,
  isGone: false,
  replicaSets: new Map(),
  withPods: new Set(),
  next: undefined,
  rows: [],
  happenings: [],
  moments: []
})

/** Counts one Pod in or out. */
export const count = (
  ofReplicaSet: ReplicaSetCounts,
  pod: { readonly standing: Standing | undefined; readonly isAvailable: boolean },
  by: 1 | -1
): void => {
  const { standing } = pod
  if (standing === undefined) return
  ofReplicaSet.counts = { ...ofReplicaSet.counts, [standing]: ofReplicaSet.counts[standing] + by }
  if (pod.isAvailable) ofReplicaSet.available += by
  if (podsIn(ofReplicaSet.counts) > 0) ofReplicaSet.owner?.withPods.add(ofReplicaSet)
  else ofReplicaSet.owner?.withPods.delete(ofReplicaSet)
}

/** Has a ReplicaSet belong to a Deployment, or to none. */
export const assign = (ofReplicaSet: ReplicaSetCounts, ofDeployment: DeploymentCounts | undefined): void => {
  if (ofReplicaSet.owner === ofDeployment) return
  ofReplicaSet.owner?.replicaSets.delete(ofReplicaSet.uid)
  ofReplicaSet.owner?.withPods.delete(ofReplicaSet)
  ofReplicaSet.owner = ofDeployment
  ofDeployment?.replicaSets.set(ofReplicaSet.uid, ofReplicaSet)
  if (podsIn(ofReplicaSet.counts) > 0) ofDeployment?.withPods.add(ofReplicaSet)
}

/** Looks anew which ReplicaSet is of the present template. */
export const chooseNext = (ofDeployment: DeploymentCounts): void => {
  const { deployment, replicaSets } = ofDeployment
  if (deployment === undefined) return
  const own = [...replicaSets.values()].flatMap(({ replicaSet }) => replicaSet ?? [])
  ofDeployment.next = findNextReplicaSet(deployment, own)?.metadata.uid
}

/** The revision as it is written beside its Pods. */
export const revisionText = (replicaSet: ReplicaSet): string => {
  const revision = revisionOf(replicaSet)
  return revision === undefined || revision === 0n ? "" : String(revision)
}

/** Writes down what is so now, where that is another thing than before. */
export const note = (ofDeployment: DeploymentCounts, number: number, atMillis: number): void => {
  const { deployment, rows } = ofDeployment
  if (deployment === undefined) return
  const last = rows.at(-1)
  const row = rowOf(ofDeployment, deployment, number, atMillis)
  if (last !== undefined && isSame(last, row)) return
  if (last?.number === number && last.atMillis === atMillis) rows.pop()
  rows.push(row)
  mark(ofDeployment.moments, row)
}

const rowOf = (
  ofDeployment: DeploymentCounts,
  deployment: Deployment,
  number: number,
  atMillis: number
): Row => {
  const { podsMax, availableMin } = rolloutBounds(deployment)
  let available = 0
  for (const ofReplicaSet of ofDeployment.withPods) available += ofReplicaSet.available
  const byRevision = Array.from(ofDeployment.withPods, ({ counts }) => counts)
  if (byRevision.length > 1) byRevision.sort(newestFirst)
  return {
    number,
    atMillis,
    next: ofDeployment.next,
    byRevision,
    available,
    desired: ofDeployment.isGone ? 0 : deployment.spec.replicas,
    floor: ofDeployment.isGone ? undefined : availableMin,
    ceiling: ofDeployment.isGone ? undefined : podsMax
  }
}

const newestFirst = (a: RevisionPods, b: RevisionPods): number => Number(b.revision) - Number(a.revision)

const isSame = (a: Row, b: Row): boolean =>
  a.next === b.next &&
  a.available === b.available &&
  a.desired === b.desired &&
  a.floor === b.floor &&
  a.ceiling === b.ceiling &&
  a.byRevision.length === b.byRevision.length &&
  a.byRevision.every((pods, index) => pods === b.byRevision[index])
