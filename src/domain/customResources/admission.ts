import { completed } from "./complete.ts"
import { repeatedElements, valueProblems } from "./validateValue.ts"
import type { FieldErrors } from "../admission/fieldErrors.ts"
import type { Draft } from "../objects.ts"
import type { CustomVersion } from "./definitions.ts"

/**
 * Defaults and validation of custom resources by their schema.
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
 */
export const customAdmission = ({ schema }: CustomVersion) => {
  const validate = (object: Draft): FieldErrors => {
    if (schema === undefined) return []
    const problems = valueProblems(object, schema)
    return problems.length > 0 ? problems : repeatedElements(object, schema)
  }
  return {
    defaults: (object: Draft): Draft => completed({ ...object }, schema),
    create: validate,
    update: validate,
    status: validate
  }
}
