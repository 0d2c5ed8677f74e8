import { matchesSelector, selectorProblem } from "../../../meta/selectors/labelSelectors.ts"
import type { Draft, Labels, PodTemplate } from "../../../meta/objects.ts"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateNonNegative,
  validateOptionalOneOf,
  valueTooLong,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { labelProblems } from "../../../validation/nameRules.ts"
import { printableSelector, validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateDomainPath } from "../../../validation/validateNames.ts"
import { templateMismatch, validatePodTemplate } from "../../pods/validatePodTemplate.ts"
import {
  validatePodFailurePolicy,
  validateReplacementPolicy,
  validateSuccessPolicy,
  type JobSpecDraft
} from "./validateJobPolicies.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"

export interface JobDraft extends Draft {
  readonly spec?: JobSpecDraft
}

/** Source: pkg/apis/batch/validation/validation.go (ValidateJob). */
export const validateJob = (job: JobDraft): FieldErrors => [
  ...validateGeneratedSelector(job),
  ...validateJobSpec(job.spec ?? {}),
  ...validateIndexedHostname(job)
]

export const validateJobSpec = (spec: JobSpecDraft): FieldErrors => [
  ...validateJobFields(spec, "spec"),
  ...validateJobSelector(spec)
]

const validateJobSelector = ({ selector, manualSelector = false, template }: JobSpecDraft): FieldErrors => {
  if (selector === undefined) return manualSelector ? [requiredValue("spec.selector")] : noErrors
  const isUsable = selectorProblem(selector as LabelSelector) === undefined
  const labels: Labels = template?.metadata?.labels ?? {}
  return [
    ...validateLabelSelector(selector, "spec.selector"),
    ...(isUsable && !matchesSelector(selector as LabelSelector, labels)
      ? [templateMismatch((template ?? {}) as PodTemplate)]
      : noErrors)
  ]
}

const labelPrefix = "batch.kubernetes.io/"

/** A generated selector has only the labels with the Job's name and UID. */
const validateGeneratedSelector = ({ metadata, spec = {} }: JobDraft): FieldErrors => {
  const { selector, manualSelector = false, template } = spec
  const { uid, name = "" } = metadata
  if (manualSelector || selector === undefined || uid === undefined) return noErrors
  const expected: Labels = {
    "controller-uid": uid,
    "job-name": name,
    [`${labelPrefix}controller-uid`]: uid,
    [`${labelPrefix}job-name`]: name
  }
  const labels: Labels = template?.metadata?.labels ?? {}
  return [
    ...Object.entries(expected).flatMap(([key, value]) => validateHasLabel(labels, key, value)),
    ...(selectorProblem(selector as LabelSelector) === undefined &&
    !matchesSelector(selector as LabelSelector, expected)
      ? [invalidField("spec.selector", printableSelector(selector), "`selector` not auto-generated")]
      : noErrors)
  ]
}

const validateHasLabel = (labels: Labels, key: string, value: string): FieldErrors => {
  const present = Object.hasOwn(labels, key) ? labels[key] : undefined
  const path = "spec.template.metadata.labels"
  if (present === undefined) return [requiredValue(`${path}[${key}]`, `must be '${value}'`)]
  return present === value ? noErrors : [invalidField(`${path}[${key}]`, labels, `must be '${value}'`)]
}

/** The host name of an Indexed Job's Pod is the Job's name and the index. */
const validateIndexedHostname = ({ metadata, spec = {} }: JobDraft): FieldErrors => {
  const { name = "" } = metadata
  const { completionMode, completions = 0 } = spec
  if (completionMode !== "Indexed" || completions <= 0) return noErrors
  const host = `${name}-${completions - 1}`
  return labelProblems(host).length === 0
    ? noErrors
    : [invalidField("metadata.name", name, `will not able to create pod with invalid DNS label: ${host}`)]
}

const nonNegativeFields = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes"
] as const

const managedByLengthMax = 63

/** The rules that Jobs share with the templates of CronJobs. */
export const validateJobFields = (spec: JobSpecDraft, path: string): FieldErrors => {
  const { managedBy, completionMode } = spec
  return [
    ...nonNegativeFields.flatMap((field) => validateNonNegative(`${path}.${field}`, spec[field])),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [requiredValue(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : noErrors),
    ...(managedBy === undefined ? noErrors : validateDomainPath(managedBy, `${path}.managedBy`)),
    ...((managedBy ?? "").length > managedByLengthMax
      ? [valueTooLong(`${path}.managedBy`, managedByLengthMax)]
      : noErrors),
    ...validateOptionalOneOf(completionMode, ["NonIndexed", "Indexed"], `${path}.completionMode`),
    ...(completionMode === "Indexed" ? validateIndexed(spec, path) : noErrors),
    ...(completionMode === undefined || completionMode === "NonIndexed"
      ? validateNotIndexed(spec, path)
      : noErrors),
    ...(spec.podFailurePolicy === undefined
      ? noErrors
      : validatePodFailurePolicy(spec, `${path}.podFailurePolicy`)),
    ...validateSuccess(spec, `${path}.successPolicy`),
    ...validateReplacementPolicy(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplate((spec.template ?? {}) as PodTemplate, `${path}.template`),
    ...validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`)
  ]
}

const indexesMax = 100_000
/** Limits the parallelism and the failed indexes of a Job with more than `indexesMax` completions. */
const largeJobMax = 10_000

const validateIndexed = (spec: JobSpecDraft, path: string): FieldErrors => {
  const { completions, maxFailedIndexes } = spec
  const isLargeJob = completions !== undefined && completions > indexesMax
  const atMost = (field: "parallelism" | "maxFailedIndexes", max: number, why: string): FieldErrors =>
    (spec[field] ?? 0) > max
      ? [invalidField(`${path}.${field}`, spec[field], `must be less than or equal to ${why}`)]
      : noErrors
  const largeJobRule = `${largeJobMax} when completions are above ${indexesMax} and used with backoff limit per index`
  return [
    ...(completions === undefined
      ? [requiredValue(`${path}.completions`, "when completion mode is Indexed")]
      : noErrors),
    ...atMost("parallelism", indexesMax, `${indexesMax} when completion mode is Indexed`),
    ...(completions === undefined ? noErrors : atMost("maxFailedIndexes", completions, "completions")),
    ...atMost("maxFailedIndexes", indexesMax, `${indexesMax}`),
    ...(isLargeJob && spec.backoffLimitPerIndex !== undefined
      ? [
          ...(maxFailedIndexes === undefined
            ? [
                requiredValue(
                  `${path}.maxFailedIndexes`,
                  `must be specified when completions is above ${indexesMax}`
                )
              ]
            : noErrors),
          ...atMost("parallelism", largeJobMax, largeJobRule),
          ...atMost("maxFailedIndexes", largeJobMax, largeJobRule)
        ]
      : noErrors)
  ]
}

const needsIndexed = "requires indexed completion mode"

const validateNotIndexed = (spec: JobSpecDraft, path: string): FieldErrors =>
  (["backoffLimitPerIndex", "maxFailedIndexes"] as const).flatMap((field) =>
    spec[field] === undefined ? [] : [invalidField(`${path}.${field}`, spec[field], needsIndexed)]
  )

const validateSuccess = (spec: JobSpecDraft, path: string): FieldErrors => {
  if (spec.successPolicy === undefined) return noErrors
  return spec.completionMode === "Indexed"
    ? validateSuccessPolicy(spec, path)
    : [invalidField(path, printableSuccessPolicy(spec), needsIndexed)]
}

/** Messages show Kubernetes' internal struct. */
const printableSuccessPolicy = ({ successPolicy }: JobSpecDraft): unknown => ({
  Rules: (successPolicy?.rules ?? []).map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null
  }))
})

/** A Pod that always restarts never ends. */
const validateRestartPolicy = ({ template, podFailurePolicy }: JobSpecDraft, path: string): FieldErrors => {
  const { restartPolicy = "" } = template?.spec ?? {}
  if (restartPolicy === "" || restartPolicy === "Always")
    return [requiredValue(path, 'valid values: "OnFailure", "Never"')]
  if (restartPolicy !== "OnFailure" && restartPolicy !== "Never")
    return [unsupportedValue(path, restartPolicy, ["OnFailure", "Never"])]
  return podFailurePolicy !== undefined && restartPolicy !== "Never"
    ? [invalidField(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')]
    : noErrors
}
