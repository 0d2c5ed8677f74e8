import { applyPatchMediaType } from "../verbs/patchVerb.ts"
import { contentTypeOf } from "../requests/httpExchange.ts"
import type { ApiRoute } from "../findRoute.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { HttpExchange } from "../requests/httpExchange.ts"

/**
 * Makes the text of labels when metrics are read, so that a request costs only a few increments.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go.
 */
export interface RequestMeter {
  readonly begin: (exchange: HttpExchange) => void
  readonly end: (exchange: HttpExchange) => void
  /** Returns a function that ends the stream. */
  readonly openStream: (exchange: HttpExchange) => () => void
  readonly series: () => Iterable<RequestSeries>
  readonly inFlight: Readonly<Record<"mutating" | "readOnly", number>>
}

export interface RequestSeries {
  readonly kind: Kind
  readonly verb: string
  readonly subresource: string
  readonly scope: RequestScope
  readonly isDryRun: boolean
  readonly counts: Map<number, number>
  /** Counts of each bucket alone; the last is for requests above all bounds. */
  readonly buckets: Array<number>
  sumSeconds: number
  open: number
}

type RequestScope = "cluster" | "namespace" | "resource"

/** Buckets of apiserver_request_duration_seconds, as in Kubernetes. */
export const latencyBoundsSeconds: ReadonlyArray<number> = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
]

export const makeRequestMeter = (): RequestMeter => {
  const seriesByKind = new Map<Kind, Array<RequestSeries>>()
  const inFlight = { mutating: 0, readOnly: 0 }

  const seriesOf = (exchange: HttpExchange, { target, verb }: ApiRoute): RequestSeries => {
    const { kind, subresource = "" } = target
    const scope = scopeOf(target, verb)
    const meteredVerb = verbOf(verb, exchange)
    const isDryRun = exchange.request.url?.includes("dryRun=") === true
    const present = seriesByKind.get(kind)
    const seriesOfKind = present ?? []
    if (present === undefined) seriesByKind.set(kind, seriesOfKind)
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
      counts: new Map(),
      buckets: Array.from({ length: latencyBoundsSeconds.length + 1 }, () => 0),
      sumSeconds: 0,
      open: 0
    }
    seriesOfKind.push(series)
    return series
  }

  const record = (series: RequestSeries, { response, startedMillis }: HttpExchange): void => {
    const code = response.statusCode
    series.counts.set(code, (series.counts.get(code) ?? 0) + 1)
    const seconds = (performance.now() - startedMillis) / 1000
    series.sumSeconds += seconds
    let bucket = 0
    while (bucket < latencyBoundsSeconds.length && seconds > (latencyBoundsSeconds[bucket] ?? 0)) bucket += 1
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
  }

  return {
    begin: (exchange) => {
      inFlight[requestKindOf(exchange)] += 1
    },
    end: (exchange) => {
      inFlight[requestKindOf(exchange)] -= 1
      if (exchange.route !== undefined && !exchange.isStream)
        record(seriesOf(exchange, exchange.route), exchange)
    },
    openStream: (exchange) => {
      exchange.isStream = true
      if (exchange.route === undefined) return () => {}
      const series = seriesOf(exchange, exchange.route)
      series.open += 1
      return () => {
        series.open -= 1
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

const verbOf = (verb: string, { request }: HttpExchange): string =>
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
