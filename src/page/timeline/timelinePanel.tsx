import { TimelineView } from "./timelineView.tsx"
import { useSignal } from "../useSignal.ts"
import { usePageState } from "../pageState.ts"

export const TimelinePanel = () => {
  const { history, moment, showMoment, selected, isNow, shownMillis, clusterTime } = usePageState()
  const shownHistory = useSignal(history)
  const shownMoment = useSignal(moment)
  const selectedAddress = useSignal(selected)
  useSignal(clusterTime)
  if (shownHistory.header === undefined) return null
  return (
    <TimelineView
      history={shownHistory}
      moment={shownMoment}
      showMoment={showMoment}
      selected={selectedAddress}
      nowMillis={isNow() ? shownMillis() : undefined}
    />
  )
}
