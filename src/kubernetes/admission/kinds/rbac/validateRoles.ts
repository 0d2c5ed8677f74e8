import type * as Rbac from "kubernetes-types/rbac/v1.js"
import { selectorProblem } from "../../../meta/selectors/labelSelectors.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import { invalidField, noErrors, requiredValue, type FieldErrors } from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { printableSelector, validateLabelSelector } from "../../../validation/validateLabels.ts"

interface RoleDraft extends Draft {
  readonly rules?: ReadonlyArray<PolicyRule> | null
  readonly aggregationRule?: DeepPartial<Rbac.AggregationRule>
}

type PolicyRule = DeepPartial<Rbac.PolicyRule>

/** Source: pkg/apis/rbac/validation/validation.go (ValidateRole, ValidateClusterRole, ValidatePolicyRule). */
export const validateRole = ({ rules }: RoleDraft): FieldErrors =>
  validateRules(rules ?? [], { isNamespaced: true })

export const validateClusterRole = ({ rules, aggregationRule }: RoleDraft): FieldErrors => [
  ...validateRules(rules ?? [], { isNamespaced: false }),
  ...(aggregationRule === undefined ? noErrors : validateAggregation(aggregationRule))
]

const validateRules = (
  rules: ReadonlyArray<PolicyRule>,
  { isNamespaced }: { readonly isNamespaced: boolean }
): FieldErrors =>
  rules.flatMap((rule, index) => validateRule(rule, { path: `rules[${index}]`, isNamespaced }))

const validateRule = (
  rule: PolicyRule,
  { path, isNamespaced }: { readonly path: string; readonly isNamespaced: boolean }
): FieldErrors => {
  const { verbs = [], nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule
  const verbErrors =
    verbs.length === 0 ? [requiredValue(`${path}.verbs`, "verbs must contain at least one value")] : noErrors
  if (nonResourceURLs.length > 0) {
    const invalidUrls = (why: string) => invalidField(`${path}.nonResourceURLs`, nonResourceURLs, why)
    const isBoth = apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0
    return [
      ...verbErrors,
      ...(isNamespaced ? [invalidUrls("namespaced rules cannot apply to non-resource URLs")] : noErrors),
      ...(isBoth
        ? [invalidUrls("rules cannot apply to both regular resources and non-resource URLs")]
        : noErrors)
    ]
  }
  return [
    ...verbErrors,
    ...(apiGroups.length === 0
      ? [requiredValue(`${path}.apiGroups`, "resource rules must supply at least one api group")]
      : noErrors),
    ...(resources.length === 0
      ? [requiredValue(`${path}.resources`, "resource rules must supply at least one resource")]
      : noErrors)
  ]
}

const validateAggregation = ({
  clusterRoleSelectors: selectors = []
}: DeepPartial<Rbac.AggregationRule>): FieldErrors => {
  const path = "aggregationRule.clusterRoleSelectors"
  const missing = "at least one clusterRoleSelector required if aggregationRule is non-nil"
  return [
    ...(selectors.length === 0 ? [requiredValue(path, missing)] : noErrors),
    ...selectors.flatMap((selector, index) => [
      ...validateLabelSelector(selector, `${path}[${index}]`),
      ...(selectorProblem(selector as LabelSelector) === undefined
        ? noErrors
        : [invalidField(`${path}[${index}]`, printableSelector(selector), "invalid label selector.")])
    ])
  ]
}
