import { openApiDocument, type OpenApiDocument, type OpenApiSchemas } from "./openApiDocument.ts"
import { schemaNameInPackage, schemaNameOf } from "./schemaNames.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { OpenApiSchema } from "../../kubernetes/customResources/openApiSchema.ts"
import type { JsonObject } from "./openApiParameters.ts"

export interface CustomResourceSchema {
  readonly kind: Kind
  readonly schema: OpenApiSchema | undefined
}

interface CustomDocumentOptions {
  /** Built-in types to which custom resources refer, such as ObjectMeta. */
  readonly schemas: OpenApiSchemas
  readonly version: string
}

/** Source: apiextensions-apiserver/pkg/controller/openapi/builder/builder.go. */
export const customOpenApiDocument = (
  resources: ReadonlyArray<CustomResourceSchema>,
  { schemas, version }: CustomDocumentOptions
): OpenApiDocument =>
  openApiDocument(
    resources.map(({ kind }) => kind),
    {
      schemas: { ...schemas, ...Object.fromEntries(resources.flatMap((it) => schemasOf(it, schemas))) },
      version,
      hasStrategicMerge: false
    }
  )

const schemasOf = (
  { kind, schema }: CustomResourceSchema,
  schemas: OpenApiSchemas
): ReadonlyArray<readonly [string, JsonObject]> => {
  const list = { ...kind, kind: `${kind.kind}List` }
  const { apiVersion, kind: kindField } = typeFields(schemas)
  const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
  const metadata = (type: string): JsonObject => ({
    allOf: [reference(schemaNameInPackage("meta", `v1.${type}`))]
  })
  const object = {
    ...(schema ?? { "x-kubernetes-preserve-unknown-fields": true }),
    type: "object",
    properties: {
      ...propertiesOf(schema),
      apiVersion,
      kind: kindField,
      metadata: metadata("ObjectMeta")
    },
    ...gvkOf(kind)
  }
  const items = { type: "array", items: reference(schemaNameOf(kind)) }
  return [
    [schemaNameOf(kind), object],
    [
      schemaNameOf(list),
      {
        description: `${list.kind} is a list of ${kind.kind}`,
        type: "object",
        required: ["items"],
        properties: { apiVersion, kind: kindField, metadata: metadata("ListMeta"), items },
        ...gvkOf(list)
      }
    ]
  ]
}

const gvkOf = ({ group, version, kind }: Pick<Kind, "group" | "version" | "kind">): JsonObject => ({
  "x-kubernetes-group-version-kind": [{ group, kind, version }]
})

/** Every kind has the same schemas of `apiVersion` and `kind`; these are Scale's. */
const typeFields = (schemas: OpenApiSchemas): JsonObject =>
  propertiesOf(schemas[schemaNameOf({ group: "autoscaling", version: "v1", kind: "Scale" })])

const propertiesOf = (schema: { readonly properties?: unknown } | undefined): JsonObject => {
  const properties = schema?.properties
  return isObject(properties) ? properties : {}
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null
