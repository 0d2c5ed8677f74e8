import type * as Batch from "kubernetes-types/batch/v1.js"
import { countIndexes } from "../../../batch/jobIndexes.ts"
import {
  duplicateValue,
  invalidField,
  invalidWithoutValue,
  noErrors,
  requiredValue,
  tooManyItems,
  unsupportedValue,
  validateNonNegative,
  validateOptionalOneOf,
  valueTooLong,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { qualifiedNameProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateNameBy } from "../../../validation/validateNames.ts"

/**
 * Source: pkg/apis/batch/validation/validation.go (validatePodFailurePolicy,
 * validateSuccessPolicy).
 */
export type JobSpecDraft = DeepPartial<Batch.JobSpec>

const rulesMax = 20
const conditionsMax = 20
const exitCodesMax = 255
const indexesBytesMax = 64 * 1024

export const validatePodFailurePolicy = (spec: JobSpecDraft, path: string): FieldErrors => {
  const { rules = [] } = spec.podFailurePolicy ?? {}
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {}
  const containerNames = [...containers, ...initContainers].map(({ name = "" }) => name)
  return [
    ...tooManyOf(rules, `${path}.rules`, rulesMax),
    ...rules.flatMap((rule, index) =>
      validateFailureRule(rule, { path: `${path}.rules[${index}]`, containerNames, spec })
    )
  ]
}

const tooManyOf = (items: ReadonlyArray<unknown>, path: string, max: number): FieldErrors =>
  items.length > max ? [tooManyItems(path, { actual: items.length, max })] : noErrors

/** Go prints the list with spaces and no commas. */
const validValues = (values: ReadonlyArray<string>): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(" ")}]`

const requireOneOf = (value = "", path: string, supported: ReadonlyArray<string>): FieldErrors =>
  value === ""
    ? [requiredValue(path, validValues(supported))]
    : supported.includes(value)
      ? noErrors
      : [unsupportedValue(path, value, supported)]

const failureActions = ["Count", "FailIndex", "FailJob", "Ignore"]
const exitCodeOperators = ["In", "NotIn"]
const conditionStatuses = ["False", "True", "Unknown"]

const validateFailureRule = (
  { action, onExitCodes, onPodConditions = [] }: DeepPartial<Batch.PodFailurePolicyRule>,
  options: {
    readonly path: string
    readonly containerNames: ReadonlyArray<string>
    readonly spec: JobSpecDraft
  }
): FieldErrors => {
  const { path, containerNames, spec } = options
  const isLimitPerIndexMissing = action === "FailIndex" && spec.backoffLimitPerIndex === undefined
  const [hasCodes, hasConditions] = [onExitCodes !== undefined, onPodConditions.length > 0]
  return [
    ...(isLimitPerIndexMissing
      ? [invalidField(`${path}.action`, action, "requires the backoffLimitPerIndex to be set")]
      : requireOneOf(action, `${path}.action`, failureActions)),
    ...(onExitCodes === undefined
      ? noErrors
      : validateExitCodes(onExitCodes, `${path}.onExitCodes`, containerNames)),
    ...tooManyOf(onPodConditions, `${path}.onPodConditions`, conditionsMax),
    ...onPodConditions.flatMap(({ type, status }, index) => [
      ...validateNameBy(qualifiedNameProblems, type, `${path}.onPodConditions[${index}].type`),
      ...requireOneOf(status, `${path}.onPodConditions[${index}].status`, conditionStatuses)
    ]),
    ...(hasCodes && hasConditions
      ? [invalidWithoutValue(path, "specifying both OnExitCodes and OnPodConditions is not supported")]
      : noErrors),
    ...(hasCodes || hasConditions
      ? noErrors
      : [invalidWithoutValue(path, "specifying one of OnExitCodes and OnPodConditions is required")])
  ]
}

const validateExitCodes = (
  requirement: DeepPartial<Batch.PodFailurePolicyOnExitCodesRequirement>,
  path: string,
  containerNames: ReadonlyArray<string>
): FieldErrors => {
  const { operator, containerName, values = [] } = requirement
  const field = `${path}.values`
  const nameRule = "must be one of the container or initContainer names in the pod template"
  const isOrdered = values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value))
  return [
    ...requireOneOf(operator, `${path}.operator`, exitCodeOperators),
    ...(containerName === undefined || containerNames.includes(containerName)
      ? noErrors
      : [invalidField(`${path}.containerName`, containerName, nameRule)]),
    ...(values.length === 0
      ? [invalidField(field, requirement.values, "at least one value is required")]
      : tooManyOf(values, field, exitCodesMax)),
    ...values.flatMap((value, index) => [
      ...(operator === "In" && value === 0
        ? [invalidField(`${field}[${index}]`, value, "must not be 0 for the In operator")]
        : noErrors),
      ...(values.indexOf(value) < index ? [duplicateValue(`${field}[${index}]`, value)] : noErrors)
    ]),
    ...(isOrdered ? noErrors : [invalidField(field, values, "must be ordered")])
  ]
}

/** Called for Indexed Jobs; a missing `completions` has its own error. */
export const validateSuccessPolicy = (spec: JobSpecDraft, path: string): FieldErrors => {
  const { rules = [] } = spec.successPolicy ?? {}
  const { completions = 0 } = spec
  return [
    ...(rules.length === 0
      ? [
          requiredValue(
            `${path}.rules`,
            "at least one rules must be specified when the successPolicy is specified"
          )
        ]
      : tooManyOf(rules, `${path}.rules`, rulesMax)),
    ...rules.flatMap((rule, index) => validateSuccessRule(rule, `${path}.rules[${index}]`, completions))
  ]
}

const validateSuccessRule = (
  { succeededCount, succeededIndexes }: DeepPartial<Batch.SuccessPolicyRule>,
  path: string,
  completions: number
): FieldErrors => {
  const indexes = countIndexes(succeededIndexes ?? "", completions)
  const atMost = (max: number, what: string): FieldErrors =>
    succeededCount !== undefined && succeededCount > max
      ? [
          invalidField(
            `${path}.succeededCount`,
            succeededCount,
            `must be less than or equal to ${max} (the number of ${what})`
          )
        ]
      : noErrors
  return [
    ...(succeededCount === undefined && succeededIndexes === undefined
      ? [requiredValue(path, "at least one of succeededCount or succeededIndexes must be specified")]
      : noErrors),
    ...((succeededIndexes ?? "").length > indexesBytesMax
      ? [valueTooLong(`${path}.succeededIndexes`, indexesBytesMax)]
      : noErrors),
    ...("problem" in indexes
      ? [
          invalidField(
            `${path}.succeededIndexes`,
            succeededIndexes,
            `error parsing succeededIndexes: ${indexes.problem}`
          )
        ]
      : noErrors),
    ...validateNonNegative(`${path}.succeededCount`, succeededCount),
    ...atMost(completions, "specified completions"),
    ...(succeededIndexes === undefined
      ? noErrors
      : atMost("count" in indexes ? indexes.count : 0, "indexes in the specified succeededIndexes field"))
  ]
}

export const validateReplacementPolicy = (spec: JobSpecDraft, path: string): FieldErrors =>
  validateOptionalOneOf(
    spec.podReplacementPolicy,
    spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"],
    path
  )
