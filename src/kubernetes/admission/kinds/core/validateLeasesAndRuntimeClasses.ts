import type * as Coordination from "kubernetes-types/coordination/v1.js"
import type { Toleration } from "kubernetes-types/core/v1.js"
import type * as Node from "kubernetes-types/node/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import { forbiddenField, invalidField, noErrors, type FieldErrors } from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"
import { labelProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabels } from "../../../validation/validateLabels.ts"
import { validateNameBy } from "../../../validation/validateNames.ts"
import { validateTolerations } from "../../pods/validatePodSpec.ts"

interface LeaseDraft extends Draft {
  /** `kubernetes-types` lacks the fields of coordinated leader election. */
  readonly spec?: DeepPartial<Coordination.LeaseSpec> & {
    readonly strategy?: string
    readonly preferredHolder?: string
  }
}

/**
 * Source: pkg/apis/coordination/validation/validation.go, pkg/apis/node/validation/validation.go.
 */
export const validateLease = ({ spec = {} }: LeaseDraft): FieldErrors => {
  const { leaseDurationSeconds: seconds = 1, leaseTransitions: transitions = 0, preferredHolder = "" } = spec
  return [
    ...(seconds <= 0
      ? [invalidField("spec.leaseDurationSeconds", seconds, "must be greater than 0")]
      : noErrors),
    ...(transitions < 0
      ? [invalidField("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]
      : noErrors),
    ...(preferredHolder !== "" && (spec.strategy ?? "") === ""
      ? [forbiddenField("spec.preferredHolder", "may only be specified if `strategy` is defined")]
      : noErrors)
  ]
}

type RuntimeClassDraft = Draft & DeepPartial<Pick<Node.RuntimeClass, "handler" | "scheduling">>

export const validateRuntimeClass = ({ handler, scheduling = {} }: RuntimeClassDraft): FieldErrors => [
  ...validateNameBy(labelProblems, handler, "handler"),
  ...validateLabels(scheduling.nodeSelector, "scheduling.nodeSelector"),
  ...validateTolerations(
    (scheduling.tolerations ?? []) as ReadonlyArray<Toleration>,
    "scheduling.tolerations"
  )
]

export const validateRuntimeClassUpdate = (
  runtimeClass: RuntimeClassDraft,
  old: RuntimeClassDraft
): FieldErrors => validateUnchanged(runtimeClass.handler, old.handler, "handler")
