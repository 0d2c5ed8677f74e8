import type * as Core from "kubernetes-types/core/v1.js"
import type { Annotations, Draft } from "../../meta/objects.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { forbidEphemeralContainers } from "./validateEphemeralContainers.ts"
import { validatePodAnnotations } from "./validatePodAnnotations.ts"
import {
  validateMatchLabelKeys,
  validateVolumesAndContainers,
  validatePodSettings,
  validatePodSpec,
  type PodSpecDraft
} from "./validatePodSpec.ts"
import {
  isGatedSpec,
  validateSchedulingGateUpdate,
  validateGatedNodeName,
  validateGatedNodeSelector
} from "./placement/validateSchedulingGates.ts"
import { describeChange } from "../../validation/immutableFields.ts"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"

export interface PodDraft extends Draft {
  readonly spec?: PodSpecDraft
}

/** Source: pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodUpdate). */
export const validatePod = ({ metadata, spec = {} }: PodDraft): FieldErrors => {
  const errors = validatePodAnnotations(metadata.annotations, "metadata.annotations")
  return [
    ...errors,
    ...validatePodSpec(spec, "spec", "pod"),
    ...validateMatchLabelKeys(spec, metadata.labels),
    ...forbidEphemeralContainers(spec),
    ...validateGatedNodeName(spec)
  ]
}

export const validatePodUpdate = (pod: PodDraft, old: PodDraft): FieldErrors => {
  const errors = validateChangedAnnotations(pod.metadata.annotations, old.metadata.annotations)
  return [...errors, ...validateSpecUpdate(pod.spec ?? {}, old.spec ?? {})]
}

/** Annotations that were invalid when stored do not block other updates. */
const validateChangedAnnotations = (
  annotations: Annotations | undefined,
  before: Annotations | undefined
): FieldErrors => {
  const path = "metadata.annotations"
  return validatePodAnnotations(before, path).length > 0
    ? noErrors
    : validatePodAnnotations(annotations, path)
}

const validateSpecUpdate = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => {
  if (spec === before) return noErrors
  const errors = [...validateChangedSpec(spec, before)]
  const countErrors = validateContainerCounts(spec, before)
  // Containers can only be compared one by one while their number is the same.
  if (countErrors.length > 0) return [...errors, ...countErrors]
  errors.push(...validateDeadlineChange(spec, before))
  errors.push(...validateTolerationChange(spec, before))
  errors.push(...validateSchedulingGateUpdate(spec, before))
  errors.push(...validateGatedNodeSelector(spec, before))
  if (!isEqualIgnoringEmpty(withMutableFieldsOf(spec, before), before))
    errors.push(forbiddenField("spec", immutableFieldsMessage(spec, before)))
  return errors
}

/** Skips unchanged parts, so that binding a Pod stays cheap. */
const validateChangedSpec = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => {
  const isUnchanged =
    spec.containers === before.containers &&
    spec.initContainers === before.initContainers &&
    spec.volumes === before.volumes &&
    spec.resources === before.resources &&
    spec.terminationGracePeriodSeconds === before.terminationGracePeriodSeconds
  return [
    ...(isUnchanged ? noErrors : validateVolumesAndContainers(spec, "spec", "pod")),
    ...validatePodSettings(spec, "spec")
  ]
}

const validateContainerCounts = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => {
  const errors: Array<FieldError> = []
  if ((spec.containers ?? []).length !== (before.containers ?? []).length) {
    errors.push(forbiddenField("spec.containers", "pod updates may not add or remove containers"))
  }
  if ((spec.initContainers ?? []).length !== (before.initContainers ?? []).length) {
    errors.push(forbiddenField("spec.initContainers", "pod updates may not add or remove init containers"))
  }
  return errors
}

const validateDeadlineChange = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => {
  const field = "spec.activeDeadlineSeconds"
  const [seconds, secondsBefore] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds]
  if (secondsBefore === undefined) return noErrors
  if (seconds === undefined) {
    return [invalidField(field, seconds, "must not update from a positive integer to nil value")]
  }
  return seconds > secondsBefore
    ? [invalidField(field, seconds, "must be less than or equal to previous value")]
    : noErrors
}

const validateTolerationChange = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => {
  const tolerations = (spec.tolerations ?? []).map(withoutSeconds)
  const isKept = (before.tolerations ?? []).every((toleration) =>
    tolerations.some((other) => isEqualIgnoringEmpty(other, withoutSeconds(toleration)))
  )
  if (isKept) return noErrors
  const problem = "existing toleration can not be modified except its tolerationSeconds"
  return [forbiddenField("spec.tolerations", problem)]
}

const withoutSeconds = ({ tolerationSeconds: _seconds, ...toleration }: Core.Toleration): Core.Toleration =>
  toleration

/** The new spec with the stored values of all mutable fields, which must equal the stored spec. */
const withMutableFieldsOf = (spec: PodSpecDraft, before: PodSpecDraft): PodSpecDraft => ({
  ...spec,
  containers: withImagesOf(spec.containers, before.containers),
  initContainers: withImagesOf(spec.initContainers, before.initContainers),
  activeDeadlineSeconds: before.activeDeadlineSeconds,
  tolerations: before.tolerations,
  schedulingGates: before.schedulingGates,
  nodeSelector: isGatedSpec(before) ? before.nodeSelector : spec.nodeSelector,
  terminationGracePeriodSeconds:
    spec.terminationGracePeriodSeconds === 1 && (before.terminationGracePeriodSeconds ?? 0) < 0
      ? before.terminationGracePeriodSeconds
      : spec.terminationGracePeriodSeconds
})

const withImagesOf = (
  containers: Array<Core.Container> = [],
  before: Array<Core.Container> = []
): Array<Core.Container> =>
  containers === before
    ? containers
    : containers.map((container, index) => ({ ...container, image: before[index]?.image ?? "" }))

const mutableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
].join(",")

const immutableFieldsMessage = (spec: PodSpecDraft, before: PodSpecDraft): string =>
  [
    `pod updates may not change fields other than ${mutableFields}`,
    ...describeChange(before, withMutableFieldsOf(spec, before))
  ].join("\n")
