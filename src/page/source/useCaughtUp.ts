import { useEffect, useState } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"

/** Whether all entries from before the page was opened are read. */
export const useCaughtUp = (): boolean => {
  const { history, redrawCount } = usePageState()
  const shownHistory = useSignal(history)
  const [isCaughtUp, setCaughtUp] = useState(shownHistory.isCaughtUp)
  useEffect(() => {
    const update = (): void => setCaughtUp(shownHistory.isCaughtUp)
    update()
    return redrawCount.subscribe(update)
  }, [shownHistory, redrawCount])
  return isCaughtUp
}

/** Whether missing objects may still arrive. */
export const useIsReading = (): boolean => {
  const { source } = usePageState()
  const isCaughtUp = useCaughtUp()
  return useSignal(source)?.type === "live" && !isCaughtUp
}
