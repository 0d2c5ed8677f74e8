import { costAnnotation, parseCost } from "../deletionOrder.ts"
import type { Annotations } from "../objects.ts"
import { invalid, noErrors, type FieldErrors } from "./fieldErrors.ts"

/** Source: pkg/apis/core/validation/validation.go (ValidatePodSpecificAnnotations). */
export const validatePodAnnotations = (annotations: Annotations | undefined, path: string): FieldErrors => {
  const cost = annotations?.[costAnnotation]
  if (cost === undefined || parseCost(cost) !== undefined) return noErrors
  return [invalid(`${path}[${costAnnotation}]`, cost, "must be a 32bit integer")]
}
