import type * as FlowControl from "kubernetes-types/flowcontrol/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import { validateWildcardAlone } from "../validateWildcardAlone.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { labelProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateRequiredName } from "../../../validation/validateNames.ts"

interface FlowSchemaDraft extends Draft {
  readonly spec?: DeepPartial<FlowControl.FlowSchemaSpec>
}

const precedenceMax = 10_000
const distinguisherTypes = ["ByNamespace", "ByUser"]

/**
 * Defaults have filled in a missing precedence. Source:
 * pkg/apis/flowcontrol/validation/validation.go.
 */
export const validateFlowSchema = ({ metadata, spec = {} }: FlowSchemaDraft): FieldErrors => {
  const { matchingPrecedence: precedence = 1000, distinguisherMethod, rules = [] } = spec
  const { priorityLevelConfiguration: level = {} } = spec
  const path = "spec.matchingPrecedence"
  const exemptRule = "only the schema named 'exempt' may have matchingPrecedence 1"
  const type = distinguisherMethod?.type ?? ""
  // Messages show Kubernetes' internal struct.
  const printableMethod = { Type: type }
  return [
    ...(precedence <= 0 ? [invalidField(path, precedence, "must be a positive value")] : noErrors),
    ...(precedence > precedenceMax
      ? [invalidField(path, precedence, `must not be greater than ${precedenceMax}`)]
      : noErrors),
    ...(precedence === 1 && metadata.name !== "exempt"
      ? [invalidField(path, precedence, exemptRule)]
      : noErrors),
    ...(distinguisherMethod === undefined || distinguisherTypes.includes(type)
      ? noErrors
      : [unsupportedValue("spec.distinguisherMethod.type", printableMethod, distinguisherTypes)]),
    ...validateRequiredName(subdomainProblems, level.name, {
      path: "spec.priorityLevelConfiguration.name",
      why: "must reference a priority level"
    }),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`))
  ]
}

const validateRule = (
  {
    subjects = [],
    resourceRules = [],
    nonResourceRules = []
  }: DeepPartial<FlowControl.PolicyRulesWithSubjects>,
  path: string
): FieldErrors => [
  ...(subjects.length === 0
    ? [requiredValue(`${path}.subjects`, "subjects must contain at least one value")]
    : subjects.flatMap((subject, index) => validateSubject(subject, `${path}.subjects[${index}]`))),
  ...(resourceRules.length === 0 && nonResourceRules.length === 0
    ? [requiredValue(path, "at least one of resourceRules and nonResourceRules has to be non-empty")]
    : noErrors),
  ...resourceRules.flatMap((rule, index) => validateResources(rule, `${path}.resourceRules[${index}]`)),
  ...nonResourceRules.flatMap(({ verbs, nonResourceURLs = [] }, index) => {
    const field = `${path}.nonResourceRules[${index}]`
    const urls = `${field}.nonResourceURLs`
    return [
      ...validateVerbs(verbs, `${field}.verbs`),
      ...(nonResourceURLs.length === 0
        ? [requiredValue(urls, "nonResourceURLs must contain at least one value")]
        : validateWildcardAlone(nonResourceURLs, urls, "non-resource URLs"))
    ]
  })
]

const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const

const validateSubject = (subject: DeepPartial<FlowControl.Subject>, path: string): FieldErrors => {
  const { kind = "" } = subject
  if (kind !== "ServiceAccount" && kind !== "User" && kind !== "Group")
    return [unsupportedValue(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"])]
  const fieldOfKind = subjectFields[kind]
  const reference = subject[fieldOfKind]
  return [
    ...(reference === undefined
      ? [requiredValue(`${path}.${fieldOfKind}`, `${fieldOfKind} is required when subject kind is '${kind}'`)]
      : kind === "ServiceAccount"
        ? validateAccount(subject.serviceAccount ?? {}, `${path}.${fieldOfKind}`)
        : (reference.name ?? "") === ""
          ? [requiredValue(`${path}.${fieldOfKind}.name`)]
          : noErrors),
    ...Object.entries(subjectFields).flatMap(([otherKind, field]) =>
      field === fieldOfKind || subject[field] === undefined
        ? []
        : [
            forbiddenField(
              `${path}.${field}`,
              `${field} is forbidden when subject kind is not '${otherKind}'`
            )
          ]
    )
  ]
}

const validateAccount = (
  { name, namespace }: DeepPartial<FlowControl.ServiceAccountSubject>,
  path: string
): FieldErrors => [
  ...(name === "*" ? noErrors : validateRequiredName(subdomainProblems, name, { path: `${path}.name` })),
  ...validateRequiredName(labelProblems, namespace, {
    path: `${path}.namespace`,
    why: "must specify namespace for service account"
  })
]

const verbNames = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"]

const validateVerbs = (verbs: ReadonlyArray<string> = [], path: string): FieldErrors => {
  if (verbs.length === 0) return [requiredValue(path, "verbs must contain at least one value")]
  if (verbs.includes("*")) return validateWildcardAlone(verbs, path, "verbs")
  return verbs.every((verb) => verbNames.includes(verb))
    ? noErrors
    : [unsupportedValue(path, verbs, verbNames)]
}

const validateResources = (rule: DeepPartial<FlowControl.ResourcePolicyRule>, path: string): FieldErrors => {
  const { apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule
  const field = `${path}.namespaces`
  const memberRule = "each member of this list must be '*' or a DNS-1123 label; "
  const noNamespace = "resource rules that are not cluster scoped must supply at least one namespace"
  return [
    ...validateVerbs(rule.verbs, `${path}.verbs`),
    ...(apiGroups.length === 0
      ? [requiredValue(`${path}.apiGroups`, "resource rules must supply at least one api group")]
      : validateWildcardAlone(apiGroups, `${path}.apiGroups`, "api groups")),
    ...(resources.length === 0
      ? [requiredValue(`${path}.resources`, "resource rules must supply at least one resource")]
      : validateWildcardAlone(resources, `${path}.resources`, "resources")),
    ...(namespaces.length === 0 && !clusterScope
      ? [requiredValue(field, noNamespace)]
      : namespaces.includes("*")
        ? validateWildcardAlone(namespaces, field, "namespaces")
        : namespaces.flatMap((namespace, index) =>
            labelProblems(namespace).map((problem) =>
              invalidField(`${field}[${index}]`, namespace, `${memberRule}${problem}`)
            )
          ))
  ]
}

interface PriorityLevelDraft extends Draft {
  readonly spec?: DeepPartial<FlowControl.PriorityLevelConfigurationSpec>
}

export const validatePriorityLevel = ({ metadata, spec = {} }: PriorityLevelDraft): FieldErrors => {
  const { type = "", limited } = spec
  const exemptRule = "type must be 'Exempt' if and only if name is 'exempt'"
  return [
    ...((metadata.name === "exempt") === (type === "Exempt")
      ? noErrors
      : [invalidField("spec.type", type, exemptRule)]),
    ...(type === "Exempt" && limited !== undefined
      ? [forbiddenField("spec.limited", "must be nil if the type is not Limited")]
      : noErrors),
    ...(type === "Limited" && limited === undefined
      ? [requiredValue("spec.limited", "must not be empty when type is Limited")]
      : noErrors),
    ...(type === "Exempt" || type === "Limited"
      ? noErrors
      : [unsupportedValue("spec.type", type, ["Exempt", "Limited"])])
  ]
}
