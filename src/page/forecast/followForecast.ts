import { RequestRefused, ServerLost, sleepMillis, waitForServer } from "../source/connection.ts"
import { waitUntil } from "../signal.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ServerConnection } from "../source/connection.ts"
import type { Signal } from "../signal.ts"

export interface FollowedForecast {
  readonly address: PageAddress
  /** The last answer for the present spec. It stays while the next one is awaited. */
  readonly forecast: Forecast | undefined
  /** Why there is no newer answer. */
  readonly problem: string | undefined
}

type ChangeCount = Pick<Signal<number>, "get" | "listen">

/** The most object changes that one forecast plays in copies of the cluster: some seconds of the server's work. */
const changesMax = 20_000
const answerTimeoutMillis = 60_000
const pauseMinMillis = 1000
/** A pause takes this many times as long as the answer before it: the server mostly idles. */
const pauseFactor = 4

const forecastKinds: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet", "Job"])

export const hasForecast = ({ kind }: PageAddress): boolean => forecastKinds.has(kind)

export const forecastRequest = (
  { kind, namespace, name }: PageAddress,
  /** Instead of the server's defaults. */
  settings: Readonly<Record<string, string>> = {}
): { readonly path: string; readonly withinMillis: number } => {
  const query = new URLSearchParams({
    workload: `${kind.toLowerCase()}/${name}`,
    namespace,
    changes: String(changesMax),
    ...settings
  })
  return { path: `/charthouse/v1/forecast?${query}`, withinMillis: answerTimeoutMillis }
}

/**
 * Requests the forecast of a workload, and again after changes of the cluster. An answer for an earlier spec is
 * dropped at once: it no longer holds.
 */
export const followForecast = async (
  connection: ServerConnection,
  address: PageAddress,
  abortSignal: AbortSignal,
  {
    changeCount,
    generation,
    result
  }: {
    readonly changeCount: ChangeCount
    /** The generation of the workload in the recording. */
    readonly generation: () => number | undefined
    readonly result: Signal<FollowedForecast | undefined>
  }
): Promise<void> => {
  const { path, withinMillis } = forecastRequest(address)
  let forecast: Forecast | undefined
  const dropForecast = (): void => {
    forecast = undefined
    result.set({ address, forecast, problem: undefined })
  }
  dropForecast()
  while (!abortSignal.aborted) {
    const [seenChangeCount, seenGeneration] = [changeCount.get(), generation()]
    const hasNewSpec = (): boolean => generation() !== seenGeneration
    const beganMillis = performance.now()
    let problem: string | undefined
    try {
      forecast = (await connection.request("GET", path, { withinMillis })) as Forecast
    } catch (error) {
      if (error instanceof ServerLost) {
        await waitForServer(connection, abortSignal)
        continue
      }
      if (!(error instanceof RequestRefused)) throw error
      // The workload is gone, or the server has no forecasts.
      if (error.code === 404) forecast = undefined
      problem = error.message
    }
    if (abortSignal.aborted) return
    if (!hasNewSpec()) {
      result.set({ address, forecast, problem })
      const pauseMillis = Math.max(pauseMinMillis, pauseFactor * (performance.now() - beganMillis))
      await sleepUnless(hasNewSpec, pauseMillis, { changeCount, abortSignal })
      // A refused forecast is requested again even without a change.
      if (problem === undefined)
        await waitUntil(changeCount, () => changeCount.get() !== seenChangeCount, abortSignal)
    }
    if (hasNewSpec() && !abortSignal.aborted) {
      dropForecast()
      await sleepMillis(pauseMinMillis, abortSignal)
    }
  }
}

/** `hasNewSpec` is checked after changes of the cluster. */
const sleepUnless = async (
  hasNewSpec: () => boolean,
  millis: number,
  { changeCount, abortSignal }: { readonly changeCount: ChangeCount; readonly abortSignal: AbortSignal }
): Promise<void> => {
  const sleep = new AbortController()
  const stopListening = changeCount.listen(() => hasNewSpec() && sleep.abort())
  await sleepMillis(millis, AbortSignal.any([sleep.signal, abortSignal]))
  stopListening()
}
