import type * as Core from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  invalidField,
  noErrors,
  requiredValue,
  validateRequiredOneOf,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { memoizeCheck } from "../../../validation/memoizeCheck.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateTermLabelKeys, type TermWithLabelKeys } from "./validateLabelKeys.ts"

/** Source: pkg/apis/core/validation/validation.go (validateTopologySpreadConstraints). */
export const validateTopologySpread = (
  constraints: ReadonlyArray<SpreadDraft> | undefined,
  path: string
): FieldErrors => (constraints === undefined ? noErrors : checkConstraints(constraints, path))

/** `kubernetes-types` lacks the later fields. */
export type SpreadDraft = DeepPartial<Core.TopologySpreadConstraint> &
  TermWithLabelKeys & {
    readonly minDomains?: number
    readonly nodeAffinityPolicy?: string
    readonly nodeTaintsPolicy?: string
  }

const checkConstraints = memoizeCheck((constraints: ReadonlyArray<SpreadDraft>, path) =>
  constraints.flatMap((constraint, index) =>
    validateConstraint(constraint, constraints.slice(index + 1), `${path}[${index}]`)
  )
)

const unsatisfiableActions: ReadonlyArray<string> = ["DoNotSchedule", "ScheduleAnyway"]
const inclusionPolicies: ReadonlyArray<string> = ["Honor", "Ignore"]
const positive = "must be greater than zero"

const validateConstraint = (
  constraint: SpreadDraft,
  laterConstraints: ReadonlyArray<SpreadDraft>,
  path: string
): FieldErrors => {
  const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", labelSelector = {} } = constraint
  return [
    ...(maxSkew > 0 ? noErrors : [invalidField(`${path}.maxSkew`, maxSkew, positive)]),
    ...(topologyKey === "" ? [requiredValue(`${path}.topologyKey`, "can not be empty")] : noErrors),
    ...validateRequiredOneOf(whenUnsatisfiable, unsatisfiableActions, `${path}.whenUnsatisfiable`),
    ...(laterConstraints.some((other) => keyAndActionOf(other) === keyAndActionOf(constraint))
      ? [duplicateValue(`${path}.{topologyKey, whenUnsatisfiable}`, keyAndActionOf(constraint))]
      : noErrors),
    ...validateMinDomains(constraint, `${path}.minDomains`),
    ...validateOptionalOneOf(constraint.nodeAffinityPolicy, inclusionPolicies, `${path}.nodeAffinityPolicy`),
    ...validateOptionalOneOf(constraint.nodeTaintsPolicy, inclusionPolicies, `${path}.nodeTaintsPolicy`),
    ...validateTermLabelKeys(constraint, path),
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`)
  ]
}

const keyAndActionOf = ({ topologyKey = "", whenUnsatisfiable = "" }: SpreadDraft): string =>
  `{${topologyKey}, ${whenUnsatisfiable}}`

const validateMinDomains = (
  { minDomains, whenUnsatisfiable = "" }: SpreadDraft,
  path: string
): FieldErrors => {
  if (minDomains === undefined) return noErrors
  const action = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`
  return [
    ...(minDomains > 0 ? noErrors : [invalidField(path, minDomains, positive)]),
    ...(whenUnsatisfiable === "DoNotSchedule" ? noErrors : [invalidField(path, minDomains, action)])
  ]
}
