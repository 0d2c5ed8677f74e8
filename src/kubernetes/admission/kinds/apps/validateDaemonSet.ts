import type * as Apps from "kubernetes-types/apps/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import { selectorProblem } from "../../../meta/selectors/labelSelectors.ts"
import type { Draft, PodTemplate } from "../../../meta/objects.ts"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateNonNegative,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import {
  numberOfIntOrPercent,
  validateAtMost100Percent,
  validateIntOrPercent
} from "../../../validation/validateIntOrPercent.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import {
  validateNonCompletingPod,
  validatePodTemplate,
  validateSelectorUpdate,
  validateNonEmptySelector,
  validateTemplateMatch
} from "../../pods/validatePodTemplate.ts"

interface DaemonSetDraft extends Draft {
  readonly spec?: DaemonSetSpec
}

type DaemonSetSpec = DeepPartial<Apps.DaemonSetSpec>

/**
 * Source: pkg/apis/apps/validation/validation.go (ValidateDaemonSetSpec),
 * pkg/registry/apps/daemonset/strategy.go.
 */
export const validateDaemonSet = ({ spec = {} }: DaemonSetDraft): FieldErrors => {
  const selector = spec.selector as LabelSelector | undefined
  const template = (spec.template ?? {}) as PodTemplate
  // As in Kubernetes, a missing selector is only refused for not matching the template.
  const isComparable = selector === undefined || selectorProblem(selector) === undefined
  return [
    ...(selector === undefined ? noErrors : validateLabelSelector(selector, "spec.selector")),
    ...(isComparable ? validateTemplateMatch(selector, template) : noErrors),
    ...(selector === undefined ? noErrors : validateNonEmptySelector(selector, "daemonset")),
    ...validatePodTemplate(template, "spec.template"),
    ...validateNonCompletingPod(template.spec ?? {}, { path: "spec.template.spec", owner: "DaemonSet" }),
    ...validateNonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...validateNonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit)
  ]
}

export const validateDaemonSetUpdate = (daemonSet: DaemonSetDraft, old: DaemonSetDraft): FieldErrors => [
  ...validateDaemonSet(daemonSet),
  ...validateSelectorUpdate(
    daemonSet.spec?.selector as LabelSelector | undefined,
    old.spec?.selector as LabelSelector | undefined
  )
]

type StrategyDraft = NonNullable<DaemonSetSpec["updateStrategy"]>

/** Defaults have filled in a missing type or amount. */
const validateUpdateStrategy = (strategy: StrategyDraft): FieldErrors => {
  const path = "spec.updateStrategy"
  const { type = "RollingUpdate", rollingUpdate = {} } = strategy
  if (type === "OnDelete") return noErrors
  if (type !== "RollingUpdate")
    return [unsupportedValue(path, printableStrategy(strategy), ["RollingUpdate", "OnDelete"])]
  const { maxUnavailable = 1, maxSurge = 0 } = rollingUpdate
  const [unavailablePath, surgePath] = [
    `${path}.rollingUpdate.maxUnavailable`,
    `${path}.rollingUpdate.maxSurge`
  ]
  const [hasUnavailable, hasSurge] = [
    numberOfIntOrPercent(maxUnavailable) !== 0,
    numberOfIntOrPercent(maxSurge) !== 0
  ]
  return [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, surgePath),
    ...validateAtMost100Percent(maxUnavailable, unavailablePath),
    ...validateAtMost100Percent(maxSurge, surgePath),
    ...(hasUnavailable && hasSurge
      ? [invalidField(surgePath, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : noErrors),
    ...(hasUnavailable || hasSurge
      ? noErrors
      : [requiredValue(unavailablePath, "cannot be 0 when maxSurge is 0")])
  ]
}

/** Messages show Kubernetes' internal struct. */
const printableStrategy = ({ type = "", rollingUpdate }: StrategyDraft): unknown => ({
  Type: type,
  RollingUpdate:
    rollingUpdate === undefined
      ? null
      : { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
})
