import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "kubernetes-types/core/v1.js"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import {
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems
} from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateNameBy } from "../../../validation/validateNames.ts"

/** Source: pkg/apis/core/validation/validation.go (ValidateNodeSelector). */
export const validateNodeSelector = (
  { nodeSelectorTerms: terms = [] }: DeepPartial<NodeSelector>,
  path: string
): FieldErrors =>
  terms.length === 0
    ? [requiredValue(`${path}.nodeSelectorTerms`, "must have at least one node selector term")]
    : terms.flatMap((term, index) =>
        validateNodeSelectorTerm(term, `${path}.nodeSelectorTerms[${index}]`, { checksLabelValues: true })
      )

interface NodeTermOptions {
  /** Kubernetes checks label values only where a node is required. */
  readonly checksLabelValues: boolean
}

export const validateNodeSelectorTerm = (
  { matchExpressions = [], matchFields = [] }: DeepPartial<NodeSelectorTerm>,
  path: string,
  options: NodeTermOptions
): FieldErrors => [
  ...matchExpressions.flatMap((requirement, index) =>
    validateLabelRequirement(requirement, `${path}.matchExpressions[${index}]`, options)
  ),
  ...matchFields.flatMap((requirement, index) =>
    validateFieldRequirement(requirement, `${path}.matchFields[${index}]`)
  )
]

type Requirement = DeepPartial<NodeSelectorRequirement>

const unknownOperator = (operator: string, path: string) =>
  invalidField(`${path}.operator`, operator, "not a valid selector operator")

const validateLabelRequirement = (
  requirement: Requirement,
  path: string,
  { checksLabelValues }: NodeTermOptions
): FieldErrors => {
  const { key, values = [] } = requirement
  return [
    ...validateValueCount(requirement, path),
    ...validateNameBy(qualifiedNameProblems, key, `${path}.key`),
    ...(checksLabelValues
      ? values.flatMap((value, index) =>
          validateNameBy(labelValueProblems, value, `${path}.values[${index}]`)
        )
      : noErrors)
  ]
}

const validateValueCount = ({ operator = "", values = [] }: Requirement, path: string): FieldErrors => {
  const field = `${path}.values`
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length === 0
        ? [requiredValue(field, "must be specified when `operator` is 'In' or 'NotIn'")]
        : noErrors
    case "Exists":
    case "DoesNotExist":
      return values.length > 0
        ? [forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : noErrors
    case "Gt":
    case "Lt":
      return values.length === 1
        ? noErrors
        : [requiredValue(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
    default:
      return [unknownOperator(operator, path)]
  }
}

/** Of a node's fields, only its name can be selected. */
const validateFieldRequirement = (
  { key = "", operator = "", values = [] }: Requirement,
  path: string
): FieldErrors => {
  const isKnown = operator === "In" || operator === "NotIn"
  const countRule = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
  return [
    ...(isKnown ? noErrors : [unknownOperator(operator, path)]),
    ...(isKnown && values.length !== 1 ? [requiredValue(`${path}.values`, countRule)] : noErrors),
    ...(key === "metadata.name"
      ? values.flatMap((value, index) => validateNameBy(subdomainProblems, value, `${path}.values[${index}]`))
      : [invalidField(`${path}.key`, key, "not a valid field selector key")])
  ]
}
