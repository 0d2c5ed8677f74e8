import type * as Policy from "kubernetes-types/policy/v1.js"
import type { Draft } from "../../meta/objects.ts"
import { validateIntOrPercent, validateAtMost100Percent } from "../../validation/validateIntOrPercent.ts"
import {
  invalidField,
  noErrors,
  validateNonNegative,
  unsupportedValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { printableSelector, validateLabelSelector } from "../../validation/validateLabels.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

interface DisruptionBudgetDraft extends Draft {
  readonly spec?: Policy.PodDisruptionBudgetSpec
  readonly status?: ShallowPartial<Policy.PodDisruptionBudgetStatus>
}

const evictionPolicies: ReadonlyArray<string> = ["AlwaysAllow", "IfHealthyBudget"]

/** Source: pkg/apis/policy/validation/validation.go. */
export const validateDisruptionBudget = ({ spec = {} }: DisruptionBudgetDraft): FieldErrors => {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec
  const isBoth = minAvailable !== undefined && maxUnavailable !== undefined
  return [
    ...(isBoth
      ? [invalidField("spec", printableSpec(spec), "minAvailable and maxUnavailable cannot be both set")]
      : noErrors),
    ...validateAmount(minAvailable, "spec.minAvailable"),
    ...validateAmount(maxUnavailable, "spec.maxUnavailable"),
    ...(policy === undefined || evictionPolicies.includes(policy)
      ? noErrors
      : [unsupportedValue("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies)]),
    ...(spec.selector === undefined ? noErrors : validateLabelSelector(spec.selector, "spec.selector"))
  ]
}

const validateAmount = (amount: number | string | undefined, path: string): FieldErrors =>
  amount === undefined
    ? noErrors
    : [...validateIntOrPercent(amount, path), ...validateAtMost100Percent(amount, path)]

/** Messages show Kubernetes' internal struct. */
const printableSpec = (spec: Policy.PodDisruptionBudgetSpec): unknown => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: printableSelector(spec.selector) ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null
})

const statusCounts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const

export const validateDisruptionBudgetStatus = ({ status = {} }: DisruptionBudgetDraft): FieldErrors =>
  statusCounts.flatMap((field) => validateNonNegative(`status.${field}`, status[field]))
