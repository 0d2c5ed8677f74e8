import type { WorkloadTrack } from "./series/timelineSeries.ts"

/** The lanes of the timeline, and how well each workload was when they were put in order. */
export interface LaneOrder {
  readonly lanes: ReadonlyArray<WorkloadTrack>
  readonly ranks: ReadonlyMap<string, number>
}

/**
 * The worst workloads first, equal ones as they come. Lanes stay where they are until a workload has become worse than
 * it was when they were put in order: one that crashes again and again moves no lane.
 */
export const orderLanes = (
  before: LaneOrder | undefined,
  tracks: ReadonlyArray<WorkloadTrack>,
  rankOf: (uid: string) => number
): LaneOrder => {
  const ranks = new Map(tracks.map(({ uid }) => [uid, rankOf(uid)]))
  const isAsBefore = ([uid, rank]: readonly [string, number]): boolean =>
    rank >= (before?.ranks.get(uid) ?? Infinity)
  if (before?.ranks.size === ranks.size && [...ranks].every(isAsBefore)) return before
  return { lanes: tracks.toSorted((a, b) => rankOf(a.uid) - rankOf(b.uid)), ranks }
}
