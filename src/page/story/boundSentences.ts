import { roughDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { afterDeadlineTexts, steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import type { StorySentence } from "./storySentence.ts"
import type { TimelineEvent } from "../timeline/series/timelineEvents.ts"
import type { WorkloadTrack } from "../timeline/series/timelineSeries.ts"
import type { TrackRow } from "../timeline/series/workloadTrack.ts"

/** Two times below the floor with no more than this between them count as one. */
const gapMillisMax = 2000

/** A time in which fewer Pods were available than the floor. */
interface Dip {
  /** The row with which it began. */
  readonly first: TrackRow
  fewest: number
  /** Undefined while the dip lasts. */
  endMillis: number | undefined
  /** Whether the available Pods became fewer; otherwise only more Pods were asked for. */
  isLoss: boolean
}

/**
 * From when on fewer Pods were available than the strategy allows, and for how long. A workload that has never had as
 * many yet is only starting.
 */
export const floorSentences = ({
  kind,
  namespace,
  name,
  rows
}: WorkloadTrack): ReadonlyArray<StorySentence> => {
  if (kind === "HorizontalPodAutoscaler") return []
  const dips: Array<Dip> = []
  let wasAbove = false
  let availableBefore = 0
  for (const row of rows) {
    const { available, floor = 0, atMillis } = row
    const last = dips.at(-1)
    const isBelow = available < floor
    if (!isBelow) {
      wasAbove ||= floor > 0
      if (last !== undefined) last.endMillis ??= atMillis
    } else if (wasAbove) {
      const belongsToLast = last !== undefined && atMillis - (last.endMillis ?? atMillis) < gapMillisMax
      const dip = belongsToLast
        ? last
        : { first: row, fewest: available, endMillis: undefined, isLoss: false }
      if (!belongsToLast) dips.push(dip)
      dip.endMillis = undefined
      dip.fewest = Math.min(dip.fewest, available)
      dip.isLoss ||= available < availableBefore
    }
    availableBefore = available
  }
  return dips
    .filter(({ isLoss }) => isLoss)
    .map(({ first, fewest, endMillis }) => {
      const { number, atMillis, floor = 0, desired } = first
      const lasted = endMillis === undefined ? "since then" : `for ${roughDuration(endMillis - atMillis)}`
      const text = `below its floor of ${floor} ${lasted}: ${fewest} of ${desired} available at the fewest`
      return { number, atMillis, text, tone: "bad" as const, address: { kind, namespace, name } }
    })
}

/** When a progress deadline passed. */
export const missedDeadlineSentences = ({
  kind,
  namespace,
  name,
  events
}: WorkloadTrack): ReadonlyArray<StorySentence> => {
  const isOfCondition = (event: TimelineEvent, word: string): boolean =>
    event.kind === "condition" && event.text.includes(word)
  const isSteered = events.some((event) => isOfCondition(event, steeredCondition))
  return events
    .filter((event) => isOfCondition(event, "ProgressDeadlineExceeded"))
    .map(({ number, atMillis }) => ({
      number,
      atMillis,
      text: `its progress deadline passed${isSteered ? "" : `: ${afterDeadlineTexts.unsteered}`}`,
      tone: "bad" as const,
      address: { kind, namespace, name }
    }))
}
