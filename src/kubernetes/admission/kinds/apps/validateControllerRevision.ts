import { isFields } from "../../../meta/fields.ts"
import type { Draft } from "../../../meta/objects.ts"
import {
  noErrors,
  requiredValue,
  validateNonNegative,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"

interface RevisionDraft extends Draft {
  readonly data?: unknown
  readonly revision?: number
}

/** Source: pkg/apis/apps/validation/validation.go (ValidateControllerRevisionCreate). */
export const validateControllerRevision = ({ data, revision }: RevisionDraft): FieldErrors => [
  ...validateNonNegative("revision", revision),
  ...(data === undefined || data === null
    ? [requiredValue("data", "data is mandatory")]
    : isFields(data)
      ? noErrors
      : [requiredValue("data", "data must be a valid JSON object")])
]

export const validateControllerRevisionUpdate = (
  revision: RevisionDraft,
  old: RevisionDraft
): FieldErrors => [
  ...validateNonNegative("revision", revision.revision),
  ...validateUnchanged(revision.data, old.data, "data")
]
