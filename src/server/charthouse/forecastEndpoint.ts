import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { parseBody } from "../requests/decodeBody.ts"
import { badRequest, makeRefusal, requireReadMethod, toStatus } from "../http/statuses.ts"
import { requireParameter } from "../http/queryParameters.ts"
import { isStoreError } from "../../store/storeErrors.ts"
import type { ApiCall } from "../requests/apiCall.ts"
import type { ChangeRequest } from "../../kubernetes/meta/changeRequest.ts"
import type { QueryParameters } from "../http/queryParameters.ts"

/**
 * Runs copies of the cluster, which itself does not change.
 *
 *   GET  /charthouse/v1/forecast?workload=web[&namespace=default][&seeds=4][&cures=1][&within=15m][&changes=100000]
 *   POST /charthouse/v1/forecast?…    also forecasts the effect of the request in the body, as `change` of the answer:
 *                                     {"method": "PATCH", "path": "/apis/…", "contentType": "…", "body": …}
 *
 * `workload`: a Deployment's name, `sts/NAME`, `ds/NAME` or `job/NAME`. `seeds`: how many copies run with another
 * seed, for the earliest and latest time of each event. `cures`: also tries remedies for a stuck workload. `changes`:
 * the most object changes of all copies together.
 */
export const forecastPath = "/charthouse/v1/forecast"

interface RequestedForecast {
  readonly namespace?: string
  readonly seeds?: number
  readonly cures?: boolean
  readonly within?: string
  readonly changesMax?: number
  readonly change?: ChangeRequest
}

export type ForecastOperation = (workload: string, options: RequestedForecast) => Effect.Effect<object, Error>

/** Rejects with a `Refusal`. */
export const handleForecast = async (
  request: {
    readonly method: string
    readonly query: QueryParameters
    readonly readContent: () => Promise<Pick<ApiCall, "body" | "contentType">>
    readonly signal: AbortSignal
  },
  forecast: ForecastOperation
): Promise<object> => {
  const { method, query, readContent, signal } = request
  if (method !== "POST") requireReadMethod(method)
  const workload = requireParameter(query, "workload")
  // The cluster validates the change.
  const change = method === "POST" ? { change: parseBody(await readContent()).value as ChangeRequest } : {}
  const effect = Effect.suspend(() => forecast(workload, { ...readForecastOptions(query), ...change }))
  const exit = await Effect.runPromiseExit(effect, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  if (isStoreError(error)) {
    const { code, reason = "", message = "", details } = toStatus(error)
    throw makeRefusal(code, reason, message, details)
  }
  if (error instanceof TypeError || tagOf(error) === "InvalidOptions") throw badRequest(errorText(error))
  if (tagOf(error) === "CannotSnapshot") throw makeRefusal(409, "Conflict", errorText(error))
  throw error
}

const readForecastOptions = (query: QueryParameters): RequestedForecast => {
  const [namespace, within] = [query.text("namespace"), query.text("within")]
  const [seeds, changesMax] = [query.integer("seeds"), query.integer("changes")]
  const cures = query.text("cures")
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(within === undefined ? {} : { within }),
    ...(seeds === undefined ? {} : { seeds }),
    ...(changesMax === undefined ? {} : { changesMax }),
    ...(cures === undefined ? {} : { cures: query.flag("cures") })
  }
}

const tagOf = (error: unknown): unknown =>
  error instanceof Error && "_tag" in error ? error._tag : undefined
