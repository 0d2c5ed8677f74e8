import { timeText } from "../timeline/timelineText.ts"
import { usePageState } from "../pageState.ts"
import { latestMoment } from "../history/moment.ts"
import type { Moment } from "../history/moment.ts"

interface MomentProps {
  readonly moment: Moment
}

export const MomentView = ({ moment }: MomentProps) => {
  const { history, showMoment } = usePageState()
  const shownHistory = history.get()
  const isTooOld = moment < shownHistory.beginNumber
  return (
    <p class="notice moment" role="status" data-testid="banner" data-moment={moment}>
      {isTooOld
        ? `Earlier entries are no longer retained: the recording begins at ${timeText(shownHistory.beginMillis)}.`
        : `The state at ${timeText(shownHistory.millisAt(moment))}.`}{" "}
      <button type="button" onClick={() => showMoment(latestMoment)}>
        back to now
      </button>{" "}
      <span class="quiet">Escape or End</span>
    </p>
  )
}
