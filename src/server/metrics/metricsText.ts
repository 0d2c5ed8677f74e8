export interface MetricFamily {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: ReadonlyArray<MetricSample>
}

export interface MetricSample {
  readonly suffix?: string
  readonly labels: MetricLabels
  readonly value: number
}

export type MetricLabels = Readonly<Record<string, string>>

export const metricsMediaType = "text/plain; version=0.0.4; charset=utf-8"

/** Leaves out a metric without series. Source: github.com/prometheus/docs, docs/instrumenting/exposition_formats.md. */
export const metricsText = (families: ReadonlyArray<MetricFamily>): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(familyText)
    .join("")

const familyText = ({ name, type, help, samples }: MetricFamily): string => {
  const lines = samples.map(
    ({ suffix = "", labels, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`
  )
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`
}

const labelsText = (labels: MetricLabels): string => {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeText(value).replaceAll('"', String.raw`\"`)}"`
  )
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

const escapeText = (text: string): string =>
  text.replaceAll("\\", String.raw`\\`).replaceAll("\n", String.raw`\n`)

export const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

/** `counts` are per bucket, not cumulative; the last is for values above all bounds. */
export const histogramSamples = (
  labels: MetricLabels,
  {
    bounds,
    counts,
    sum
  }: { readonly bounds: ReadonlyArray<number>; readonly counts: ReadonlyArray<number>; readonly sum: number }
): ReadonlyArray<MetricSample> => {
  let cumulativeCount = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    cumulativeCount += counts[index] ?? 0
    return { suffix: "_bucket", labels: { ...labels, le: numberText(bound) }, value: cumulativeCount }
  })
  return [
    ...buckets,
    { suffix: "_sum", labels, value: sum },
    { suffix: "_count", labels, value: cumulativeCount }
  ]
}
