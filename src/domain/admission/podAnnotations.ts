import { deletionCostAnnotation, parseDeletionCost } from "../deletionOrder.ts"
import type { Annotations } from "../objects.ts"
import { invalidField, noErrors, type FieldErrors } from "./fieldErrors.ts"

/** Source: pkg/apis/core/validation/validation.go (ValidatePodSpecificAnnotations). */
export const validatePodAnnotations = (annotations: Annotations | undefined, path: string): FieldErrors => {
  const cost = annotations?.[deletionCostAnnotation]
  if (cost === undefined || parseDeletionCost(cost) !== undefined) return noErrors
  return [invalidField(`${path}[${deletionCostAnnotation}]`, cost, "must be a 32bit integer")]
}
