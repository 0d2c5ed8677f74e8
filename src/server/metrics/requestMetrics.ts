import { histogramSamples } from "./metricsText.ts"
import { latencyBoundsSeconds } from "./requestMeter.ts"
import type { MetricFamily, MetricLabels, MetricSample } from "./metricsText.ts"
import type { RequestMeter, RequestSeries } from "./requestMeter.ts"

/** Source: apiserver/pkg/endpoints/metrics/metrics.go (names and labels). */
export const requestMetrics = (meter: RequestMeter): ReadonlyArray<MetricFamily> => {
  const series = mergeSeries(meter.series())
  return [
    {
      name: "apiserver_request_total",
      type: "counter",
      help: "Requests for resources that were answered, by verb, resource, scope and status code.",
      samples: series.flatMap(({ labels, countByCode }) =>
        [...countByCode].map(([code, value]) => ({ labels: { code: String(code), ...labels }, value }))
      )
    },
    {
      name: "apiserver_request_duration_seconds",
      type: "histogram",
      help: "Real time from the head of a request to the end of its answer, in seconds.",
      samples: series.flatMap(({ labels, buckets, sumSeconds }) =>
        histogramSamples(labels, { bounds: latencyBoundsSeconds, counts: buckets, sum: sumSeconds })
      )
    },
    {
      name: "apiserver_longrunning_requests",
      type: "gauge",
      help: "Watches and followed logs that are open.",
      samples: series
        .filter(({ isStream }) => isStream)
        .map(({ labels, openStreams }): MetricSample => {
          const { dry_run: _dryRun, ...streamLabels } = labels
          return { labels: streamLabels, value: openStreams }
        })
    },
    {
      name: "apiserver_current_inflight_requests",
      type: "gauge",
      help: "Requests under way, without those that are streams.",
      samples: (["mutating", "readOnly"] as const).map((kind) => ({
        labels: { request_kind: kind },
        value: meter.inFlight[kind]
      }))
    }
  ]
}

interface MergedSeries extends Pick<RequestSeries, "countByCode" | "buckets"> {
  readonly labels: MetricLabels
  readonly isStream: boolean
  sumSeconds: number
  openStreams: number
}

/** A changed CustomResourceDefinition makes a new `Kind` object of the same name, and so a new series. */
const mergeSeries = (all: Iterable<RequestSeries>): ReadonlyArray<MergedSeries> => {
  const seriesByLabels = new Map<string, MergedSeries>()
  for (const series of all) {
    const labels = labelsOf(series)
    const key = JSON.stringify(labels)
    const { countByCode, buckets, sumSeconds, openStreams, verb, subresource } = series
    const isStream = verb === "WATCH" || subresource === "log"
    const merged = seriesByLabels.get(key)
    if (merged === undefined) {
      seriesByLabels.set(key, {
        labels,
        isStream,
        countByCode: new Map(countByCode),
        buckets: [...buckets],
        sumSeconds,
        openStreams
      })
      continue
    }
    for (const [code, count] of countByCode)
      merged.countByCode.set(code, (merged.countByCode.get(code) ?? 0) + count)
    for (const [index, count] of buckets.entries()) {
      merged.buckets[index] = (merged.buckets[index] ?? 0) + count
    }
    merged.sumSeconds += sumSeconds
    merged.openStreams += openStreams
  }
  return [...seriesByLabels.values()]
}

const labelsOf = ({ kind, verb, subresource, scope, isDryRun }: RequestSeries): MetricLabels => ({
  component: "apiserver",
  dry_run: isDryRun ? "All" : "",
  group: kind.group,
  resource: kind.plural,
  scope,
  subresource,
  verb,
  version: kind.version
})
