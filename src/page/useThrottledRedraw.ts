import { useEffect, useState } from "preact/hooks"
import { useSignal } from "./useSignal.ts"
import { usePageState } from "./pageState.ts"

/** While entries arrive, views that sum up thousands of Pods are redrawn at most this often. */
const entriesIntervalMillis = 250
/** A dragged cursor shows another moment with every event of the pointer. */
const momentIntervalMillis = 80

export const useThrottledRedraw = (): void => {
  const { moment, redrawCount, clusterTime } = usePageState()
  // Time also passes while nothing is recorded.
  useSignal(clusterTime)
  const [, setRedraws] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastDrawMillis = 0
    const redraw = (): void => {
      timer = undefined
      lastDrawMillis = performance.now()
      setRedraws((count) => count + 1)
    }
    const throttled = (intervalMillis: number) => (): void => {
      clearTimeout(timer)
      const remainingMillis = lastDrawMillis + intervalMillis - performance.now()
      if (remainingMillis <= 0) redraw()
      else timer = setTimeout(redraw, remainingMillis)
    }
    const unsubscribes = [
      redrawCount.subscribe(throttled(entriesIntervalMillis)),
      moment.subscribe(throttled(momentIntervalMillis))
    ]
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      clearTimeout(timer)
    }
  }, [redrawCount, moment])
}
