import { newestRevisionUid, workloadSizeOf } from "./workloadSize.ts"
import { revisionOf } from "../../../kubernetes/apps/revisions/revisions.ts"
import type { ControllerRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { KubeObject, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { Job } from "../../../kubernetes/batch/jobs/jobTypes.ts"
import type { TimelineEvent } from "./timelineEvents.ts"

/** The state of one workload from an entry until the next row. */
export interface TrackRow {
  /** The number of the entry, or of the next entry if time alone changed the state. */
  readonly number: number
  readonly atMillis: number
  readonly newRevisionUid: string | undefined
  /** Only revisions with Pods; the newest first. */
  readonly byRevision: ReadonlyArray<RevisionPods>
  /** Counted when minReadySeconds have passed, not when the controller reports it. */
  readonly available: number
  readonly desired: number
  /** Bounds of the strategy; undefined without one. */
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

/** Entries of Pods may arrive before those of their owner. */
export interface TrackedRevision {
  /** The uid of the ReplicaSet or Job; else the workload's uid and the Pods' hash. */
  readonly uid: string
  object: RevisionObject | undefined
  owner: TrackedWorkload | undefined
  counts: RevisionPods
  available: number
  minReadyMillis: number
}

export type RevisionObject = ReplicaSet | Job | ControllerRevision

export const makeTrackedRevision = (uid: string): TrackedRevision => ({
  uid,
  object: undefined,
  owner: undefined,
  counts: { uid, revision: "", ready: 0, notReady: 0, terminating: 0 },
  available: 0,
  minReadyMillis: 0
})

/** Running counts: the cost of a change does not depend on the number of Pods. */
export interface TrackedWorkload {
  readonly uid: string
  workload: KubeObject | undefined
  isGone: boolean
  readonly revisions: Map<string, TrackedRevision>
  readonly revisionsWithPods: Set<TrackedRevision>
  newRevisionUid: string | undefined
  readonly rows: Array<TrackRow>
  readonly events: Array<TimelineEvent>
  /** The first row or event at each time. */
  readonly moments: Array<TimelineMoment>
}

export interface TimelineMoment {
  readonly number: number
  readonly atMillis: number
}

export const addMoment = (moments: Array<TimelineMoment>, { number, atMillis }: TimelineMoment): void => {
  if (moments.at(-1)?.atMillis !== atMillis) moments.push({ number, atMillis })
}

export const addTimelineEvent = (trackedWorkload: TrackedWorkload, event: TimelineEvent): void => {
  trackedWorkload.events.push(event)
  addMoment(trackedWorkload.moments, event)
}

export const makeTrackedWorkload = (uid: string): TrackedWorkload => ({
  uid,
  workload: undefined,
  isGone: false,
  revisions: new Map(),
  revisionsWithPods: new Set(),
  newRevisionUid: undefined,
  rows: [],
  events: [],
  moments: []
})

export const addPodCount = (
  trackedRevision: TrackedRevision,
  pod: { readonly readiness: PodReadiness | undefined; readonly isAvailable: boolean },
  delta: 1 | -1
): void => {
  const { readiness } = pod
  if (readiness === undefined) return
  trackedRevision.counts = {
    ...trackedRevision.counts,
    [readiness]: trackedRevision.counts[readiness] + delta
  }
  if (pod.isAvailable) trackedRevision.available += delta
  if (totalPods(trackedRevision.counts) > 0) trackedRevision.owner?.revisionsWithPods.add(trackedRevision)
  else trackedRevision.owner?.revisionsWithPods.delete(trackedRevision)
}

export const assignOwner = (
  trackedRevision: TrackedRevision,
  trackedWorkload: TrackedWorkload | undefined
): void => {
  if (trackedRevision.owner === trackedWorkload) return
  trackedRevision.owner?.revisions.delete(trackedRevision.uid)
  trackedRevision.owner?.revisionsWithPods.delete(trackedRevision)
  trackedRevision.owner = trackedWorkload
  trackedWorkload?.revisions.set(trackedRevision.uid, trackedRevision)
  if (totalPods(trackedRevision.counts) > 0) trackedWorkload?.revisionsWithPods.add(trackedRevision)
}

export const updateNewRevision = (trackedWorkload: TrackedWorkload): void => {
  const { workload, revisions } = trackedWorkload
  if (workload !== undefined) trackedWorkload.newRevisionUid = newestRevisionUid(workload, revisions.values())
}

/** Empty for a Job, and for a ReplicaSet without a number. */
export const revisionLabel = (object: RevisionObject): string => {
  if (object.kind === "Job") return ""
  if ("revision" in object) return String(object.revision)
  const revision = revisionOf(object)
  return revision === undefined || revision === 0n ? "" : String(revision)
}

/** Of one instant and entry only the last row is kept. */
export const recordRow = (trackedWorkload: TrackedWorkload, number: number, atMillis: number): void => {
  const { workload, rows } = trackedWorkload
  if (workload === undefined) return
  const lastRow = rows.at(-1)
  const row = rowOf(trackedWorkload, workload, number, atMillis)
  if (lastRow !== undefined && isSameState(lastRow, row)) return
  if (lastRow?.number === number && lastRow.atMillis === atMillis) rows.pop()
  rows.push(row)
  addMoment(trackedWorkload.moments, row)
}

const rowOf = (
  trackedWorkload: TrackedWorkload,
  workload: KubeObject,
  number: number,
  atMillis: number
): TrackRow => {
  const size = trackedWorkload.isGone
    ? undefined
    : workloadSizeOf(workload, trackedWorkload.revisions.values())
  let available = size?.current ?? 0
  for (const trackedRevision of trackedWorkload.revisionsWithPods) available += trackedRevision.available
  // With a surge, a node has a new Pod beside the old one for a while.
  if (workload.kind === "DaemonSet") available = Math.min(available, size?.desired ?? 0)
  const byRevision = Array.from(trackedWorkload.revisionsWithPods, ({ counts }) => counts)
  if (byRevision.length > 1) byRevision.sort(newestFirst)
  return {
    number,
    atMillis,
    newRevisionUid: trackedWorkload.newRevisionUid,
    byRevision,
    available,
    desired: size?.desired ?? 0,
    floor: size?.floor,
    ceiling: size?.ceiling
  }
}

const newestFirst = (a: RevisionPods, b: RevisionPods): number => Number(b.revision) - Number(a.revision)

const isSameState = (a: TrackRow, b: TrackRow): boolean =>
  a.newRevisionUid === b.newRevisionUid &&
  a.available === b.available &&
  a.desired === b.desired &&
  a.floor === b.floor &&
  a.ceiling === b.ceiling &&
  a.byRevision.length === b.byRevision.length &&
  a.byRevision.every((pods, index) => pods === b.byRevision[index])
