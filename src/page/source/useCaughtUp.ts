import { useEffect, useState } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"

/** Whether all that was recorded before the page was opened is read. Redraws the view only when that changes. */
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

/** Whether the page still reads what a living cluster has recorded: what is missing may yet come. */
export const useIsReading = (): boolean => {
  const { source } = usePageState()
  const isCaughtUp = useCaughtUp()
  return useSignal(source)?.type === "living" && !isCaughtUp
}
