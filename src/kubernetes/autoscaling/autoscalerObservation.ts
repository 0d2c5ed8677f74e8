import type { Autoscaler } from "./autoscalerTypes.ts"
import type { Pod } from "../meta/objects.ts"

/** What a HorizontalPodAutoscaler sees when it looks, every 15 seconds. */
export interface AutoscalerObservation {
  readonly autoscaler: Autoscaler
  readonly target: ScaleTarget | TargetProblem
  /** The Pods that the target's selector matches. */
  readonly pods: ReadonlyArray<Pod>
  /** One for each of `spec.metrics`, in their order. */
  readonly readings: ReadonlyArray<MetricReading>
  /** `namespace/name` of all autoscalers that scale some of the Pods, in order, if there are several. */
  readonly rivals: ReadonlyArray<string>
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

/** Amounts are thousandths. */
export type MetricReading = PodReading | { readonly total: number } | { readonly problem: string }

export interface PodReading {
  readonly values: Readonly<Record<string, PodValue>>
}

export interface PodValue {
  readonly value: number
  readonly atMillis: number
  readonly windowMillis: number
}

/** `--horizontal-pod-autoscaler-sync-period`. */
export const syncPeriodMillis = 15_000
