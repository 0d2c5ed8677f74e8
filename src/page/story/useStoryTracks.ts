import { healthRankOf } from "../fleet/fleetHealth.ts"
import { useFleetHealth } from "../fleet/useFleetHealth.ts"
import { usePageState } from "../pageState.ts"
import { useRef } from "preact/hooks"
import { useSignal } from "../useSignal.ts"
import { healthsWorstFirst } from "../../explain/health/healthLeads.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { WorkloadTrack } from "../timeline/series/timelineSeries.ts"

const workloadsMax = 6

/** The selected workload; without one the least healthy, then those with bad events. */
export const useStoryTracks = (
  history: ClusterHistory,
  coversAllWorkloads: boolean
): ReadonlyArray<WorkloadTrack> => {
  const { selected, moment } = usePageState()
  const selectedAddress = useSignal(selected)
  const lastChoice = useRef<{
    readonly history: ClusterHistory
    readonly tracks: ReadonlyArray<WorkloadTrack>
  }>(undefined)
  const health = useFleetHealth()
  const selectedTrack =
    selectedAddress === undefined || coversAllWorkloads ? undefined : history.series.trackOf(selectedAddress)
  if (selectedTrack !== undefined) return [selectedTrack]
  const tracks = history.series.tracks()
  if (tracks.length <= workloadsMax) return tracks
  // At a past moment other workloads are the worst, but the story keeps its workloads.
  if (moment.get() !== undefined && lastChoice.current?.history === history) return lastChoice.current.tracks
  /** 0 for a workload with a bad event. */
  const troubleRank = ({ events }: WorkloadTrack): number => (events.some(({ isBad }) => isBad) ? 0 : 1)
  const isUnhealthy = ({ uid }: WorkloadTrack): boolean => {
    const card = health.get(uid)
    return card !== undefined && healthRankOf(card) < healthsWorstFirst.indexOf("rolling out")
  }
  const troubled = tracks.filter((track) => isUnhealthy(track) || troubleRank(track) === 0)
  const worst = (troubled.length === 0 ? tracks : troubled)
    .toSorted(
      (a, b) =>
        healthRankOf(health.get(a.uid)) - healthRankOf(health.get(b.uid)) || troubleRank(a) - troubleRank(b)
    )
    .slice(0, workloadsMax)
  lastChoice.current = { history, tracks: worst }
  return worst
}
