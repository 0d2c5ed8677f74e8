import type * as Core from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  type FieldError,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { qualifiedNameProblems } from "../../../validation/nameRules.ts"
import type { ShallowPartial } from "../../../validation/partialTypes.ts"

/**
 * An update may remove gates but not add any. Source: pkg/apis/core/validation/validation.go
 * (validateSchedulingGates).
 */
export const validateSchedulingGates = (
  gates: ReadonlyArray<Core.PodSchedulingGate> = [],
  path: string
): FieldErrors => {
  const errors: Array<FieldError> = []
  const names = new Set<string>()
  for (const [index, { name = "" }] of gates.entries()) {
    const field = `${path}[${index}]`
    for (const problem of qualifiedNameProblems(name)) errors.push(invalidField(field, name, problem))
    if (names.has(name)) errors.push(duplicateValue(field, name))
    names.add(name)
  }
  return errors
}

export const isGatedSpec = ({ schedulingGates = [] }: ShallowPartial<Core.PodSpec>): boolean =>
  schedulingGates.length > 0

export const validateGatedNodeName = (spec: ShallowPartial<Core.PodSpec>): FieldErrors =>
  isGatedSpec(spec) && spec.nodeName !== undefined && spec.nodeName !== ""
    ? [forbiddenField("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
    : noErrors

export const validateSchedulingGateUpdate = (
  spec: ShallowPartial<Core.PodSpec>,
  before: ShallowPartial<Core.PodSpec>
): FieldErrors => {
  const names = new Set((before.schedulingGates ?? []).map(({ name }) => name))
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    names.has(name)
      ? []
      : forbiddenField(
          `spec.schedulingGates[${index}].name`,
          `only deletion is allowed, but found new scheduling gate '${name}'`
        )
  )
}

/** Unlike Kubernetes, the node affinity cannot become narrower. */
export const validateGatedNodeSelector = (
  spec: ShallowPartial<Core.PodSpec>,
  before: ShallowPartial<Core.PodSpec>
): FieldErrors => {
  if (!isGatedSpec(before)) return noErrors
  const { nodeSelector } = spec
  const isNarrower = Object.entries(before.nodeSelector ?? {}).every(
    ([key, value]) => nodeSelector?.[key] === value
  )
  const problem = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
  return isNarrower ? noErrors : [invalidField("spec.nodeSelector", nodeSelector, problem)]
}
