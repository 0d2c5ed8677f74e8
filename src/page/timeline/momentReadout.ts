import { kindsWithServingPods } from "../../kubernetes/apps/servingPods.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { lastIndexUpTo } from "../history/objectVersions.ts"
import { revisionPodsText, availabilityText, timeText } from "./timelineText.ts"
import type { TimelineHistory } from "./layout/timelineLayout.ts"
import type { TrackRow } from "./series/workloadTrack.ts"
import type { WorkloadTrack } from "./series/timelineSeries.ts"
import type { Moment } from "../history/moment.ts"

/** Undefined before the first row. */
export const rowAt = (rows: ReadonlyArray<TrackRow>, moment: Moment): TrackRow | undefined =>
  rows[lastIndexUpTo(rows, moment)]

/** The entry number to go to next: of an Event, of a step or failure noted in the run, or of either end of a fault. */
export const nextMarkedMoment = (
  history: Pick<TimelineHistory, "faults" | "notes">,
  tracks: ReadonlyArray<WorkloadTrack>,
  moment: Moment,
  direction: 1 | -1
): number | undefined => {
  const markedEntries = [...tracks.map(({ events }) => events), history.notes]
  const faultEnds = history.faults.flatMap(({ beganNumber, endedNumber = beganNumber }) => [
    beganNumber,
    endedNumber
  ])
  const markedMoments = markedEntries
    .flatMap((list) => neighbourNumber(list, moment, direction) ?? [])
    .concat(faultEnds.filter((number) => (direction > 0 ? number > moment : number < moment)))
  if (markedMoments.length === 0) return undefined
  return direction > 0 ? Math.min(...markedMoments) : Math.max(...markedMoments)
}

const neighbourNumber = (
  list: ReadonlyArray<{ readonly number: number }>,
  moment: Moment,
  direction: 1 | -1
): number | undefined =>
  direction > 0
    ? list[lastIndexUpTo(list, moment) + 1]?.number
    : list[lastIndexUpTo(list, moment - 1)]?.number

/** The counts of one workload, or the sums over all of `tracks` whose Pods serve. */
export const countsReadout = (
  millis: number,
  moment: Moment,
  track: WorkloadTrack | undefined,
  tracks: ReadonlyArray<WorkloadTrack>
): {
  readonly time: string
  readonly counts: string
  readonly revisions: ReadonlyArray<string>
} => {
  const time = timeText(millis)
  if (track !== undefined) {
    const row = rowAt(track.rows, moment)
    if (row === undefined) return { time, counts: `${track.name} is not there yet`, revisions: [] }
    return {
      time,
      counts: availabilityText(track.kind, row),
      revisions: row.byRevision.map(revisionPodsText)
    }
  }
  const rows = tracks
    .filter(({ kind }) => kindsWithServingPods.has(kind))
    .flatMap((it) => rowAt(it.rows, moment) ?? [])
  const [available, desired] = [sum(rows, (row) => row.available), sum(rows, (row) => row.desired)]
  const counts = `${available} of ${desired} available in ${countText(rows.length, "workload")}`
  return { time, counts, revisions: [] }
}

const sum = (rows: ReadonlyArray<TrackRow>, valueOf: (row: TrackRow) => number): number =>
  rows.reduce((total, row) => total + valueOf(row), 0)
