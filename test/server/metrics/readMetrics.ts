import { compareTexts } from "../../../src/kubernetes/meta/text/compareTexts.ts"

/** A metric as a scrape reads it. */
export interface ReadMetric {
  readonly type: string
  readonly samples: ReadonlyArray<ReadSample>
}

interface ReadSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const namePattern = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const samplePattern = new RegExp(`^(${namePattern})(?:\\{(.*)\\})? (\\S+)$`)
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy

/**
 * Reads the text format of Prometheus as strictly as `promtool check metrics` does. Throws for a metric without help or
 * type, a series that occurs twice, a counter that is not called a total, and a histogram whose buckets do not add up.
 */
export const readMetrics = (text: string): ReadonlyMap<string, ReadMetric> => {
  if (!text.endsWith("\n")) throw new Error("the last line is not ended")
  const metrics = new Map<string, { readonly type: string; readonly samples: Array<ReadSample> }>()
  const seen = new Set<string>()
  let current = ""
  let described = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, about = "", rest = ""] =
      new RegExp(`^# (HELP|TYPE) (${namePattern}) (.+)$`).exec(line) ?? []
    if (word === "HELP") {
      described = about
      continue
    }
    if (word === "TYPE") {
      if (about !== described) throw new Error(`${about} has no help before its type`)
      if (metrics.has(about)) throw new Error(`${about} is told of twice`)
      if ((rest === "counter") !== about.endsWith("_total"))
        throw new Error(`${about} is a ${rest}: only counters are called total`)
      current = about
      metrics.set(about, { type: rest, samples: [] })
      continue
    }
    const sample = readSample(line)
    const metric = metrics.get(current)
    const suffixes = metric?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    if (metric === undefined || !suffixes.some((suffix) => sample.name === `${current}${suffix}`))
      throw new Error(`${sample.name} stands among the samples of ${current}`)
    const series = `${sample.name} ${Object.entries(sample.labels)
      .map((pair) => JSON.stringify(pair))
      .toSorted(compareTexts)
      .join()}`
    if (seen.has(series)) throw new Error(`${series} occurs twice`)
    seen.add(series)
    metric.samples.push(sample)
  }
  for (const [name, { type, samples }] of metrics) {
    if (type === "histogram") checkHistogram(name, samples)
    if (type === "counter" && samples.some(({ value }) => value < 0))
      throw new Error(`${name} counts below zero`)
  }
  return metrics
}

const readSample = (line: string): ReadSample => {
  const [, name, labelsText = "", value] = samplePattern.exec(line) ?? []
  if (name === undefined) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  let end = 0
  for (const [match, label = "", text = ""] of labelsText.matchAll(labelPattern)) {
    if (label in labels) throw new Error(`a label occurs twice: ${line}`)
    labels[label] = JSON.parse(`"${text}"`)
    end += match.length
  }
  if (end !== labelsText.length) throw new Error(`labels that cannot be read: ${line}`)
  const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value)
  if (Number.isNaN(number)) throw new Error(`not a number: ${line}`)
  return { name, labels, value: number }
}

const checkHistogram = (name: string, samples: ReadonlyArray<ReadSample>): void => {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: "" }))
  for (const [labels, rows] of series) {
    const buckets = rows.filter((row) => row.name === `${name}_bucket`)
    const values = buckets.map(({ value }) => value)
    const isRising = values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0))
    const count = rows.find((row) => row.name === `${name}_count`)
    const hasSum = rows.some((row) => row.name === `${name}_sum`)
    if (!isRising || !hasSum || buckets.at(-1)?.labels["le"] !== "+Inf" || values.at(-1) !== count?.value)
      throw new Error(`the buckets of ${name}${labels} do not add up`)
  }
}
