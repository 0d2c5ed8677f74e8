import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import { defaultTemplate } from "../defaults/podDefaults.ts"
import type { PodTemplate } from "../../meta/objects.ts"
import { isEmptySelector, matchesSelector, selectorProblem } from "../../meta/selectors/labelSelectors.ts"
import {
  forbiddenField,
  immutableField,
  invalidField,
  noErrors,
  unsupportedValue,
  requiredValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import {
  printableSelector,
  withSortedKeys,
  validateLabels,
  validateLabelSelector
} from "../../validation/validateLabels.ts"
import { validateAnnotations } from "../../validation/validateMetadata.ts"
import { validatePodAnnotations } from "./validatePodAnnotations.ts"
import { validatePodSpec, type PodSpecDraft } from "./validatePodSpec.ts"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"
import { memoizeCheck } from "../../validation/memoizeCheck.ts"

/**
 * Source: pkg/apis/apps/validation/validation.go (ValidateDeploymentSpec,
 * ValidatePodTemplateSpecForReplicaSet).
 */
export const validateSelectorAndTemplate = (owner: {
  readonly selector: LabelSelector | undefined
  readonly template: PodTemplate | undefined
}): FieldErrors => {
  const { selector, template = {} } = owner
  if (selector === undefined) {
    return [
      requiredValue("spec.selector"),
      templateMismatch(template),
      ...validateReplicaSetTemplate(template, "spec.template")
    ]
  }
  return [
    ...validateSelector(selector),
    ...(selectorProblem(selector) === undefined
      ? [
          ...validateTemplateMatch(selector, template),
          ...validateReplicaSetTemplate(template, "spec.template")
        ]
      : [invalidField("spec.selector", printableSelector(selector), "invalid label selector")])
  ]
}

const validateSelector = (selector: LabelSelector): FieldErrors => [
  ...validateLabelSelector(selector, "spec.selector"),
  // Kubernetes uses this text for ReplicaSets too.
  ...validateNonEmptySelector(selector, "deployment")
]

export const validateNonEmptySelector = (selector: LabelSelector, owner: string): FieldErrors =>
  isEmptySelector(selector)
    ? [invalidField("spec.selector", printableSelector(selector), `empty selector is invalid for ${owner}`)]
    : noErrors

export const validateTemplateMatch = (
  selector: LabelSelector | undefined,
  template: PodTemplate
): FieldErrors =>
  matchesSelector(selector, template.metadata?.labels) ? noErrors : [templateMismatch(template)]

export const templateMismatch = ({ metadata }: PodTemplate) => {
  const labels = metadata?.labels
  const printedLabels = labels === undefined ? undefined : withSortedKeys(labels)
  return invalidField(
    "spec.template.metadata.labels",
    printedLabels,
    "`selector` does not match template `labels`"
  )
}

const validateReplicaSetTemplate = memoizeCheck((template: PodTemplate, path) => [
  ...checkDefaultedTemplate(template, path),
  ...validateNonCompletingPod(template.spec ?? {}, { path: `${path}.spec`, owner: "ReplicaSet" })
])

/**
 * Fills in missing defaults for the check. Source: pkg/apis/core/validation/validation.go
 * (ValidatePodTemplateSpec).
 */
export const validatePodTemplate = (template: PodTemplate, path: string): FieldErrors =>
  checkDefaultedTemplate(defaultTemplate(template), path)

const checkDefaultedTemplate = memoizeCheck((template: PodTemplate, path) => {
  const { metadata } = template
  const spec: PodSpecDraft = template.spec ?? {}
  return [
    // Kubernetes omits `metadata` from these two paths.
    ...validateLabels(metadata?.labels, `${path}.labels`),
    ...validateAnnotations(metadata?.annotations, `${path}.annotations`),
    ...validatePodAnnotations(metadata?.annotations, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`, "template"),
    ...((spec.ephemeralContainers ?? []).length === 0
      ? noErrors
      : [
          forbiddenField(
            `${path}.spec.ephemeralContainers`,
            "ephemeral containers not allowed in pod template"
          )
        ])
  ]
})

/** Pods of workloads that never complete always restart and have no deadline. */
export const validateNonCompletingPod = (
  spec: PodSpecDraft,
  { path, owner }: { readonly path: string; readonly owner: string }
): FieldErrors => [
  ...((spec.restartPolicy ?? "Always") === "Always"
    ? noErrors
    : [unsupportedValue(`${path}.restartPolicy`, spec.restartPolicy, ["Always"])]),
  ...(spec.activeDeadlineSeconds === undefined
    ? noErrors
    : [forbiddenField(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${owner} is not Supported`)])
]

/** The selector is immutable, because the controller would lose its Pods. */
export const validateSelectorUpdate = (
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined
): FieldErrors =>
  isEqualIgnoringEmpty(selector, old)
    ? noErrors
    : [immutableField("spec.selector", printableSelector(selector))]
