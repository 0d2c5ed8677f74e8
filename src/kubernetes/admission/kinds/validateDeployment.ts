import type * as Apps from "kubernetes-types/apps/v1.js"
import type { Draft } from "../../meta/objects.ts"
import {
  numberOfIntOrPercent,
  validateIntOrPercent,
  validateAtMost100Percent
} from "../../validation/validateIntOrPercent.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  validateNonNegative,
  unsupportedValue,
  requiredValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { validateSelectorUpdate, validateSelectorAndTemplate } from "../pods/validatePodTemplate.ts"
import { allowStoredHugePageFractions } from "../pods/validateResources.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

interface DeploymentDraft extends Draft {
  readonly spec?: ShallowPartial<Apps.DeploymentSpec>
}

const strategyTypes: ReadonlyArray<string> = ["Recreate", "RollingUpdate"]

/** Source: pkg/apis/apps/validation/validation.go (ValidateDeploymentSpec). */
export const validateDeployment = (
  { spec = {} }: DeploymentDraft,
  strategies: ReadonlyArray<string> = strategyTypes
): FieldErrors => [
  ...validateNonNegative("spec.replicas", spec.replicas),
  ...validateSelectorAndTemplate({ selector: spec.selector, template: spec.template }),
  ...validateStrategy(spec.strategy ?? {}, strategies),
  ...validateNonNegative("spec.minReadySeconds", spec.minReadySeconds),
  ...validateNonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ...validateProgressDeadline(spec)
]

export const validateDeploymentUpdate = (
  deployment: DeploymentDraft,
  old: DeploymentDraft,
  strategies?: ReadonlyArray<string>
): FieldErrors =>
  deployment.spec === old.spec && deployment.spec !== undefined
    ? noErrors
    : [
        ...allowStoredHugePageFractions(validateDeployment(deployment, strategies), () =>
          validateDeployment(old, strategies)
        ),
        ...validateSelectorUpdate(deployment.spec?.selector, old.spec?.selector)
      ]

const validateProgressDeadline = (spec: ShallowPartial<Apps.DeploymentSpec>): FieldErrors => {
  const { progressDeadlineSeconds: seconds, minReadySeconds = 0 } = spec
  const field = "spec.progressDeadlineSeconds"
  if (seconds === undefined) return noErrors
  return [
    ...validateNonNegative(field, seconds),
    ...(seconds <= minReadySeconds
      ? [invalidField(field, seconds, "must be greater than minReadySeconds")]
      : noErrors)
  ]
}

const rollingUpdatePath = "spec.strategy.rollingUpdate"

const validateStrategy = (
  strategy: ShallowPartial<Apps.DeploymentStrategy>,
  strategies: ReadonlyArray<string>
): FieldErrors => {
  const { type = "", rollingUpdate } = strategy
  if (!strategies.includes(type))
    return [unsupportedValue("spec.strategy", printableStrategy(strategy), strategies)]
  switch (type) {
    case "Recreate":
      return rollingUpdate === undefined
        ? noErrors
        : [forbiddenField(rollingUpdatePath, "may not be specified when strategy `type` is 'Recreate'")]
    case "RollingUpdate":
      return rollingUpdate === undefined
        ? [requiredValue(rollingUpdatePath, "this should be defaulted and never be nil")]
        : validateRollingUpdate(rollingUpdate)
    default:
      // For a strategy that Kubernetes does not have, the bounds are optional.
      return rollingUpdate === undefined ? noErrors : validateRollingUpdate(rollingUpdate)
  }
}

/** Messages show Kubernetes' internal struct. */
const printableStrategy = ({
  type = "",
  rollingUpdate
}: ShallowPartial<Apps.DeploymentStrategy>): unknown => ({
  Type: type,
  RollingUpdate:
    rollingUpdate === undefined
      ? null
      : { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
})

const validateRollingUpdate = (rollingUpdate: Apps.RollingUpdateDeployment): FieldErrors => {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  const unavailablePath = `${rollingUpdatePath}.maxUnavailable`
  const isStuck = numberOfIntOrPercent(maxUnavailable) === 0 && numberOfIntOrPercent(maxSurge) === 0
  return [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, `${rollingUpdatePath}.maxSurge`),
    ...(isStuck
      ? [invalidField(unavailablePath, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : noErrors),
    ...validateAtMost100Percent(maxUnavailable, unavailablePath)
  ]
}
