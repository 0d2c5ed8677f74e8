import { dequal } from "dequal/lite"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft } from "../../meta/objects.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  unsupportedValue,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { validateFinalizerName } from "../../validation/validateMetadata.ts"
import { validatePodSecurityLabels } from "../podSecurity/podSecurityPolicy.ts"
import { validateCidr } from "../../validation/addresses.ts"
import { labelValueProblems, qualifiedNameProblems } from "../../validation/nameRules.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

interface NamespaceDraft extends Draft {
  readonly spec?: ShallowPartial<Core.NamespaceSpec>
  readonly status?: ShallowPartial<Core.NamespaceStatus>
}

interface NodeDraft extends Draft {
  readonly spec?: ShallowPartial<Core.NodeSpec>
}

/** Source: pkg/apis/core/validation/validation.go (ValidateNamespace, ValidateNode). */
export const validateNamespace = (namespace: NamespaceDraft): FieldErrors => [
  ...validateFinalizers(namespace),
  ...validatePodSecurityLabels(namespace.metadata.labels)
]

/** Labels of Pod Security that were wrong before may stay so. */
export const validateNamespaceUpdate = (next: NamespaceDraft, old: NamespaceDraft): FieldErrors => {
  const labelErrors = validatePodSecurityLabels(next.metadata.labels)
  return [
    ...validateFinalizers(next),
    ...(dequal(labelErrors, validatePodSecurityLabels(old.metadata.labels)) ? noErrors : labelErrors)
  ]
}

const validateFinalizers = ({ spec }: NamespaceDraft): FieldErrors =>
  (spec?.finalizers ?? []).flatMap((finalizer) => [
    ...qualifiedNameProblems(finalizer).map((problem) => invalidField("spec.finalizers", finalizer, problem)),
    ...validateFinalizerName(finalizer, "spec.finalizers")
  ])

/** The path has a capital letter, as in Kubernetes. */
export const validateNamespaceStatus = (namespace: NamespaceDraft): FieldErrors => {
  const phase = namespace.status?.phase ?? ""
  const isDeleted = namespace.metadata.deletionTimestamp !== undefined
  const expected = isDeleted ? "Terminating" : "Active"
  if (phase === expected) return noErrors
  const condition = isDeleted ? "not empty" : "empty"
  return [
    invalidField("status.Phase", phase, `may only be '${expected}' if \`deletionTimestamp\` is ${condition}`)
  ]
}

const effects: ReadonlyArray<string> = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** The path of taints is right: Kubernetes says `metadata`. */
export const validateNode = ({ spec }: NodeDraft): FieldErrors => {
  const taints = spec?.taints ?? []
  return [
    ...taints.flatMap((taint, index) => {
      const path = `metadata.taints[${index}]`
      const isRepeated = taints
        .slice(0, index)
        .some(({ key, effect }) => key === taint.key && effect === taint.effect)
      return [
        ...validateTaint(taint, path),
        ...(isRepeated
          ? [
              {
                ...duplicateValue(path, internalTaint(taint)),
                detail: "taints must be unique by key and effect pair"
              }
            ]
          : noErrors)
      ]
    }),
    ...podRangesOf(spec).flatMap((range, index) => validateCidr(range, `spec.podCIDRs[${index}]`))
  ]
}

/** Source: pkg/apis/core/validation/validation.go (ValidateNodeUpdate). */
export const validateNodeUpdate = (node: NodeDraft, old: NodeDraft): FieldErrors => {
  const [ranges, rangesBefore] = [podRangesOf(node.spec), podRangesOf(old.spec)]
  const { providerID: idBefore = "" } = old.spec ?? {}
  const changes = [
    ...(rangesBefore.length > 0 && !dequal(ranges, rangesBefore) ? [["podCIDRs", "podCIDR"] as const] : []),
    ...(idBefore !== "" && node.spec?.providerID !== idBefore ? [["providerID", "providerID"] as const] : [])
  ].map(([field, name]) =>
    forbiddenField(`spec.${field}`, `node updates may not change ${name} except from "" to valid`)
  )
  return [
    ...validateNode(node),
    ...changes,
    // Kubernetes names no field here.
    ...(changes.length > 0
      ? [forbiddenField("[]", "node updates may only change labels, taints, or capacity")]
      : noErrors)
  ]
}

/** Messages show Kubernetes' internal struct. */
const internalTaint = ({ key = "", value = "", effect = "", timeAdded }: ShallowPartial<Core.Taint>) => ({
  Key: key,
  Value: value,
  Effect: effect,
  TimeAdded: timeAdded ?? null
})

/** The API server copies `podCIDR` to an empty `podCIDRs`. */
const podRangesOf = ({ podCIDR = "", podCIDRs = [] }: ShallowPartial<Core.NodeSpec> = {}) =>
  podCIDRs.length > 0 || podCIDR === "" ? podCIDRs : [podCIDR]

const validateTaint = (
  { key = "", value = "", effect = "" }: ShallowPartial<Core.Taint>,
  path: string
): FieldErrors => {
  const errors: Array<FieldError> = qualifiedNameProblems(key).map((problem) =>
    invalidField(`${path}.key`, key, problem)
  )
  const problems = labelValueProblems(value)
  if (problems.length > 0) errors.push(invalidField(`${path}.value`, value, problems.join(";")))
  if (effect === "") errors.push(requiredValue(`${path}.effect`))
  else if (!effects.includes(effect)) errors.push(unsupportedValue(`${path}.effect`, effect, effects))
  return errors
}
