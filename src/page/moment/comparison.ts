import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { Fleet } from "../history/fleet.ts"
import type { Comparison, PageState } from "../pageState.ts"

/** Pins the shown moment, or ends the comparison if there is one. */
export const togglePinnedMoment = ({ comparison, moment, history }: PageState): void => {
  if (comparison.get() !== undefined) return comparison.set(undefined)
  comparison.set({ type: "moment", moment: moment.get() ?? history.get().endNumber })
}

export interface ComparedSide {
  readonly title: string
  readonly millis: number
  readonly fleet: Fleet
}

export const comparedSide = (
  comparison: Comparison,
  history: ClusterHistory,
  shownMillis: number
): ComparedSide => {
  if (comparison.type === "moment") {
    const { moment } = comparison
    // `fleetAt` is fast near the moment of its last call, which should stay the shown one.
    return { title: "Pinned", millis: history.millisAt(moment), fleet: history.distantFleetAt(moment) }
  }
  const { recording } = comparison
  const millis = sameTimeIn(recording.history, history, shownMillis)
  return {
    title: recording.title,
    millis,
    fleet: recording.history.fleetAt(recording.history.momentAt(millis))
  }
}

const sameTimeIn = (history: ClusterHistory, other: ClusterHistory, otherMillis: number): number =>
  Math.min(history.endMillis, history.beginMillis + otherMillis - other.beginMillis)

export const swapSides = ({
  comparison,
  source,
  history,
  moment,
  shownMillis,
  showMoment
}: PageState): void => {
  const [compared, shownSource] = [comparison.get(), source.get()]
  if (compared?.type === "moment") {
    comparison.set({ type: "moment", moment: moment.get() ?? history.get().endNumber })
    showMoment(compared.moment)
  }
  // A recording is compared only with another recording.
  if (compared?.type !== "recording" || shownSource?.type !== "recording") return
  const { history: comparedHistory } = compared.recording
  const millis = sameTimeIn(comparedHistory, history.get(), shownMillis())
  source.set(compared.recording)
  comparison.set({ type: "recording", recording: shownSource })
  showMoment(comparedHistory.momentAt(millis))
}
