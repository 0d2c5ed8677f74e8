/**
 * OpenAPI 3.0 with Kubernetes' extensions. Source:
 * apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go.
 */
export interface OpenApiSchema {
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly additionalProperties?: OpenApiSchema | boolean
  readonly items?: OpenApiSchema
  readonly allOf?: ReadonlyArray<OpenApiSchema>
  readonly anyOf?: ReadonlyArray<OpenApiSchema>
  readonly oneOf?: ReadonlyArray<OpenApiSchema>
  readonly not?: OpenApiSchema
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean
  readonly "x-kubernetes-embedded-resource"?: boolean
  readonly "x-kubernetes-int-or-string"?: boolean
  readonly "x-kubernetes-list-type"?: string
  readonly "x-kubernetes-list-map-keys"?: ReadonlyArray<string>
  readonly "x-kubernetes-map-type"?: string
}

/** Ignores inherited properties such as `constructor`. */
export const propertySchema = (
  schema: OpenApiSchema | undefined,
  name: string
): OpenApiSchema | undefined => {
  const { properties } = schema ?? {}
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

export const additionalPropertiesSchema = ({
  additionalProperties
}: OpenApiSchema): OpenApiSchema | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined

/** Fields of every resource, declared or not. */
export const implicitFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])
