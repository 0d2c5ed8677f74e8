import type * as Apps from "kubernetes-types/apps/v1.js"
import type { Draft } from "../../meta/objects.ts"
import { validateNonNegative, type FieldErrors } from "../../validation/fieldErrors.ts"
import { validateSelectorUpdate, validateSelectorAndTemplate } from "../pods/validatePodTemplate.ts"
import { allowStoredHugePageFractions } from "../pods/validateResources.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

interface ReplicaSetDraft extends Draft {
  readonly spec?: ShallowPartial<Apps.ReplicaSetSpec>
}

/** Source: pkg/apis/apps/validation/validation.go (ValidateReplicaSetSpec). */
export const validateReplicaSet = ({ spec = {} }: ReplicaSetDraft): FieldErrors => [
  ...validateNonNegative("spec.replicas", spec.replicas),
  ...validateNonNegative("spec.minReadySeconds", spec.minReadySeconds),
  ...validateSelectorAndTemplate({ selector: spec.selector, template: spec.template })
]

export const validateReplicaSetUpdate = (replicaSet: ReplicaSetDraft, old: ReplicaSetDraft): FieldErrors => [
  ...allowStoredHugePageFractions(validateReplicaSet(replicaSet), () => validateReplicaSet(old)),
  ...validateSelectorUpdate(replicaSet.spec?.selector, old.spec?.selector)
]
