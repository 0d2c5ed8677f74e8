import type { Autoscaler } from "./autoscalerTypes.ts"
import type { Pod } from "../meta/objects.ts"

/** Everything a HorizontalPodAutoscaler's actor decides on. It looks every 15 seconds. */
export interface AutoscalerObservation {
  readonly autoscaler: Autoscaler
  readonly target: ScaleTarget | TargetProblem
  /** The Pods that the target's selector matches. */
  readonly pods: ReadonlyArray<Pod>
  /** One for each of `spec.metrics`, in their order. */
  readonly readings: ReadonlyArray<MetricReading>
  /** `namespace/name` of all autoscalers that scale some of the Pods, in order, if there are several. */
  readonly competingAutoscalers: ReadonlyArray<string>
  readonly nowMillis: number
}

/** The scale subresource of the object that `spec.scaleTargetRef` names. */
export interface ScaleTarget {
  readonly replicas: number
  readonly statusReplicas: number
  /** As text, `app=web`. */
  readonly selector: string | undefined
}

export interface TargetProblem {
  readonly problem: string
}

/** What was measured for one of `spec.metrics`: a value for each Pod, or one for all, in thousandths of its unit. */
export type MetricReading = PodReading | { readonly total: number } | { readonly problem: string }

export interface PodReading {
  /** By the name of the Pod. */
  readonly values: Readonly<Record<string, PodValue>>
}

export interface PodValue {
  /** In thousandths. */
  readonly value: number
  /** The end of the measured time, in Unix milliseconds, and its length. */
  readonly atMillis: number
  readonly windowMillis: number
}

/** `--horizontal-pod-autoscaler-sync-period`. */
export const syncPeriodMillis = 15_000
