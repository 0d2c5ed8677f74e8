import { applyPatchMediaType } from "../verbs/patchVerb.ts"
import { contentTypeOf } from "../requests/httpExchange.ts"
import type { ApiRoute } from "../findRoute.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { HttpExchange } from "../requests/httpExchange.ts"

/**
 * Makes the text of labels when metrics are read, so that a request costs only a few increments.
 *
 * Source: apiserver/pkg/endpoints/metrics/metrics.go.
 */
export interface RequestMeter {
  readonly requestBegun: (exchange: HttpExchange) => void
  readonly requestEnded: (exchange: HttpExchange) => void
  /** Returns a function to call when the stream ends. */
  readonly streamOpened: (exchange: HttpExchange) => () => void
  readonly series: () => Iterable<RequestSeries>
  readonly inFlight: Readonly<Record<"mutating" | "readOnly", number>>
}

export interface RequestSeries {
  readonly kind: Kind
  readonly verb: string
  readonly subresource: string
  readonly scope: RequestScope
  readonly isDryRun: boolean
  readonly countByCode: Map<number, number>
  /** Requests in each bucket alone; the last is for those above all bounds. */
  readonly buckets: Array<number>
  sumSeconds: number
  openStreams: number
}

type RequestScope = "cluster" | "namespace" | "resource"

/** The buckets of Kubernetes' histogram. */
export const latencyBoundsSeconds: ReadonlyArray<number> = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
]

export const makeRequestMeter = (): RequestMeter => {
  const seriesByKind = new Map<Kind, Array<RequestSeries>>()
  const inFlight = { mutating: 0, readOnly: 0 }

  const seriesOf = (exchange: HttpExchange, { target, verb }: ApiRoute): RequestSeries => {
    const { kind, subresource = "" } = target
    const scope = scopeOf(target, verb)
    const meteredVerb = meteredVerbOf(verb, exchange)
    const isDryRun = exchange.request.url?.includes("dryRun=") === true
    const knownSeries = seriesByKind.get(kind)
    const seriesOfKind = knownSeries ?? []
    if (knownSeries === undefined) seriesByKind.set(kind, seriesOfKind)
    for (const series of seriesOfKind) {
      if (
        series.verb === meteredVerb &&
        series.subresource === subresource &&
        series.scope === scope &&
        series.isDryRun === isDryRun
      )
        return series
    }
    const series: RequestSeries = {
      kind,
      verb: meteredVerb,
      subresource,
      scope,
      isDryRun,
      countByCode: new Map(),
      buckets: Array.from({ length: latencyBoundsSeconds.length + 1 }, () => 0),
      sumSeconds: 0,
      openStreams: 0
    }
    seriesOfKind.push(series)
    return series
  }

  const record = (series: RequestSeries, { response, startedMillis }: HttpExchange): void => {
    const code = response.statusCode
    series.countByCode.set(code, (series.countByCode.get(code) ?? 0) + 1)
    const seconds = (performance.now() - startedMillis) / 1000
    series.sumSeconds += seconds
    let bucket = 0
    while (bucket < latencyBoundsSeconds.length && seconds > (latencyBoundsSeconds[bucket] ?? 0)) bucket += 1
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
  }

  return {
    requestBegun: (exchange) => {
      inFlight[requestKindOf(exchange)] += 1
    },
    requestEnded: (exchange) => {
      inFlight[requestKindOf(exchange)] -= 1
      if (exchange.route !== undefined && !exchange.isStream)
        record(seriesOf(exchange, exchange.route), exchange)
    },
    streamOpened: (exchange) => {
      exchange.isStream = true
      if (exchange.route === undefined) return () => {}
      const series = seriesOf(exchange, exchange.route)
      series.openStreams += 1
      return () => {
        series.openStreams -= 1
        record(series, exchange)
      }
    },
    series: () => [...seriesByKind.values()].flat(),
    inFlight
  }
}

const requestKindOf = ({ request: { method } }: HttpExchange): "mutating" | "readOnly" =>
  method === "GET" || method === "HEAD" ? "readOnly" : "mutating"

const scopeOf = ({ name, namespace }: ApiRoute["target"], verb: string): RequestScope => {
  if (name !== undefined || verb === "create") return "resource"
  return namespace === undefined ? "cluster" : "namespace"
}

const meteredVerbOf = (verb: string, { request }: HttpExchange): string =>
  verb === "patch" && contentTypeOf(request) === applyPatchMediaType
    ? "APPLY"
    : (meteredVerbs[verb] ?? verb.toUpperCase())

const meteredVerbs: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION"
}
