import type * as Apps from "kubernetes-types/apps/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import { selectorProblem } from "../../../meta/selectors/labelSelectors.ts"
import type { Draft, PodTemplate } from "../../../meta/objects.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  validateNonNegative,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { isUnchanged } from "../../../validation/immutableFields.ts"
import { labelProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import {
  numberOfIntOrPercent,
  validateAtMost100Percent,
  validateIntOrPercent
} from "../../../validation/validateIntOrPercent.ts"
import { printableSelector, validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateOptionalName } from "../../../validation/validateNames.ts"
import {
  validateNonCompletingPod,
  validatePodTemplate,
  validateNonEmptySelector,
  validateTemplateMatch
} from "../../pods/validatePodTemplate.ts"
import { validateClaimSpec } from "../storage/validateClaim.ts"

interface StatefulSetDraft extends Draft {
  readonly spec?: StatefulSetSpec
}

type StatefulSetSpec = DeepPartial<Apps.StatefulSetSpec>

/**
 * Source: pkg/apis/apps/validation/validation.go (ValidateStatefulSetSpec,
 * ValidateStatefulSetUpdate).
 */
export const validateStatefulSet = ({ spec = {} }: StatefulSetDraft): FieldErrors => [
  ...validatePolicies(spec),
  ...(spec.volumeClaimTemplates ?? []).flatMap(({ spec: claim = {} }, index) =>
    validateClaimSpec(claim, `spec.volumeClaimTemplates[${index}].spec`)
  ),
  ...validateAmounts(spec),
  ...validateOptionalName(labelProblems, spec.serviceName, "spec.serviceName"),
  ...validateSelectorAndPods(spec, { isTemplateChecked: true })
]

/** A stored invalid Service name or template does not prevent other changes. */
export const validateStatefulSetUpdate = (
  { spec = {} }: StatefulSetDraft,
  { spec: old = {} }: StatefulSetDraft
): FieldErrors => [
  ...validatePolicies(spec),
  ...validateAmounts(spec),
  ...validateSelectorAndPods(spec, {
    isTemplateChecked: validateSelectorAndPods(old, { isTemplateChecked: true }).length === 0
  }),
  ...(isUnchanged({ ...spec, ...mutablePartsOf(old) }, { ...old, ...mutablePartsOf(old) })
    ? noErrors
    : [forbiddenField("spec", immutableRule)])
]

const mutableFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds"
] as const

const immutableRule =
  `updates to statefulset spec for fields other than ` +
  `${mutableFields
    .slice(0, -1)
    .map((field) => `'${field}'`)
    .join(", ")} and 'minReadySeconds' are forbidden`

const mutablePartsOf = (spec: StatefulSetSpec): StatefulSetSpec =>
  Object.fromEntries(mutableFields.map((field) => [field, spec[field]]))

const validatePolicies = (spec: StatefulSetSpec): FieldErrors => {
  const { podManagementPolicy: policy = "OrderedReady" } = spec
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {}
  const path = "spec.persistentVolumeClaimRetentionPolicy"
  const isKnown = policy === "OrderedReady" || policy === "Parallel"
  return [
    ...(isKnown
      ? noErrors
      : [invalidField("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...validateUpdateStrategy(spec),
    ...validateOptionalOneOf(whenDeleted, ["Retain", "Delete"], `${path}.whenDeleted`),
    ...validateOptionalOneOf(whenScaled, ["Retain", "Delete"], `${path}.whenScaled`)
  ]
}

const validateUpdateStrategy = ({ updateStrategy = {} }: StatefulSetSpec): FieldErrors => {
  const path = "spec.updateStrategy"
  const { type = "RollingUpdate", rollingUpdate } = updateStrategy
  if (type !== "RollingUpdate" && type !== "OnDelete")
    return [invalidField(path, printableStrategy(updateStrategy), "must be 'RollingUpdate' or 'OnDelete'")]
  if (rollingUpdate === undefined) return noErrors
  const field = `${path}.rollingUpdate`
  if (type === "OnDelete") {
    const { RollingUpdate: printed } = printableStrategy(updateStrategy)
    return [invalidField(field, printed, "only allowed for updateStrategy 'RollingUpdate'")]
  }
  const { partition, maxUnavailable } = rollingUpdate
  return [
    ...validateNonNegative(`${field}.partition`, partition),
    ...(maxUnavailable === undefined
      ? noErrors
      : validateUnavailable(maxUnavailable, `${field}.maxUnavailable`))
  ]
}

const validateUnavailable = (amount: number | string, path: string): FieldErrors => [
  ...validateIntOrPercent(amount, path),
  ...(numberOfIntOrPercent(amount) === 0 ? [invalidField(path, amount, "cannot be 0")] : noErrors),
  ...validateAtMost100Percent(amount, path)
]

/** Messages show Kubernetes' internal struct. */
const printableStrategy = ({ type = "", rollingUpdate }: NonNullable<StatefulSetSpec["updateStrategy"]>) => ({
  Type: type,
  RollingUpdate:
    rollingUpdate === undefined
      ? null
      : { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null }
})

const validateAmounts = (spec: StatefulSetSpec): FieldErrors => [
  ...validateNonNegative("spec.replicas", spec.replicas),
  ...validateNonNegative("spec.minReadySeconds", spec.minReadySeconds),
  ...validateNonNegative("spec.ordinals.start", spec.ordinals?.start)
]

const validateSelectorAndPods = (
  spec: StatefulSetSpec,
  { isTemplateChecked }: { readonly isTemplateChecked: boolean }
): FieldErrors => {
  const { selector } = spec
  const template = (spec.template ?? {}) as PodTemplate
  return [
    ...(selector === undefined
      ? [requiredValue("spec.selector")]
      : [
          ...validateLabelSelector(selector, "spec.selector"),
          ...validateNonEmptySelector(selector as LabelSelector, "statefulset")
        ]),
    ...(selector !== undefined && selectorProblem(selector as LabelSelector) !== undefined
      ? [invalidField("spec.selector", printableSelector(selector), "")]
      : validateTemplateMatch(selector as LabelSelector | undefined, template)),
    ...(isTemplateChecked ? validatePodTemplate(withClaims(template, spec), "spec.template") : noErrors),
    ...validateNonCompletingPod(template.spec ?? {}, { path: "spec.template.spec", owner: "StatefulSet" })
  ]
}

/** A claim template replaces a volume of the same name. */
const withClaims = (template: PodTemplate, { volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplate => {
  if (volumeClaimTemplates.length === 0) return template
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ""))
  const { volumes = [], ...spec } = template.spec ?? { containers: [] }
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const kept = volumes.filter(({ name }) => !names.has(name))
  return { ...template, spec: { ...spec, volumes: [...kept, ...claimed] } }
}
