import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import { groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { sampleWindowMillis } from "../../kubernetes/metrics/podMeter.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { ContainerSample, PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { MetricReading, PodValue } from "../../kubernetes/autoscaling/autoscalerObservation.ts"
import type { MetricSpec } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { KindRegistry } from "../../kubernetes/meta/kinds.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

interface MetricRequest {
  readonly namespace: string
  readonly pods: ReadonlyArray<Pod>
  readonly nowMillis: number
  readonly kinds: KindRegistry
}

/** Source: pkg/controller/podautoscaler/metrics/client.go. */
export const readMetric = (meter: PodMeter, spec: MetricSpec, request: MetricRequest): MetricReading => {
  const { namespace } = request
  if (spec.resource !== undefined) return readResource(meter, spec.resource, request)
  if (spec.containerResource !== undefined) return readResource(meter, spec.containerResource, request)
  if (spec.pods !== undefined) return readPods(meter, spec.pods.metric.name, request)
  if (spec.object !== undefined) {
    const { describedObject, metric } = spec.object
    const { kind, name } = describedObject
    const total = meter.objectMetric({ namespace, kind, name, metric: metric.name })
    return total === undefined
      ? { problem: objectProblem(metric.name, describedObject, request.kinds) }
      : { total }
  }
  if (spec.external !== undefined) {
    const { name, selector } = spec.external.metric
    const values = meter.externalMetric({ namespace, metric: name, selector })
    return values.length === 0
      ? { problem: "no metrics returned from external metrics API" }
      : { total: values.reduce((sum, { value }) => sum + value, 0) }
  }
  return { problem: `unknown metric source type ${goQuote(spec.type)}` }
}

const metricNotFoundText = (metric: string, describedObject: string): string =>
  `${customMetricsProblem}: the server could not find the metric ${metric} for ${describedObject}`

const customMetricsProblem = "unable to fetch metrics from custom metrics API"

const objectProblem = (
  metric: string,
  { apiVersion = "", kind, name }: Autoscaling.CrossVersionObjectReference,
  kinds: KindRegistry
): string => {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : ""
  // The custom metrics API has no versions of kinds.
  const served = kinds.served().find((it) => it.kind === kind && it.group === group)
  if (served !== undefined) return metricNotFoundText(metric, `${groupResourceOf(served)} ${name}`)
  const groupKind = group === "" ? kind : `${kind}.${group}`
  return (
    `${customMetricsProblem}: unable to map kind ${groupKind} to resource: ` +
    `no matches for kind ${goQuote(kind)} in group ${goQuote(group ?? "")}`
  )
}

const readResource = (
  meter: PodMeter,
  source: { readonly name: string; readonly container?: string },
  { namespace, pods }: MetricRequest
): MetricReading => {
  const { name: resource, container } = source
  const samples = pods.flatMap((pod) => {
    const sample = meter.sampleOf(pod)
    return sample === undefined ? [] : [{ name: pod.metadata.name, sample }]
  })
  if (samples.length === 0) return { problem: "no metrics returned from resource metrics API" }
  const values: Record<string, PodValue> = {}
  for (const { name, sample } of samples) {
    const { atMillis, windowMillis } = sample
    const containers = sample.containers.filter((it) => container === undefined || it.name === container)
    if (container !== undefined && containers.length === 0) {
      const pod = `${namespace}/${name}`
      return {
        problem: `failed to get container metrics: container ${container} not present in metrics for pod ${pod}`
      }
    }
    const usedThousandths = containers.map((it) => thousandthsUsedOf(it, resource))
    const value = usedThousandths.reduce<number>((sum, it) => sum + (it ?? 0), 0)
    if (!usedThousandths.includes(undefined)) values[name] = { value, atMillis, windowMillis }
  }
  return { values }
}

const thousandthsUsedOf = (
  { cpuMillicores, memoryBytes }: ContainerSample,
  resource: string
): number | undefined =>
  resource === "cpu"
    ? Math.ceil(cpuMillicores)
    : resource === "memory"
      ? Math.ceil(memoryBytes) * 1000
      : undefined

const readPods = (meter: PodMeter, metric: string, { pods, nowMillis }: MetricRequest): MetricReading => {
  const values: Record<string, PodValue> = {}
  for (const pod of pods) {
    const value = meter.podMetric(pod, metric)
    if (value !== undefined)
      values[pod.metadata.name] = { value, atMillis: nowMillis, windowMillis: sampleWindowMillis }
  }
  return Object.keys(values).length === 0 ? { problem: metricNotFoundText(metric, "pods") } : { values }
}
