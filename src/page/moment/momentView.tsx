import { clockText } from "../source/clusterTime.ts"
import { useSignal } from "../useSignal.ts"
import { usePageState } from "../pageState.ts"

/** The banner above a past moment of a living cluster. */
export const MomentView = () => {
  const { history, moment, showMoment, source, redrawCount } = usePageState()
  const shownMoment = useSignal(moment)
  // Redraws this view when the recording grows.
  useSignal(redrawCount)
  if (shownMoment === undefined || source.get()?.type !== "living") return null
  const shownHistory = history.get()
  if (shownHistory.header === undefined) return null
  // Both are numbers of entries of the recording.
  const isTooOld = shownMoment < shownHistory.beginNumber
  return (
    <p class="notice moment" role="status" data-testid="banner" data-moment={shownMoment}>
      {isTooOld
        ? `Earlier entries are no longer retained: the recording begins at ${clockText(shownHistory.beginMillis)}.`
        : `The state at ${clockText(shownHistory.millisAt(shownMoment))}.`}{" "}
      <button type="button" onClick={() => showMoment(undefined)}>
        back to now
      </button>{" "}
      <span class="quiet">Escape or End</span>
    </p>
  )
}
