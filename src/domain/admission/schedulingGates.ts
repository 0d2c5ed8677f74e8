import type * as Core from "kubernetes-types/core/v1.js"
import { duplicate, forbidden, invalid, noErrors, type FieldError, type FieldErrors } from "./fieldErrors.ts"
import { qualifiedNameProblems } from "./names.ts"
import { isSame, type Loose } from "./sharing.ts"

/**
 * An update may remove scheduling gates but not add any. While a Pod is gated, its node selector may become narrower.
 * Source: pkg/apis/core/validation/validation.go (validateSchedulingGates, ValidatePodCreate, ValidatePodUpdate).
 */
export const validateSchedulingGates = (
  gates: ReadonlyArray<Core.PodSchedulingGate> = [],
  path: string
): FieldErrors => {
  const errors: Array<FieldError> = []
  const names = new Set<string>()
  for (const [index, { name = "" }] of gates.entries()) {
    const field = `${path}[${index}]`
    for (const problem of qualifiedNameProblems(name)) errors.push(invalid(field, name, problem))
    if (names.has(name)) errors.push(duplicate(field, name))
    names.add(name)
  }
  return errors
}

export const isGatedSpec = ({ schedulingGates = [] }: Loose<Core.PodSpec>): boolean =>
  schedulingGates.length > 0

export const validateGatedNode = (spec: Loose<Core.PodSpec>): FieldErrors =>
  isGatedSpec(spec) && spec.nodeName !== undefined && spec.nodeName !== ""
    ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
    : noErrors

export const validateGateChange = (spec: Loose<Core.PodSpec>, before: Loose<Core.PodSpec>): FieldErrors => {
  const names = new Set((before.schedulingGates ?? []).map(({ name }) => name))
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    names.has(name)
      ? []
      : forbidden(
          `spec.schedulingGates[${index}].name`,
          `only deletion is allowed, but found new scheduling gate '${name}'`
        )
  )
}

/** Unlike Kubernetes, a gated Pod's node affinity is immutable: the scheduler here does not use it. */
export const validateGatedSelector = (
  spec: Loose<Core.PodSpec>,
  before: Loose<Core.PodSpec>
): FieldErrors => {
  if (!isGatedSpec(before)) return noErrors
  const { nodeSelector } = spec
  const isNarrower = Object.entries(before.nodeSelector ?? {}).every(([key, value]) =>
    isSame(nodeSelector?.[key], value)
  )
  const problem = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
  return isNarrower ? noErrors : [invalid("spec.nodeSelector", nodeSelector, problem)]
}
