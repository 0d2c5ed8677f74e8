import type { WorkloadTrack } from "./series/timelineSeries.ts"

export interface LaneOrder {
  readonly lanes: ReadonlyArray<WorkloadTrack>
  readonly ranks: ReadonlyMap<string, number>
}

/**
 * The worst workloads come first. Lanes move only when a workload becomes worse than at the last ordering: a workload
 * that crashes again and again moves none.
 */
export const orderLanes = (
  before: LaneOrder | undefined,
  tracks: ReadonlyArray<WorkloadTrack>,
  rankOf: (uid: string) => number
): LaneOrder => {
  const ranks = new Map(tracks.map(({ uid }) => [uid, rankOf(uid)]))
  const isNotWorse = ([uid, rank]: readonly [string, number]): boolean =>
    rank >= (before?.ranks.get(uid) ?? Infinity)
  if (before?.ranks.size === ranks.size && [...ranks].every(isNotWorse)) return before
  return { lanes: tracks.toSorted((a, b) => rankOf(a.uid) - rankOf(b.uid)), ranks }
}
