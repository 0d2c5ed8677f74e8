import type * as Policy from "kubernetes-types/policy/v1.js"
import type { Draft } from "../objects.ts"
import { validateIntOrPercent, validateWithinAll } from "./amounts.ts"
import { invalid, noErrors, nonNegative, notSupported, type FieldErrors } from "./fieldErrors.ts"
import { selectorValue, validateLabelSelector } from "./labels.ts"
import type { Loose } from "./sharing.ts"

/** Source: pkg/apis/policy/validation/validation.go. */
interface DisruptionBudgetDraft extends Draft {
  readonly spec?: Policy.PodDisruptionBudgetSpec
  readonly status?: Loose<Policy.PodDisruptionBudgetStatus>
}

const evictionPolicies: ReadonlyArray<string> = ["AlwaysAllow", "IfHealthyBudget"]

export const validateDisruptionBudget = ({ spec = {} }: DisruptionBudgetDraft): FieldErrors => {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec
  const isBoth = minAvailable !== undefined && maxUnavailable !== undefined
  return [
    ...(isBoth
      ? [invalid("spec", specValue(spec), "minAvailable and maxUnavailable cannot be both set")]
      : noErrors),
    ...validateAmount(minAvailable, "spec.minAvailable"),
    ...validateAmount(maxUnavailable, "spec.maxUnavailable"),
    ...(policy === undefined || evictionPolicies.includes(policy)
      ? noErrors
      : [notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies)]),
    ...(spec.selector === undefined ? noErrors : validateLabelSelector(spec.selector, "spec.selector"))
  ]
}

const validateAmount = (amount: number | string | undefined, path: string): FieldErrors =>
  amount === undefined
    ? noErrors
    : [...validateIntOrPercent(amount, path), ...validateWithinAll(amount, path)]

/** The message shows Kubernetes' internal struct, whose field names are capitalised. */
const specValue = (spec: Policy.PodDisruptionBudgetSpec): unknown => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: selectorValue(spec.selector) ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null
})

const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const

export const validateDisruptionBudgetStatus = ({ status = {} }: DisruptionBudgetDraft): FieldErrors =>
  counts.flatMap((field) => nonNegative(`status.${field}`, status[field]))
