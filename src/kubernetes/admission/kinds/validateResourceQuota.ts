import { validateQuantity } from "../pods/validateResources.ts"
import {
  immutableField,
  invalidField,
  noErrors,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { qualifiedNameProblems } from "../../validation/nameRules.ts"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft } from "../../meta/objects.ts"

interface ResourceQuotaDraft extends Draft {
  readonly spec?: ShallowPartial<Core.ResourceQuotaSpec>
}

/** Source: pkg/apis/core/validation/validation.go (ValidateResourceQuotaSpec). */
export const validateResourceQuota = ({ spec = {} }: ResourceQuotaDraft): FieldErrors => {
  const amounts = Object.entries(spec.hard ?? {}).flatMap(([name, amount]) => {
    const path = `spec.hard[${name}]`
    return [...validateName(name, path), ...validateQuantity(amount, { path, isInteger: isCount(name) })]
  })
  return [...amounts, ...validateScopes(spec), ...validateSelector(spec)]
}

export const validateResourceQuotaUpdate = (
  quota: ResourceQuotaDraft,
  old: ResourceQuotaDraft
): FieldErrors => {
  const { scopes } = quota.spec ?? {}
  const oldScopes = old.spec?.scopes
  const hasSameScopes = isEqualIgnoringEmpty([...new Set(scopes)].sort(), [...new Set(oldScopes)].sort())
  return [
    ...validateResourceQuota(quota),
    ...(hasSameScopes ? noErrors : [immutableField("spec.scopes", scopes)])
  ]
}

const computeNames: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`])
)

const countNames: ReadonlySet<string> = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers"
])

const standardNames: ReadonlySet<string> = new Set([
  ...computeNames,
  ...countNames,
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "requests.storage"
])

const isStandard = (name: string): boolean => standardNames.has(name) || /^(requests\.)?hugepages-/.test(name)

const validateName = (name: string, path: string): FieldErrors => {
  const problems = qualifiedNameProblems(name).map((problem) => invalidField(path, name, problem))
  if (name.includes("/") || isStandard(name)) return problems
  const standard = invalidField(path, name, "must be a standard resource for quota")
  if (problems.length > 0) return [...problems, standard]
  if (name === "storage") return [standard]
  return [invalidField(path, name, "must be a standard resource type or fully qualified"), standard]
}

/** Counts and extended resources have integer amounts. */
const isCount = (name: string): boolean =>
  countNames.has(name) ||
  (name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests."))

/** A selector can only require these scopes to exist. */
const scopesWithoutValues: ReadonlySet<string> = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "CrossNamespacePodAffinity"
])

const isScope = (name: string): boolean =>
  scopesWithoutValues.has(name) || name === "PriorityClass" || name === "VolumeAttributesClass"

/** Whether a quota with the scope may limit the resource. BestEffort Pods have no compute resources. */
const isScopeSupported = (scope: string, resource: string): boolean => {
  if (scope === "VolumeAttributesClass")
    return resource === "persistentvolumeclaims" || resource === "requests.storage"
  return !isScope(scope) || resource === "pods" || (scope !== "BestEffort" && computeNames.has(resource))
}

const oppositeScopes = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"]
] as const

type Spec = NonNullable<ResourceQuotaDraft["spec"]>

const oppositeScopeErrors = (names: ReadonlyArray<string>, path: string, value: unknown): FieldErrors =>
  oppositeScopes
    .filter((pair) => pair.every((scope) => names.includes(scope)))
    .map(() => invalidField(path, value, "conflicting scopes"))

const scopeErrors = (
  scope: string,
  { hard = {} }: Spec,
  fieldAndValue: readonly [string, unknown]
): FieldErrors =>
  Object.keys(hard)
    .filter((name) => isStandard(name) && !isScopeSupported(scope, name))
    .map(() => invalidField(...fieldAndValue, "unsupported scope applied to resource"))

const validateScopes = (spec: Spec): FieldErrors => {
  const { scopes = [] } = spec
  const path = "spec.scopes"
  const errors = scopes.flatMap((scope) => [
    ...(isScope(scope) ? noErrors : [invalidField(path, scopes, "unsupported scope")]),
    ...scopeErrors(scope, spec, [path, scopes])
  ])
  return [...errors, ...oppositeScopeErrors(scopes, path, scopes)]
}

const validateSelector = (spec: Spec): FieldErrors => {
  const { scopeSelector, scopes } = spec
  const path = "spec.scopeSelector.matchExpressions"
  const expressions = scopeSelector?.matchExpressions ?? []
  const errors = expressions.flatMap((expression) => [
    ...(isScope(expression.scopeName)
      ? noErrors
      : [invalidField(`${path}.scopeName`, expression.scopeName, "unsupported scope")]),
    ...scopeErrors(expression.scopeName, spec, [path, scopeSelector]),
    ...validateOperator(expression, path)
  ])
  return [
    ...errors,
    // As in Kubernetes, the message shows `spec.scopes` here, too.
    ...oppositeScopeErrors(
      expressions.map(({ scopeName }) => scopeName),
      path,
      scopes
    )
  ]
}

const existsRequired =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

const validateOperator = (
  { scopeName, operator, values = [] }: Core.ScopedResourceSelectorRequirement,
  path: string
): FieldErrors => {
  const errors: Array<FieldError> = []
  if (scopesWithoutValues.has(scopeName) && operator !== "Exists")
    errors.push(invalidField(`${path}.operator`, operator, existsRequired))
  const takesValues = operator === "In" || operator === "NotIn"
  if (!takesValues && operator !== "Exists" && operator !== "DoesNotExist") {
    errors.push(invalidField(`${path}.operator`, operator, "not a valid selector operator"))
  } else if (takesValues && values.length === 0) {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    errors.push(requiredValue(`${path}.values`, detail))
  } else if (!takesValues && values.length > 0) {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    errors.push(invalidField(`${path}.values`, values, detail))
  }
  return errors
}
