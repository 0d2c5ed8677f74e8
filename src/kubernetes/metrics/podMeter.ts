import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Pod } from "../meta/objects.ts"

/** Usage of Pods and custom metrics, as a metrics server and adapters report them. */
export interface PodMeter {
  /** The measured usage of a Pod; undefined if none of its containers has run for a whole window. */
  readonly sampleOf: (pod: Pod) => PodSample | undefined
  /** A custom metric of a Pod, in thousandths; undefined if it has none of that name. */
  readonly podMetric: (pod: Pod, name: string) => number | undefined
  /** A custom metric of another object, in thousandths; undefined if it has none of that name. */
  readonly objectMetric: (query: ObjectMetricQuery) => number | undefined
  /** The values, in thousandths, of an external metric whose labels the selector matches. */
  readonly externalMetric: (query: ExternalMetricQuery) => ReadonlyArray<ExternalValue>
}

export interface PodSample {
  /** The end of the measured time, in Unix milliseconds. */
  readonly atMillis: number
  readonly windowMillis: number
  readonly containers: ReadonlyArray<ContainerSample>
}

export interface ContainerSample {
  readonly name: string
  readonly cpuMillicores: number
  readonly memoryBytes: number
}

export interface ObjectMetricQuery {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly metric: string
}

export interface ExternalMetricQuery {
  readonly namespace: string
  readonly metric: string
  readonly selector: LabelSelector | undefined
}

export interface ExternalValue {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The time over which usage is measured: a metrics server's `--metric-resolution`. */
export const sampleWindowMillis = 15_000
