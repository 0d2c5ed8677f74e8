import { setTimeout as sleep } from "node:timers/promises"
import {
  rangeOfSeedsText,
  changeOutcomeText,
  delayFromNow,
  forecastSentence,
  skippedSeedsAndCuresText,
  milestoneText
} from "../../forecast/forecastText.ts"
import { RemoteRefused } from "../../client/clientErrors.ts"
import { printToStderr } from "../terminal/terminal.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { Palette } from "../terminal/palette.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

export interface ShownFuture {
  readonly json: unknown
  readonly lines: ReadonlyArray<string>
}

/** While a fault delays a write, a cluster cannot be copied. */
const retries = { count: 5, waitMillis: 500 }

/** Undefined for a cluster that is not Charthouse: it cannot be copied. */
export const readForecast = async (
  remote: RemoteCluster,
  workload: string,
  options: {
    /** The number of seeds beside the cluster's own. */
    readonly otherSeedsCount: number
    /** Cures are changes that may help. */
    readonly playsCures: boolean
  }
): Promise<Forecast | undefined> => {
  if ((await remote.clusterNowMillis()) === undefined) return undefined
  const query = new URLSearchParams({
    workload,
    namespace: remote.namespace,
    seeds: String(options.otherSeedsCount),
    cures: options.playsCures ? "1" : "0"
  })
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await remote.readCharthousePath(`/charthouse/v1/forecast?${query.toString()}`)) as Forecast
    } catch (error) {
      const isBusy = error instanceof RemoteRefused && error.code === conflictCode
      if (!isBusy || attempt > retries.count) throw error
      printToStderr(`# cannot look ahead: ${error.message}; trying again`)
      await sleep(retries.waitMillis)
    }
  }
}

const conflictCode = 409

export const forecastLines = (forecast: Forecast, palette: Palette): ReadonlyArray<string> => {
  const { future, nowMillis, cures } = forecast
  const skippedText = skippedSeedsAndCuresText(forecast)
  const milestones = future.milestones.map((milestone) => [
    delayFromNow(milestone.millis, nowMillis),
    `${milestoneText(milestone)}${rangeOfSeedsText(milestone, forecast)}`
  ])
  const rows = cures.map((outcome) => [
    outcome.cure.command ?? outcome.cure.title,
    changeOutcomeText(outcome, forecast)
  ])
  return [
    palette.strong(forecastSentence(forecast)),
    ...alignedRows(milestones),
    ...(rows.length === 0 ? [] : ["What may help:", ...alignedRows(rows)]),
    ...(skippedText === "" ? [] : [skippedText])
  ]
}

const alignedRows = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const width = Math.max(0, ...rows.map(([first = ""]) => first.length))
  return rows.map(([first = "", second = ""]) => `  ${first.padEnd(width)}  ${second}`)
}
