import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { Draft } from "../objects.ts"
import { invalid, noErrors, required, type FieldErrors } from "./fieldErrors.ts"
import type { Loose } from "./sharing.ts"

interface AutoscalerDraft extends Draft {
  readonly spec?: Loose<Autoscaling.HorizontalPodAutoscalerSpec>
}

/** Source: pkg/apis/autoscaling/validation/validation.go (validateHorizontalPodAutoscalerSpec). */
export const validateAutoscaler = ({ spec = {} }: AutoscalerDraft): FieldErrors => {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef } = spec
  const reference: Loose<Autoscaling.CrossVersionObjectReference> = scaleTargetRef ?? {}
  return [
    ...(minReplicas < 1
      ? [invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1")]
      : noErrors),
    ...(maxReplicas < 1 ? [invalid("spec.maxReplicas", maxReplicas, "must be greater than 0")] : noErrors),
    ...(maxReplicas < minReplicas
      ? [invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : noErrors),
    ...((reference.kind ?? "") === "" ? [required("spec.scaleTargetRef.kind")] : noErrors),
    ...((reference.name ?? "") === "" ? [required("spec.scaleTargetRef.name")] : noErrors)
  ]
}
