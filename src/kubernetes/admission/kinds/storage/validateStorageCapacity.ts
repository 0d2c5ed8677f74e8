import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import { formatQuantity, parseQuantity, quantityProblem } from "../../../meta/amounts/quantity.ts"
import type { Draft } from "../../../meta/objects.ts"
import {
  invalidField,
  noErrors,
  notNegativeDetail,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"
import { subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateNameBy } from "../../../validation/validateNames.ts"

interface StorageCapacityDraft extends Draft {
  readonly capacity?: string
  readonly nodeTopology?: DeepPartial<LabelSelector>
  readonly storageClassName?: string
}

/** Source: pkg/apis/storage/validation/validation.go (ValidateCSIStorageCapacity). */
export const validateStorageCapacity = (draft: StorageCapacityDraft): FieldErrors => {
  const { capacity, nodeTopology = {}, storageClassName } = draft
  return [
    ...validateLabelSelector(nodeTopology, "nodeTopology"),
    ...validateNameBy(subdomainProblems, storageClassName, "storageClassName"),
    ...(capacity === undefined ? noErrors : validateNonNegativeQuantity(capacity, "capacity"))
  ]
}

const validateNonNegativeQuantity = (amount: string, path: string): FieldErrors => {
  const quantity = parseQuantity(amount)
  if (quantity === undefined) return [invalidField(path, amount, quantityProblem)]
  return quantity.nanos >= 0n ? noErrors : [invalidField(path, formatQuantity(quantity), notNegativeDetail)]
}

export const validateStorageCapacityUpdate = (
  draft: StorageCapacityDraft,
  old: StorageCapacityDraft
): FieldErrors => [
  ...validateStorageCapacity(draft),
  ...validateUnchanged(draft.nodeTopology, old.nodeTopology, "nodeTopology"),
  ...validateUnchanged(draft.storageClassName, old.storageClassName, "storageClassName")
]
