import { deletionCostAnnotation, parseDeletionCost } from "../../pods/deletionOrder.ts"
import type { Annotations } from "../../meta/objects.ts"
import { invalidField, noErrors, type FieldErrors } from "../../validation/fieldErrors.ts"

/** Source: pkg/apis/core/validation/validation.go (ValidatePodSpecificAnnotations). */
export const validatePodAnnotations = (annotations: Annotations | undefined, path: string): FieldErrors => {
  const cost = annotations?.[deletionCostAnnotation]
  if (cost === undefined || parseDeletionCost(cost) !== undefined) return noErrors
  return [invalidField(`${path}[${deletionCostAnnotation}]`, cost, "must be a 32bit integer")]
}
