import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { Draft } from "../../meta/objects.ts"
import { invalidField, noErrors, requiredValue, type FieldErrors } from "../../validation/fieldErrors.ts"
import type { Unvalidated } from "../../validation/structuralSharing.ts"

interface AutoscalerDraft extends Draft {
  readonly spec?: Unvalidated<Autoscaling.HorizontalPodAutoscalerSpec>
}

/** Source: pkg/apis/autoscaling/validation/validation.go (validateHorizontalPodAutoscalerSpec). */
export const validateAutoscaler = ({ spec = {} }: AutoscalerDraft): FieldErrors => {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef } = spec
  const reference: Unvalidated<Autoscaling.CrossVersionObjectReference> = scaleTargetRef ?? {}
  return [
    ...(minReplicas < 1
      ? [invalidField("spec.minReplicas", minReplicas, "must be greater than or equal to 1")]
      : noErrors),
    ...(maxReplicas < 1
      ? [invalidField("spec.maxReplicas", maxReplicas, "must be greater than 0")]
      : noErrors),
    ...(maxReplicas < minReplicas
      ? [invalidField("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : noErrors),
    ...((reference.kind ?? "") === "" ? [requiredValue("spec.scaleTargetRef.kind")] : noErrors),
    ...((reference.name ?? "") === "" ? [requiredValue("spec.scaleTargetRef.name")] : noErrors)
  ]
}
