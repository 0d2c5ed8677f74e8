import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { imagesOf } from "../../kubernetes/pods/containers/images.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { TrackRow } from "../timeline/series/workloadTrack.ts"

/** A revision that a Deployment can be rolled back to. */
export interface UndoRevision {
  readonly revision: number
  readonly images: string
  /** Whether all Pods were of this revision and ready at some moment; undefined if that was before the recording. */
  readonly wasComplete: boolean | undefined
}

/** Every revision but the present one, the newest first. */
export const undoRevisions = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>,
  rows: ReadonlyArray<TrackRow>
): ReadonlyArray<UndoRevision> => {
  const present = findNewReplicaSet(deployment, replicaSets)?.metadata.uid
  return [...replicaSets].sort(newestRevisionFirst).flatMap((replicaSet) => {
    const { uid } = replicaSet.metadata
    const revision = Number(revisionOf(replicaSet) ?? 0)
    if (uid === present || revision === 0) return []
    return [{ revision, images: imagesOf(replicaSet), wasComplete: wasEverComplete(uid, rows) }]
  })
}

/** Undefined if the ReplicaSet was the newest before the recording only. */
export const wasEverComplete = (uid: string, rows: ReadonlyArray<TrackRow>): boolean | undefined => {
  const rowsAsNewest = rows.filter(({ newRevisionUid }) => newRevisionUid === uid)
  return rowsAsNewest.length === 0 ? undefined : rowsAsNewest.some(isComplete)
}

const isComplete = ({ byRevision, newRevisionUid, desired }: TrackRow): boolean =>
  byRevision.every(({ uid, ready, notReady }) =>
    uid === newRevisionUid ? ready >= desired : ready + notReady === 0
  ) && byRevision.some(({ uid }) => uid === newRevisionUid)

/** The newest revision that is not known to have failed, else the newest. */
export const likeliestUndo = (revisions: ReadonlyArray<UndoRevision>): UndoRevision | undefined =>
  revisions.find(({ wasComplete }) => wasComplete === true) ??
  revisions.find(({ wasComplete }) => wasComplete !== false) ??
  revisions[0]

export const undoRevisionText = ({ revision, images, wasComplete }: UndoRevision): string =>
  `${revision}: ${images}${wasComplete === undefined ? "" : wasComplete ? ", was complete" : ", never complete"}`
