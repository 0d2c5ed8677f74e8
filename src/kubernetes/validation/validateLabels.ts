import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../meta/objects.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "./fieldErrors.ts"
import { labelValueProblems, qualifiedNameProblems } from "./nameRules.ts"
import type { DeepPartial } from "./partialTypes.ts"
import { memoizeCheck } from "./memoizeCheck.ts"

/** Source: meta/v1/validation/validation.go. */
export const validateLabels = (labels: Labels | undefined, path: string): FieldErrors =>
  labels === undefined ? noErrors : checkLabels(labels, path)

const checkLabels = memoizeCheck((labels: Labels, path) => {
  const errors: Array<FieldError> = []
  for (const [key, value] of Object.entries(labels)) {
    for (const problem of qualifiedNameProblems(key)) errors.push(invalidField(path, key, problem))
    for (const problem of labelValueProblems(value)) errors.push(invalidField(path, value, problem))
  }
  return errors
})

export const validateLabelSelector = (selector: DeepPartial<LabelSelector>, path: string): FieldErrors => [
  ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
  ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
    validateRequirement(requirement, `${path}.matchExpressions[${index}]`)
  )
]

const validateRequirement = (
  requirement: DeepPartial<LabelSelectorRequirement>,
  path: string
): FieldErrors => {
  const { key = "", operator = "", values = [] } = requirement
  const errors: Array<FieldError> = []
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(requiredValue(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.push(
        forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      )
    }
  } else errors.push(invalidField(`${path}.operator`, operator, "not a valid selector operator"))
  for (const problem of qualifiedNameProblems(key)) errors.push(invalidField(`${path}.key`, key, problem))
  for (const [index, value] of values.entries()) {
    for (const problem of labelValueProblems(value)) {
      errors.push(invalidField(`${path}.values[${index}]`, value, problem))
    }
  }
  return errors
}

export const withSortedKeys = (map: Labels): Labels =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))

/** As Go prints a selector: matchLabels first, keys sorted. */
export const printableSelector = (selector: DeepPartial<LabelSelector> | undefined): unknown => {
  if (selector === undefined) return undefined
  const { matchLabels, matchExpressions } = selector
  return {
    ...(hasEntries(matchLabels) ? { matchLabels: withSortedKeys(matchLabels) } : {}),
    ...(hasEntries(matchExpressions) ? { matchExpressions } : {})
  }
}

const hasEntries = <T extends object>(value: T | undefined): value is T =>
  value !== undefined && Object.keys(value).length > 0
