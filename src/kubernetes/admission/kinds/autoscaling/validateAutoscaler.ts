import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { Draft } from "../../../meta/objects.ts"
import { forbiddenField, invalidField, noErrors, type FieldErrors } from "../../../validation/fieldErrors.ts"
import type { DeeplyUnvalidated } from "../../../validation/structuralSharing.ts"
import { validateBehavior } from "./validateBehavior.ts"
import { validateMetric, validateScaleReference } from "./validateMetrics.ts"

interface AutoscalerDraft extends Draft {
  readonly spec?: DeeplyUnvalidated<Autoscaling.HorizontalPodAutoscalerSpec>
}

/** Source: pkg/apis/autoscaling/validation/validation.go (validateHorizontalPodAutoscalerSpec). */
export const validateAutoscaler = (autoscaler: AutoscalerDraft): FieldErrors => validateBounded(autoscaler, 1)

/** A stored autoscaler that may scale to zero keeps that. */
export const validateAutoscalerUpdate = (autoscaler: AutoscalerDraft, old: AutoscalerDraft): FieldErrors =>
  validateBounded(autoscaler, old.spec?.minReplicas === 0 ? 0 : 1)

const validateBounded = ({ spec = {} }: AutoscalerDraft, replicasMin: number): FieldErrors => {
  const { minReplicas = 1, maxReplicas = 0, metrics = [], behavior } = spec
  const hasOutsideMetric = metrics.some(({ type }) => type === "Object" || type === "External")
  const zeroRule = "must specify at least one Object or External metric to support scaling to zero replicas"
  return [
    ...(minReplicas < replicasMin
      ? [invalidField("spec.minReplicas", minReplicas, `must be greater than or equal to ${replicasMin}`)]
      : noErrors),
    ...(maxReplicas < 1
      ? [invalidField("spec.maxReplicas", maxReplicas, "must be greater than 0")]
      : noErrors),
    ...(maxReplicas < minReplicas
      ? [invalidField("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : noErrors),
    ...validateScaleReference(spec.scaleTargetRef, "spec.scaleTargetRef"),
    ...metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
    ...(minReplicas === 0 && !hasOutsideMetric ? [forbiddenField("spec.metrics", zeroRule)] : noErrors),
    ...(behavior === undefined ? noErrors : validateBehavior(behavior, "spec.behavior"))
  ]
}
