import { followForecast, hasForecast } from "./followForecast.ts"
import { latestMoment } from "../history/moment.ts"
import { useEffect } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import type { FollowedForecast } from "./followForecast.ts"
import type { PageAddress } from "../pageAddress.ts"

export const useFollowedForecast = (address: PageAddress): FollowedForecast | undefined => {
  const { connection, source, moment, redrawCount, forecast, history } = usePageState()
  const [shownSource, shownMoment] = [useSignal(source), useSignal(moment)]
  const isNow = shownSource?.type === "live" && shownMoment === undefined
  useEffect(() => {
    if (connection === undefined || !isNow || !hasForecast(address)) return
    const selection = new AbortController()
    void followForecast(connection, address, selection.signal, {
      // The page is drawn again after changes of the cluster.
      changeCount: redrawCount,
      generation: () => history.get().lastKnownOf(address, latestMoment)?.object.metadata.generation,
      result: forecast
    })
    return () => {
      selection.abort()
      forecast.set(undefined)
    }
  }, [connection, isNow, redrawCount, address, forecast, history])
  return useSignal(forecast)
}
