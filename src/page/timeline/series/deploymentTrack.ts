import { findNextReplicaSet } from "../../../kubernetes/apps/revisions/findNextReplicaSet.ts"
import { rolloutBounds } from "../../../../machines/strategies/strategies.ts"
import { revisionOf } from "../../../kubernetes/apps/revisions/revisions.ts"
import type { Deployment, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { TimelineEvent } from "./timelineEvents.ts"

/** The state of one Deployment from an entry until the next row. */
export interface TrackRow {
  /** The number of the entry; of the next entry if only the passing of time changed the state. */
  readonly number: number
  readonly atMillis: number
  readonly newReplicaSetUid: string | undefined
  /** Only ReplicaSets with Pods; newest revision first. */
  readonly byRevision: ReadonlyArray<RevisionPods>
  /** Ready for minReadySeconds, counted at the instant and not when the controller reports it. */
  readonly available: number
  readonly desired: number
  /** Fewest available and most existing Pods of the strategy; undefined without a bound. */
  readonly floor: number | undefined
  readonly ceiling: number | undefined
}

export interface RevisionPods {
  readonly uid: string
  readonly revision: string
  readonly ready: number
  readonly notReady: number
  readonly terminating: number
}

export const totalPods = ({ ready, notReady, terminating }: RevisionPods): number =>
  ready + notReady + terminating

export type PodReadiness = "ready" | "notReady" | "terminating"

/** A ReplicaSet with the counts of its Pods. Entries may arrive before those of its owner. */
export interface TrackedReplicaSet {
  readonly uid: string
  replicaSet: ReplicaSet | undefined
  owner: TrackedDeployment | undefined
  counts: RevisionPods
  available: number
  minReadyMillis: number
}

export const makeTrackedReplicaSet = (uid: string): TrackedReplicaSet => ({
  uid,
  replicaSet: undefined,
  owner: undefined,
  counts: { uid, revision: "", ready: 0, notReady: 0, terminating: 0 },
  available: 0,
  minReadyMillis: 0
})

/** A Deployment with running counts, so that a change costs the same however many Pods there are. */
export interface TrackedDeployment {
  readonly uid: string
  deployment: Deployment | undefined
  isGone: boolean
  readonly replicaSets: Map<string, TrackedReplicaSet>
  readonly withPods: Set<TrackedReplicaSet>
  newReplicaSetUid: string | undefined
  readonly rows: Array<TrackRow>
  readonly events: Array<TimelineEvent>
  readonly moments: Array<TimelineMoment>
}

export interface TimelineMoment {
  readonly number: number
  readonly atMillis: number
}

export const addMoment = (moments: Array<TimelineMoment>, { number, atMillis }: TimelineMoment): void => {
  if (moments.at(-1)?.atMillis !== atMillis) moments.push({ number, atMillis })
}

export const addEvent = (trackedDeployment: TrackedDeployment, event: TimelineEvent): void => {
  trackedDeployment.events.push(event)
  addMoment(trackedDeployment.moments, event)
}

export const makeTrackedDeployment = (uid: string): TrackedDeployment => ({
  uid,
  deployment: undefined,
  isGone: false,
  replicaSets: new Map(),
  withPods: new Set(),
  newReplicaSetUid: undefined,
  rows: [],
  events: [],
  moments: []
})

export const addPodCount = (
  trackedReplicaSet: TrackedReplicaSet,
  pod: { readonly readiness: PodReadiness | undefined; readonly isAvailable: boolean },
  by: 1 | -1
): void => {
  const { readiness } = pod
  if (readiness === undefined) return
  trackedReplicaSet.counts = {
    ...trackedReplicaSet.counts,
    [readiness]: trackedReplicaSet.counts[readiness] + by
  }
  if (pod.isAvailable) trackedReplicaSet.available += by
  if (totalPods(trackedReplicaSet.counts) > 0) trackedReplicaSet.owner?.withPods.add(trackedReplicaSet)
  else trackedReplicaSet.owner?.withPods.delete(trackedReplicaSet)
}

export const assignOwner = (
  trackedReplicaSet: TrackedReplicaSet,
  trackedDeployment: TrackedDeployment | undefined
): void => {
  if (trackedReplicaSet.owner === trackedDeployment) return
  trackedReplicaSet.owner?.replicaSets.delete(trackedReplicaSet.uid)
  trackedReplicaSet.owner?.withPods.delete(trackedReplicaSet)
  trackedReplicaSet.owner = trackedDeployment
  trackedDeployment?.replicaSets.set(trackedReplicaSet.uid, trackedReplicaSet)
  if (totalPods(trackedReplicaSet.counts) > 0) trackedDeployment?.withPods.add(trackedReplicaSet)
}

export const updateNewReplicaSet = (trackedDeployment: TrackedDeployment): void => {
  const { deployment, replicaSets } = trackedDeployment
  if (deployment === undefined) return
  const replicaSetsOfDeployment = [...replicaSets.values()].flatMap(({ replicaSet }) => replicaSet ?? [])
  trackedDeployment.newReplicaSetUid = findNextReplicaSet(deployment, replicaSetsOfDeployment)?.metadata.uid
}

export const revisionLabel = (replicaSet: ReplicaSet): string => {
  const revision = revisionOf(replicaSet)
  return revision === undefined || revision === 0n ? "" : String(revision)
}

/** Adds a row if the state has changed. Of one instant and entry only the last row is kept. */
export const recordRow = (trackedDeployment: TrackedDeployment, number: number, atMillis: number): void => {
  const { deployment, rows } = trackedDeployment
  if (deployment === undefined) return
  const lastRow = rows.at(-1)
  const row = rowOf(trackedDeployment, deployment, number, atMillis)
  if (lastRow !== undefined && isSame(lastRow, row)) return
  if (lastRow?.number === number && lastRow.atMillis === atMillis) rows.pop()
  rows.push(row)
  addMoment(trackedDeployment.moments, row)
}

const rowOf = (
  trackedDeployment: TrackedDeployment,
  deployment: Deployment,
  number: number,
  atMillis: number
): TrackRow => {
  const { podsMax, availableMin } = rolloutBounds(deployment)
  let available = 0
  for (const trackedReplicaSet of trackedDeployment.withPods) available += trackedReplicaSet.available
  const byRevision = Array.from(trackedDeployment.withPods, ({ counts }) => counts)
  if (byRevision.length > 1) byRevision.sort(newestFirst)
  return {
    number,
    atMillis,
    newReplicaSetUid: trackedDeployment.newReplicaSetUid,
    byRevision,
    available,
    desired: trackedDeployment.isGone ? 0 : deployment.spec.replicas,
    floor: trackedDeployment.isGone ? undefined : availableMin,
    ceiling: trackedDeployment.isGone ? undefined : podsMax
  }
}

const newestFirst = (a: RevisionPods, b: RevisionPods): number => Number(b.revision) - Number(a.revision)

const isSame = (a: TrackRow, b: TrackRow): boolean =>
  a.newReplicaSetUid === b.newReplicaSetUid &&
  a.available === b.available &&
  a.desired === b.desired &&
  a.floor === b.floor &&
  a.ceiling === b.ceiling &&
  a.byRevision.length === b.byRevision.length &&
  a.byRevision.every((pods, index) => pods === b.byRevision[index])
