import { structuralSchemaErrors } from "../../../src/kubernetes/customResources/validateSchema.ts"
import { errorTexts } from "../admission/drafts.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

export interface SchemaRow {
  readonly why: string
  readonly schema: OpenApiSchema
  readonly errors: ReadonlyArray<string>
}

export const schemaProblemTexts = (schema: OpenApiSchema): ReadonlyArray<string> =>
  errorTexts(structuralSchemaErrors(schema, "s"))

export const schemaWithA = (a: object, more: OpenApiSchema = {}): OpenApiSchema => ({
  type: "object",
  properties: { a },
  ...more
})
