import { timeScale } from "../../../src/drawing/timeScale.ts"
import type { RevisionPods, TrackRow } from "../../../src/page/timeline/series/workloadTrack.ts"
import type { TimeScale } from "../../../src/drawing/timeScale.ts"

/** A scale of one unit per millisecond. */
export const scaleOf = (endMillis: number, beginMillis = 0): TimeScale =>
  timeScale({ beginMillis, endMillis, moments: [], range: [beginMillis, endMillis] })

export const pods = (uid: string, ready: number, notReady = 0, terminating = 0): RevisionPods => ({
  uid,
  revision: uid === "a" ? "1" : "2",
  ready,
  notReady,
  terminating
})
export const aRow = (
  atMillis: number,
  more: Partial<TrackRow> & { readonly pods?: number } = {}
): TrackRow => ({
  number: atMillis,
  atMillis,
  newRevisionUid: "a",
  byRevision: [pods("a", more.pods ?? 4)],
  available: 4,
  desired: 4,
  floor: undefined,
  ceiling: undefined,
  ...more
})
