import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import { formatQuantity, parseQuantity } from "../../../meta/amounts/quantity.ts"
import {
  invalidField,
  noErrors,
  notNegativeDetail,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"

type Behavior = DeepPartial<Autoscaling.HorizontalPodAutoscalerBehavior>

/** `kubernetes-types` lacks `tolerance`. */
type Rules = DeepPartial<Autoscaling.HPAScalingRules> & { readonly tolerance?: string }

/** Source: pkg/apis/autoscaling/validation/validation.go (validateBehavior). */
export const validateBehavior = ({ scaleUp, scaleDown }: Behavior, path: string): FieldErrors => [
  ...(scaleUp === undefined ? noErrors : validateRules(scaleUp, `${path}.scaleUp`)),
  ...(scaleDown === undefined ? noErrors : validateRules(scaleDown, `${path}.scaleDown`))
]

const windowSecondsMax = 3600
const periodSecondsMax = 1800

/** Defaults have filled in missing policies, but not an empty list. */
const validateRules = (
  { stabilizationWindowSeconds: seconds = 0, selectPolicy, policies, tolerance }: Rules,
  path: string
): FieldErrors => {
  const windowPath = `${path}.stabilizationWindowSeconds`
  const isEmpty = policies !== undefined && policies.length === 0
  return [
    ...(seconds < 0
      ? [invalidField(windowPath, seconds, "must be greater than or equal to zero")]
      : noErrors),
    ...(seconds > windowSecondsMax
      ? [invalidField(windowPath, seconds, `must be less than or equal to ${windowSecondsMax}`)]
      : noErrors),
    ...validateOptionalOneOf(selectPolicy, ["Disabled", "Max", "Min"], `${path}.selectPolicy`),
    ...(isEmpty ? [requiredValue(`${path}.policies`, "must specify at least one Policy")] : noErrors),
    ...(policies ?? []).flatMap((policy, index) => validatePolicy(policy, `${path}.policies[${index}]`)),
    ...validateTolerance(tolerance, `${path}.tolerance`)
  ]
}

const policyTypes = ["Percent", "Pods"]

const validatePolicy = (
  { type = "", value = 0, periodSeconds: seconds = 0 }: DeepPartial<Autoscaling.HPAScalingPolicy>,
  path: string
): FieldErrors => {
  const periodPath = `${path}.periodSeconds`
  return [
    ...(policyTypes.includes(type) ? noErrors : [unsupportedValue(`${path}.type`, type, policyTypes)]),
    ...(value <= 0 ? [invalidField(`${path}.value`, value, "must be greater than zero")] : noErrors),
    ...(seconds <= 0 ? [invalidField(periodPath, seconds, "must be greater than zero")] : noErrors),
    ...(seconds > periodSecondsMax
      ? [invalidField(periodPath, seconds, `must be less than or equal to ${periodSecondsMax}`)]
      : noErrors)
  ]
}

const validateTolerance = (tolerance: string | undefined, path: string): FieldErrors => {
  const quantity = tolerance === undefined ? undefined : parseQuantity(tolerance)
  return quantity === undefined || quantity.nanos >= 0n
    ? noErrors
    : [invalidField(path, formatQuantity(quantity), notNegativeDetail)]
}
