import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { KubeObject } from "../meta/objects.ts"

export interface Autoscaler extends KubeObject {
  readonly spec: Readonly<Omit<Autoscaling.HorizontalPodAutoscalerSpec, "behavior" | "metrics">> & {
    readonly metrics?: ReadonlyArray<MetricSpec>
    readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules }
  }
  readonly status: AutoscalerStatus
}

export type MetricSpec = Readonly<Autoscaling.MetricSpec>
export type MetricStatus = Readonly<Autoscaling.MetricStatus>
export type AutoscalerCondition = Readonly<Autoscaling.HorizontalPodAutoscalerCondition>

/** Includes `tolerance`, which the published types lack. */
export type ScalingRules = Readonly<Omit<Autoscaling.HPAScalingRules, "policies">> & {
  readonly policies?: ReadonlyArray<Readonly<Autoscaling.HPAScalingPolicy>>
  readonly tolerance?: string
}

export interface AutoscalerStatus {
  readonly currentReplicas?: number
  readonly desiredReplicas: number
  readonly lastScaleTime?: string
  readonly currentMetrics?: ReadonlyArray<MetricStatus>
  readonly conditions?: ReadonlyArray<AutoscalerCondition>
}
