import type { Autoscaler } from "./autoscalerTypes.ts"
import type { Pod } from "../meta/objects.ts"

export interface AutoscalerObservation {
  readonly autoscaler: Autoscaler
  readonly target: ScaleTarget | TargetProblem
  /** The Pods that the target's selector matches. */
  readonly pods: ReadonlyArray<Pod>
  /** The readings are in the order of `spec.metrics`. */
  readonly readings: ReadonlyArray<MetricReading>
  /** `namespace/name` of all autoscalers that scale some of the Pods, if there are several. */
  readonly competingAutoscalers: ReadonlyArray<string>
  readonly nowMillis: number
}

export interface ScaleTarget {
  readonly replicas: number
  readonly statusReplicas: number
  /** As text, `app=web`. */
  readonly selector: string | undefined
}

export interface TargetProblem {
  readonly problem: string
}

/** Values are in thousandths of the metric's unit. */
export type MetricReading = PodReading | { readonly total: number } | { readonly problem: string }

export interface PodReading {
  /** By Pod name. */
  readonly values: Readonly<Record<string, PodValue>>
}

export interface PodValue {
  /** In thousandths. */
  readonly value: number
  /** The end of the measured window, in Unix milliseconds, and its length. */
  readonly atMillis: number
  readonly windowMillis: number
}

/** `--horizontal-pod-autoscaler-sync-period`. */
export const syncPeriodMillis = 15_000
