import { useEffect, useState } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"

/** Whether all that was recorded before the page was opened is read. Redraws the view only when that changes. */
export const useCaughtUp = (): boolean => {
  const { history, redrawCount } = usePageState()
  const shownHistory = useSignal(history)
  const [isCaughtUp, setCaughtUp] = useState(shownHistory.isCaughtUp)
  useEffect(() => {
    const look = (): void => setCaughtUp(shownHistory.isCaughtUp)
    look()
    return redrawCount.subscribe(look)
  }, [shownHistory, redrawCount])
  return isCaughtUp
}
