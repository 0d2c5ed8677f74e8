import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, PodTemplate } from "../../../meta/objects.ts"
import {
  noErrors,
  requiredValue,
  validateNonNegative,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import {
  validateNonCompletingPod,
  validatePodTemplate,
  validateTemplateMatch
} from "../../pods/validatePodTemplate.ts"

interface ControllerDraft extends Draft {
  readonly spec?: DeepPartial<Core.ReplicationControllerSpec>
}

/** Source: pkg/apis/core/validation/validation.go (ValidateReplicationControllerSpec). */
export const validateReplicationController = ({ spec = {} }: ControllerDraft): FieldErrors => {
  const template = spec.template as PodTemplate | undefined
  const selectorLabels = spec.selector ?? {}
  const matchLabels =
    Object.keys(selectorLabels).length > 0 ? selectorLabels : (template?.metadata?.labels ?? {})
  const hasSelector = Object.keys(matchLabels).length > 0
  return [
    ...validateNonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(hasSelector ? noErrors : [requiredValue("spec.selector")]),
    ...validateNonNegative("spec.replicas", spec.replicas),
    ...(template === undefined
      ? [requiredValue("spec.template")]
      : [
          ...validateTemplateMatch({ matchLabels }, template),
          ...validatePodTemplate(template, "spec.template"),
          ...validateNonCompletingPod(template.spec ?? {}, {
            path: "spec.template.spec",
            owner: "ReplicationController"
          })
        ])
  ]
}

interface TemplateDraft extends Draft {
  readonly template?: PodTemplate
}

export const validatePodTemplateObject = ({ template = {} }: TemplateDraft): FieldErrors =>
  validatePodTemplate(template, "template")
