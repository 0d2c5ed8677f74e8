import { roughDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { afterDeadlineTexts, steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import type { StorySentence } from "./storySentence.ts"
import type { TimelineEvent } from "../timeline/series/timelineEvents.ts"
import type { WorkloadTrack } from "../timeline/series/timelineSeries.ts"
import type { TrackRow } from "../timeline/series/workloadTrack.ts"

/** Dips closer together than this count as one. */
const dipGapMillisMax = 2000

/** A time in which fewer Pods were available than the floor. */
interface Dip {
  /** The row with which it began. */
  readonly firstRow: TrackRow
  fewestAvailable: number
  /** Undefined while the dip lasts. */
  endMillis: number | undefined
  /** Whether the available Pods became fewer; otherwise only more Pods were asked for. */
  isLoss: boolean
}

/** When each dip began, and how long it lasted. A workload that has not reached its floor yet is only starting. */
export const floorSentences = ({
  kind,
  namespace,
  name,
  rows
}: WorkloadTrack): ReadonlyArray<StorySentence> => {
  if (kind === "HorizontalPodAutoscaler") return []
  const dips: Array<Dip> = []
  let wasAtFloor = false
  let availableBefore = 0
  for (const row of rows) {
    const { available, floor = 0, atMillis } = row
    const lastDip = dips.at(-1)
    const isBelow = available < floor
    if (!isBelow) {
      wasAtFloor ||= floor > 0
      if (lastDip !== undefined) lastDip.endMillis ??= atMillis
    } else if (wasAtFloor) {
      const belongsToLast =
        lastDip !== undefined && atMillis - (lastDip.endMillis ?? atMillis) < dipGapMillisMax
      const dip = belongsToLast
        ? lastDip
        : { firstRow: row, fewestAvailable: available, endMillis: undefined, isLoss: false }
      if (!belongsToLast) dips.push(dip)
      dip.endMillis = undefined
      dip.fewestAvailable = Math.min(dip.fewestAvailable, available)
      dip.isLoss ||= available < availableBefore
    }
    availableBefore = available
  }
  return dips
    .filter(({ isLoss }) => isLoss)
    .map(({ firstRow, fewestAvailable, endMillis }) => {
      const { number, atMillis, floor = 0, desired } = firstRow
      const lasted = endMillis === undefined ? "since then" : `for ${roughDuration(endMillis - atMillis)}`
      const text = `below its floor of ${floor} ${lasted}: ${fewestAvailable} of ${desired} available at the fewest`
      return { number, atMillis, text, tone: "bad" as const, address: { kind, namespace, name } }
    })
}

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
