import { withSchemaDefaults } from "./schemaDefaults.ts"
import { duplicateItemErrors, schemaErrors } from "./validateValue.ts"
import type { FieldErrors } from "../validation/fieldErrors.ts"
import type { Draft } from "../meta/objects.ts"
import type { CustomResourceVersion } from "../meta/kinds.ts"

/**
 * Defaults and validation of custom resources by their schema.
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
 */
export const customResourceAdmission = ({ schema }: CustomResourceVersion) => {
  const validate = (object: Draft): FieldErrors => {
    if (schema === undefined) return []
    const problems = schemaErrors(object, schema)
    return problems.length > 0 ? problems : duplicateItemErrors(object, schema)
  }
  return {
    defaults: (object: Draft): Draft => withSchemaDefaults({ ...object }, schema),
    create: validate,
    update: validate,
    status: validate
  }
}
