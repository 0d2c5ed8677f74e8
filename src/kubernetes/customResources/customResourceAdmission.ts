import { concatLists } from "../validation/fieldErrors.ts"
import { listTypeErrors, schemaErrors } from "./validateValue.ts"
import { withSchemaDefaults } from "./schemaDefaults.ts"
import type { FieldErrors } from "../validation/fieldErrors.ts"
import type { Draft } from "../meta/objects.ts"
import type { CustomResourceVersion } from "../meta/kinds.ts"

/** Source: apiextensions-apiserver/pkg/registry/customresource/strategy.go, validator.go. */
export const customResourceAdmission = ({ schema }: CustomResourceVersion) => {
  const create = (object: Draft): FieldErrors =>
    schema === undefined ? [] : concatLists(schemaErrors(object, schema), listTypeErrors(object, schema))
  const update = (object: Draft, old: Draft): FieldErrors => {
    if (schema === undefined) return []
    const listErrors = listTypeErrors(object, schema)
    // Lists that were invalid before may stay invalid.
    const areListErrorsNew = listErrors.length > 0 && listTypeErrors(old, schema).length === 0
    return concatLists(schemaErrors(object, schema, { old }), areListErrorsNew ? listErrors : [])
  }
  return {
    defaults: (object: Draft): Draft => withSchemaDefaults({ ...object }, schema),
    create,
    update,
    status: update
  }
}
