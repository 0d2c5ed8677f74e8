import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Pod } from "../meta/objects.ts"

export interface PodMeter {
  /** Undefined if no container of the Pod has run for a whole window. */
  readonly sampleOf: (pod: Pod) => PodSample | undefined
  /** In thousandths; undefined if the Pod has no metric of that name. */
  readonly podMetric: (pod: Pod, name: string) => number | undefined
  /** In thousandths; undefined if the object has no metric of that name. */
  readonly objectMetric: (query: ObjectMetricQuery) => number | undefined
  /** In thousandths. */
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

/** A metrics server's `--metric-resolution`. */
export const sampleWindowMillis = 15_000
