import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Pod } from "../meta/objects.ts"

/** Values of metrics are in thousandths. */
export interface PodMeter {
  /** Undefined before a container has run for a whole window. */
  readonly sampleOf: (pod: Pod) => PodSample | undefined
  readonly podMetric: (pod: Pod, name: string) => number | undefined
  readonly objectMetric: (query: ObjectMetricQuery) => number | undefined
  readonly externalMetric: (query: ExternalMetricQuery) => ReadonlyArray<ExternalValue>
}

export interface PodSample {
  /** The end of the window, in Unix milliseconds. */
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

/** A metrics server's `--metric-resolution`. */
export const sampleWindowMillis = 15_000
