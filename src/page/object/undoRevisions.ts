import { controllerUid, replicaSetsOf } from "../history/fleet.ts"
import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import {
  podRevisionOf,
  sortRevisions,
  templateOfRevision
} from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Deployment, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { AddressKind } from "../pageAddress.ts"
import type { Fleet } from "../history/fleet.ts"
import type { TimelineSeries } from "../timeline/series/timelineSeries.ts"
import type { WorkloadWithTemplate } from "../../forecast/cureRequests.ts"
import type { TrackRow } from "../timeline/series/workloadTrack.ts"

export interface UndoRevision {
  readonly revision: number
  readonly images: string
  /** Whether all Pods were of this revision and ready at some moment; undefined if the recording does not tell. */
  readonly wasComplete: boolean | undefined
}

interface OwnRevision {
  /** The uid of the revision in the timeline. */
  readonly uid: string
  readonly revision: number
  readonly images: string
}

export interface OwnRevisions {
  /** The revision of the present template. */
  readonly present: OwnRevision | undefined
  /** The newest first. */
  readonly others: ReadonlyArray<OwnRevision>
}

export const ownRevisions = (
  workload: KubeObject,
  fleet: Pick<Fleet, "replicaSets" | "revisions">
): OwnRevisions => {
  const { uid: workloadUid } = workload.metadata
  if (workload.kind === "Deployment") {
    const replicaSets = replicaSetsOf(workload, fleet).toSorted(newestRevisionFirst)
    const presentUid = findNewReplicaSet(workload as Deployment, replicaSets)?.metadata.uid
    const all = replicaSets.map((it) => ({
      uid: it.metadata.uid,
      revision: Number(revisionOf(it) ?? 0),
      images: imagesText(it)
    }))
    return {
      present: all.find(({ uid }) => uid === presentUid),
      others: all.filter(({ uid, revision }) => uid !== presentUid && revision > 0)
    }
  }
  const revisions = [...fleet.revisions.values()].filter((it) => controllerUid(it) === workloadUid)
  const [present, ...others] = sortRevisions(revisions)
    .toReversed()
    .map((it) => {
      const template = templateOfRevision(it)
      const images = template === undefined ? "" : imagesText({ spec: { template } })
      return { uid: `${workloadUid} ${podRevisionOf(workload.kind, it)}`, revision: it.revision, images }
    })
  return { present, others }
}

export const undoRevisions = (
  { others }: OwnRevisions,
  rows: ReadonlyArray<TrackRow>
): ReadonlyArray<UndoRevision> =>
  others.map(({ uid, revision, images }) => ({ revision, images, wasComplete: wasEverComplete(uid, rows) }))

/** Undefined if the revision was the newest only before the recording. */
export const wasEverComplete = (uid: string, rows: ReadonlyArray<TrackRow>): boolean | undefined => {
  const rowsAsNewest = rows.filter(({ newRevisionUid }) => newRevisionUid === uid)
  return rowsAsNewest.length === 0 ? undefined : rowsAsNewest.some(isComplete)
}

const isComplete = ({ byRevision, newRevisionUid, desired }: TrackRow): boolean =>
  byRevision.every(({ uid, ready, notReady }) =>
    uid === newRevisionUid ? ready >= desired : ready + notReady === 0
  ) && byRevision.some(({ uid }) => uid === newRevisionUid)

/** The newest complete revision, else the newest of unknown outcome, else the newest. */
export const likeliestUndo = (revisions: ReadonlyArray<UndoRevision>): UndoRevision | undefined =>
  revisions.find(({ wasComplete }) => wasComplete === true) ??
  revisions.find(({ wasComplete }) => wasComplete !== false) ??
  revisions[0]

export const undoRevisionText = ({ revision, images, wasComplete }: UndoRevision): string =>
  `${revision}${images === "" ? "" : `: ${images}`}${wasComplete === undefined ? "" : wasComplete ? ", was complete" : ", never complete"}`

export const undoRevisionsOf = (
  workload: WorkloadWithTemplate,
  {
    fleet,
    series
  }: {
    readonly fleet: Pick<Fleet, "replicaSets" | "revisions">
    readonly series: Pick<TimelineSeries, "trackOf">
  }
): ReadonlyArray<UndoRevision> => {
  const { kind, metadata } = workload
  const { namespace = "", name } = metadata
  const track = series.trackOf({ kind: kind as AddressKind, namespace, name })
  return undoRevisions(ownRevisions(workload, fleet), track?.rows ?? [])
}
