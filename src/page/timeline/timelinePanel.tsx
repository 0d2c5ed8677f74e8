import { kindsWithServingPods } from "../../kubernetes/apps/servingPods.ts"
import { healthRankOf } from "../fleet/fleetHealth.ts"
import { TimelineView } from "./timelineView.tsx"
import { useCallback } from "preact/hooks"
import { useFleetHealth } from "../fleet/useFleetHealth.ts"
import { useSignal } from "../useSignal.ts"
import { useCaughtUp } from "../source/useCaughtUp.ts"
import { usePageState } from "../pageState.ts"

export const TimelinePanel = () => {
  const { history, moment, showMoment, selected, isNow, shownMillis, clusterTime, forecast } = usePageState()
  const shownHistory = useSignal(history)
  const shownMoment = useSignal(moment)
  const selectedAddress = useSignal(selected)
  // Redraws this view while time passes.
  useSignal(clusterTime)
  const followedForecast = useSignal(forecast)
  const isCaughtUp = useCaughtUp()
  const health = useFleetHealth()
  const rankOf = useCallback((uid: string) => healthRankOf(health.get(uid)), [health])
  if (shownHistory.header === undefined) return null
  return (
    <TimelineView
      history={shownHistory}
      moment={shownMoment}
      showMoment={showMoment}
      selected={selectedAddress}
      nowMillis={isNow() ? shownMillis() : undefined}
      // The future of a workload without serving Pods, such as a Job, is not drawn.
      forecast={
        isCaughtUp && kindsWithServingPods.has(selectedAddress?.kind ?? "")
          ? followedForecast?.forecast
          : undefined
      }
      rankOf={rankOf}
    />
  )
}
