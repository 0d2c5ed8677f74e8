import { changeOutcomeText } from "../../forecast/forecastText.ts"
import { affectedWorkloads } from "./affectedWorkloads.ts"
import { explanationOf } from "./explanation.ts"
import { forecastRequest, hasForecast } from "../forecast/followForecast.ts"
import { RequestRefused } from "../source/connection.ts"
import type { ChangeRequest } from "../../kubernetes/meta/changeRequest.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { Fleet } from "../history/fleet.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ServerConnection } from "../source/connection.ts"

/** Plays a change in copies of the cluster, or lets the server check it. */
export interface PreviewConnection extends ServerConnection {
  readonly outcomeOf: (action: Promise<string>) => Promise<string>
}

export const hasPreview = (address: PageAddress): boolean =>
  hasForecast(address) || ["Pod", "Node", "CronJob"].includes(address.kind)

/** The server plays each workload in a copy of its own, which takes time. */
const playedWorkloadsMax = 3

export const previewConnection = (
  connection: ServerConnection,
  address: PageAddress,
  shown: { readonly fleet: () => Fleet; readonly millis: () => number }
): PreviewConnection => {
  let describeOutcome: (text: string) => string = (text) => text
  const playFor = async (workload: PageAddress, change: ChangeRequest): Promise<string> => {
    const { path, withinMillis } = forecastRequest(workload, { seeds: "0", cures: "0" })
    const forecast = (await connection.request("POST", path, { body: change, withinMillis })) as Forecast
    if (forecast.change === undefined) return ""
    if ("refused" in forecast.change) throw new RequestRefused(422, forecast.change.refused)
    const text = changeOutcomeText(forecast.change, forecast)
    return workload === address ? text : `${workload.name}: ${text}`
  }
  /** Without a workload to play, the server only says whether it would accept the change. */
  const dryRun = async ({ method, path, ...content }: ChangeRequest): Promise<string> => {
    const dryPath = `${path}${path.includes("?") ? "&" : "?"}dryRun=All`
    const { contentType, body } = content
    const answer = await connection.request(method, dryPath, {
      body,
      ...(contentType === undefined ? {} : { contentType })
    })
    if (address.kind !== "CronJob") return "No workload has to replace a Pod."
    return (
      explanationOf(address, answer as KubeObject, shown.fleet(), { nowMillis: shown.millis() }).sentences.at(
        -1
      ) ?? ""
    )
  }
  return {
    ...connection,
    request: async (method, path, options = {}) => {
      if (method === "GET") return connection.request(method, path, options)
      const change = { method, path, ...options } as ChangeRequest
      const workloads = affectedWorkloads(address, shown.fleet())
      if (workloads.length === 0) {
        const after = await dryRun(change)
        describeOutcome = (text) => `The server would accept it: ${text}. ${after} Nothing was changed.`
        return undefined
      }
      const outcomes: Array<string> = []
      for (const workload of workloads.slice(0, playedWorkloadsMax))
        outcomes.push(await playFor(workload, change))
      const unplayedCount = workloads.length - outcomes.length
      const unplayedText = unplayedCount === 0 ? "" : `; for ${unplayedCount} more nothing was played`
      describeOutcome = (text) =>
        `In a copy: ${text}. Then: ${outcomes.join("; ")}${unplayedText}. The cluster is as it was.`
      return undefined
    },
    outcomeOf: async (action) => {
      describeOutcome = (text) => text
      const text = await action
      return describeOutcome(text)
    }
  }
}
