import { RequestRefused, ServerLost, sleepMillis, waitForServer } from "../source/connection.ts"
import { waitUntil } from "../signal.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ServerConnection } from "../source/connection.ts"
import type { Signal } from "../signal.ts"

/** What the server says about the future of the selected workload. */
export interface FollowedForecast {
  readonly address: PageAddress
  /** The last answer. It stays while the next one is awaited. */
  readonly forecast: Forecast | undefined
  /** Why there is no newer answer; undefined if there is one. */
  readonly problem: string | undefined
}

type Version = Pick<Signal<number>, "get" | "listen">

/** The server plays a few cures and seeds of a large workload within this bound, some seconds of work at most. */
const changesMax = 20_000
const answerTimeoutMillis = 60_000
const pauseMinMillis = 1000
/** The server is idle for this many times as long as an answer takes it. */
const idleShare = 4

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
 * Requests the forecast of a workload, and again after changes of the cluster, until the signal aborts. While nothing
 * changes nothing is requested: the future that was looked up stays the cluster's own.
 */
export const followForecast = async (
  connection: ServerConnection,
  address: PageAddress,
  abortSignal: AbortSignal,
  {
    version,
    result
  }: {
    /** Changes with each entry of the recording. */
    readonly version: Version
    readonly result: Signal<FollowedForecast | undefined>
  }
): Promise<void> => {
  const { path, withinMillis } = forecastRequest(address)
  let forecast: Forecast | undefined
  while (!abortSignal.aborted) {
    const seenVersion = version.get()
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
      // The workload is gone, or the server is one without forecasts.
      if (error.code === 404) forecast = undefined
      problem = error.message
    }
    if (abortSignal.aborted) return
    result.set({ address, forecast, problem })
    await sleepMillis(Math.max(pauseMinMillis, idleShare * (performance.now() - beganMillis)), abortSignal)
    // A cluster that cannot be copied now can be copied a little later, without a change.
    if (problem === undefined) await waitUntil(version, () => version.get() !== seenVersion, abortSignal)
  }
}
