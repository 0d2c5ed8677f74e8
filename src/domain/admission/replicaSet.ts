import type * as Apps from "kubernetes-types/apps/v1.js"
import type { Draft } from "../objects.ts"
import { nonNegative, type FieldErrors } from "./fieldErrors.ts"
import { validateSameSelector, validateSelectorAndTemplate } from "./podTemplates.ts"
import { forgivingPartsOfPages } from "./resources.ts"
import type { Loose } from "./sharing.ts"

/** Source: pkg/apis/apps/validation/validation.go (ValidateReplicaSetSpec). */
interface ReplicaSetDraft extends Draft {
  readonly spec?: Loose<Apps.ReplicaSetSpec>
}

export const validateReplicaSet = ({ spec = {} }: ReplicaSetDraft): FieldErrors => [
  ...nonNegative("spec.replicas", spec.replicas),
  ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
  ...validateSelectorAndTemplate({ selector: spec.selector, template: spec.template })
]

export const validateReplicaSetUpdate = (replicaSet: ReplicaSetDraft, old: ReplicaSetDraft): FieldErrors => [
  ...forgivingPartsOfPages(validateReplicaSet(replicaSet), () => validateReplicaSet(old)),
  ...validateSameSelector(replicaSet.spec?.selector, old.spec?.selector)
]
