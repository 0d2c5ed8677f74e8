import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import {
  duplicateValue,
  invalidField,
  noErrors,
  requiredValue,
  tooManyItems,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { pathSegmentProblems, qualifiedNameProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateNameBy, validateRequiredName } from "../../../validation/validateNames.ts"
import { validateWildcardAlone } from "../validateWildcardAlone.ts"

/**
 * Unlike Kubernetes, CEL expressions are not compiled. Source:
 * pkg/apis/admissionregistration/validation/validation.go (validateRuleWithOperations,
 * validateMatchResources).
 */
type Rule = DeepPartial<Admission.RuleWithOperations> & {
  /** `kubernetes-types` lacks these fields. */
  readonly resources?: ReadonlyArray<string> | undefined
  readonly scope?: string | undefined
}

export const failurePolicies: ReadonlyArray<string> = ["Fail", "Ignore"]
export const matchPolicies: ReadonlyArray<string> = ["Equivalent", "Exact"]
const allOperations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]
const scopes = ["*", "Cluster", "Namespaced"]

export const validateRule = (rule: Rule, path: string): FieldErrors => {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule
  const versionPath = `${path}.apiVersions`
  return [
    ...validateWildcardList(operations, `${path}.operations`, "operations"),
    ...operations.flatMap((operation, index) =>
      allOperations.includes(operation)
        ? []
        : [unsupportedValue(`${path}.operations[${index}]`, operation, allOperations)]
    ),
    ...validateWildcardList(apiGroups, `${path}.apiGroups`, "API groups"),
    ...validateWildcardList(apiVersions, versionPath, "API versions"),
    ...apiVersions.flatMap((version, index) =>
      version === "" ? [requiredValue(`${versionPath}[${index}]`)] : []
    ),
    ...validateRuleResources(resources, `${path}.resources`),
    ...validateOptionalOneOf(scope, scopes, `${path}.scope`)
  ]
}

const validateWildcardList = (
  items: ReadonlyArray<string>,
  path: string,
  pluralNoun: string
): FieldErrors => {
  if (items.length === 0) return [requiredValue(path)]
  return validateWildcardAlone(items, path, pluralNoun)
}

/** A resource is `pods`, `pods/log`, `pods/*`, `*`, or `*` with a subresource. */
const validateRuleResources = (resources: ReadonlyArray<string>, path: string): FieldErrors => {
  if (resources.length === 0) return [requiredValue(path)]
  const [resourcesWithAllSubresources, subresourcesOfAllResources] = [new Set<string>(), new Set<string>()]
  const errors = resources.flatMap((text, index): FieldErrors => {
    if (text === "") return [requiredValue(`${path}[${index}]`)]
    const slash = text.indexOf("/")
    if (slash < 0) return noErrors
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)]
    const conflictWith = (pattern: string) =>
      invalidField(`${path}[${index}]`, text, `if '${pattern}' is present, must not specify ${text}`)
    const conflicts = [
      ...(resourcesWithAllSubresources.has(resource) ? [conflictWith(`${resource}/*`)] : noErrors),
      ...(subresourcesOfAllResources.has(subresource) ? [conflictWith(`*/${subresource}`)] : noErrors)
    ]
    if (subresource === "*") resourcesWithAllSubresources.add(resource)
    if (resource === "*") subresourcesOfAllResources.add(subresource)
    return conflicts
  })
  // Upstream remembers only the last resource without a subresource.
  const lastPlainResource = resources.findLast((text) => text !== "" && !text.includes("/"))
  const isMixed = resources.includes("*") && lastPlainResource !== undefined && lastPlainResource !== "*"
  return [
    ...errors,
    ...(resources.length > 1 && resources.includes("*/*")
      ? [invalidField(path, resources, "if '*/*' is present, must not specify other resources")]
      : noErrors),
    ...(isMixed
      ? [
          invalidField(
            path,
            resources,
            "if '*' is present, must not specify other resources without subresources"
          )
        ]
      : noErrors)
  ]
}

const conditionsMax = 64

export const validateMatchConditions = (
  conditions: ReadonlyArray<DeepPartial<Admission.MatchCondition>>,
  path: string
): FieldErrors => {
  const names = conditions.map(({ name = "" }) => name)
  return [
    ...(conditions.length > conditionsMax
      ? [tooManyItems(path, { actual: conditions.length, max: conditionsMax })]
      : noErrors),
    ...conditions.flatMap(({ expression = "" }, index) => {
      const name = names[index] ?? ""
      const field = `${path}[${index}]`
      return [
        ...(expression.trim() === "" ? [requiredValue(`${field}.expression`)] : noErrors),
        ...validateRequiredName(qualifiedNameProblems, name, { path: `${field}.name` }),
        ...(name !== "" && names.indexOf(name) < index ? [duplicateValue(`${field}.name`, name)] : noErrors)
      ]
    })
  ]
}

/** Defaults have filled in missing selectors and a missing policy. */
export const validateMatchResources = (
  match: DeepPartial<Admission.MatchResources>,
  path: string
): FieldErrors => [
  ...validateOptionalOneOf(match.matchPolicy, matchPolicies, `${path}.matchPolicy`),
  ...validateLabelSelector(match.namespaceSelector ?? {}, `${path}.namespaceSelector`),
  ...validateLabelSelector(match.objectSelector ?? {}, `${path}.objectSelector`),
  ...(match.resourceRules ?? []).flatMap((rule, index) =>
    validateNamedRule(rule, `${path}.resourceRules[${index}]`)
  ),
  ...(match.excludeResourceRules ?? []).flatMap((rule, index) =>
    validateNamedRule(rule, `${path}.excludeResourceRules[${index}]`)
  )
]

const validateNamedRule = (
  rule: DeepPartial<Admission.NamedRuleWithOperations>,
  path: string
): FieldErrors => {
  const names = rule.resourceNames ?? []
  return [
    ...names.flatMap((name, index) => [
      ...validateNameBy(pathSegmentProblems, name, `${path}.resourceNames[${index}]`),
      ...(names.indexOf(name) < index ? [duplicateValue(`${path}.resourceNames[${index}]`, name)] : noErrors)
    ]),
    ...validateRule(rule, path)
  ]
}
