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
  readonly newRevisionUid: string | undefined
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
export interface TrackedRevision {
  readonly uid: string
  replicaSet: ReplicaSet | undefined
  owner: TrackedWorkload | undefined
  counts: RevisionPods
  available: number
  minReadyMillis: number
}

export const makeTrackedRevision = (uid: string): TrackedRevision => ({
  uid,
  replicaSet: undefined,
  owner: undefined,
  counts: { uid, revision: "", ready: 0, notReady: 0, terminating: 0 },
  available: 0,
  minReadyMillis: 0
})

/** A Deployment with running counts, so that a change costs the same however many Pods there are. */
export interface TrackedWorkload {
  readonly uid: string
  deployment: Deployment | undefined
  isGone: boolean
  readonly replicaSets: Map<string, TrackedRevision>
  readonly withPods: Set<TrackedRevision>
  newRevisionUid: string | undefined
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

export const addEvent = (trackedWorkload: TrackedWorkload, event: TimelineEvent): void => {
  trackedWorkload.events.push(event)
  addMoment(trackedWorkload.moments, event)
}

export const makeTrackedWorkload = (uid: string): TrackedWorkload => ({
  uid,
  deployment: undefined,
  isGone: false,
  replicaSets: new Map(),
  withPods: new Set(),
  newRevisionUid: undefined,
  rows: [],
  events: [],
  moments: []
})

export const addPodCount = (
  trackedRevision: TrackedRevision,
  pod: { readonly readiness: PodReadiness | undefined; readonly isAvailable: boolean },
  by: 1 | -1
): void => {
  const { readiness } = pod
  if (readiness === undefined) return
  trackedRevision.counts = {
    ...trackedRevision.counts,
    [readiness]: trackedRevision.counts[readiness] + by
  }
  if (pod.isAvailable) trackedRevision.available += by
  if (totalPods(trackedRevision.counts) > 0) trackedRevision.owner?.withPods.add(trackedRevision)
  else trackedRevision.owner?.withPods.delete(trackedRevision)
}

export const assignOwner = (
  trackedRevision: TrackedRevision,
  trackedWorkload: TrackedWorkload | undefined
): void => {
  if (trackedRevision.owner === trackedWorkload) return
  trackedRevision.owner?.replicaSets.delete(trackedRevision.uid)
  trackedRevision.owner?.withPods.delete(trackedRevision)
  trackedRevision.owner = trackedWorkload
  trackedWorkload?.replicaSets.set(trackedRevision.uid, trackedRevision)
  if (totalPods(trackedRevision.counts) > 0) trackedWorkload?.withPods.add(trackedRevision)
}

export const updateNewRevision = (trackedWorkload: TrackedWorkload): void => {
  const { deployment, replicaSets } = trackedWorkload
  if (deployment === undefined) return
  const replicaSetsOfDeployment = [...replicaSets.values()].flatMap(({ replicaSet }) => replicaSet ?? [])
  trackedWorkload.newRevisionUid = findNextReplicaSet(deployment, replicaSetsOfDeployment)?.metadata.uid
}

export const revisionLabel = (replicaSet: ReplicaSet): string => {
  const revision = revisionOf(replicaSet)
  return revision === undefined || revision === 0n ? "" : String(revision)
}

/** Adds a row if the state has changed. Of one instant and entry only the last row is kept. */
export const recordRow = (trackedWorkload: TrackedWorkload, number: number, atMillis: number): void => {
  const { deployment, rows } = trackedWorkload
  if (deployment === undefined) return
  const lastRow = rows.at(-1)
  const row = rowOf(trackedWorkload, deployment, number, atMillis)
  if (lastRow !== undefined && isSame(lastRow, row)) return
  if (lastRow?.number === number && lastRow.atMillis === atMillis) rows.pop()
  rows.push(row)
  addMoment(trackedWorkload.moments, row)
}

const rowOf = (
  trackedWorkload: TrackedWorkload,
  deployment: Deployment,
  number: number,
  atMillis: number
): TrackRow => {
  const { podsMax, availableMin } = rolloutBounds(deployment)
  let available = 0
  for (const trackedRevision of trackedWorkload.withPods) available += trackedRevision.available
  const byRevision = Array.from(trackedWorkload.withPods, ({ counts }) => counts)
  if (byRevision.length > 1) byRevision.sort(newestFirst)
  return {
    number,
    atMillis,
    newRevisionUid: trackedWorkload.newRevisionUid,
    byRevision,
    available,
    desired: trackedWorkload.isGone ? 0 : deployment.spec.replicas,
    floor: trackedWorkload.isGone ? undefined : availableMin,
    ceiling: trackedWorkload.isGone ? undefined : podsMax
  }
}

const newestFirst = (a: RevisionPods, b: RevisionPods): number => Number(b.revision) - Number(a.revision)

const isSame = (a: TrackRow, b: TrackRow): boolean =>
  a.newRevisionUid === b.newRevisionUid &&
  a.available === b.available &&
  a.desired === b.desired &&
  a.floor === b.floor &&
  a.ceiling === b.ceiling &&
  a.byRevision.length === b.byRevision.length &&
  a.byRevision.every((pods, index) => pods === b.byRevision[index])
