import { changeOutcomeText } from "../../forecast/forecastText.ts"
import { RequestRefused } from "../source/connection.ts"
import { forecastRequest } from "../forecast/followForecast.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ServerConnection } from "../source/connection.ts"

/** Changes nothing: what an action would send is played in a copy of the cluster. */
export interface PreviewConnection extends ServerConnection {
  /** Says what came of an action in the copy. */
  readonly outcomeOf: (action: Promise<string>) => Promise<string>
}

export const previewConnection = (connection: ServerConnection, address: PageAddress): PreviewConnection => {
  let outcome = ""
  return {
    ...connection,
    request: async (method, path, options = {}) => {
      if (method === "GET") return connection.request(method, path, options)
      const { body, contentType } = options
      const { path: forecastPath, withinMillis } = forecastRequest(address, { seeds: 0, cures: 0 })
      const forecast = (await connection.request("POST", forecastPath, {
        body: { method, path, contentType, body },
        withinMillis
      })) as Forecast
      const { change } = forecast
      if (change === undefined) return undefined
      if ("refused" in change) throw new RequestRefused(422, change.refused)
      outcome = changeOutcomeText(change, forecast)
      return undefined
    },
    outcomeOf: async (action) => {
      outcome = ""
      const text = await action
      return outcome === "" ? text : `In a copy: ${text}. Then: ${outcome}. The cluster is as it was.`
    }
  }
}
