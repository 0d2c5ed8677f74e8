import { Root, type INamespace } from "protobufjs"
import { swaggerMethods, type SwaggerDocument } from "./openApiV2.ts"
import type { JsonObject } from "../../src/server/openapi/openApiParameters.ts"

/**
 * The second version of OpenAPI in the binary form that kubectl asks for. Only the fields that the document
 * has are declared.
 *
 * Source of the numbers: openapiv2/OpenAPIv2.proto in github.com/google/gnostic-models.
 */
const named = (value: string) => ({
  fields: { name: { type: "string", id: 1 }, value: { type: value, id: 2 } }
})
const many = (type: string, id: number) => ({ rule: "repeated", type, id })
const one = (type: string, id: number) => ({ type, id })

const messages: INamespace = {
  nested: {
    AdditionalPropertiesItem: { fields: { schema: one("Schema", 1) } },
    Any: { fields: { yaml: one("string", 2) } },
    BodyParameter: {
      fields: {
        name: one("string", 2),
        in: one("string", 3),
        required: one("bool", 4),
        schema: one("Schema", 5)
      }
    },
    Definitions: { fields: { additionalProperties: many("NamedSchema", 1) } },
    Document: {
      fields: {
        swagger: one("string", 1),
        info: one("Info", 2),
        paths: one("Paths", 8),
        definitions: one("Definitions", 9),
        parameters: one("ParameterDefinitions", 10)
      }
    },
    Info: { fields: { title: one("string", 1), version: one("string", 2) } },
    ItemsItem: { fields: { schema: many("Schema", 1) } },
    JsonReference: { fields: { Ref: one("string", 1) } },
    NamedAny: named("Any"),
    NamedParameter: named("Parameter"),
    NamedPathItem: named("PathItem"),
    NamedResponseValue: named("ResponseValue"),
    NamedSchema: named("Schema"),
    NonBodyParameter: {
      fields: {
        queryParameterSubSchema: one("QueryParameterSubSchema", 3),
        pathParameterSubSchema: one("PathParameterSubSchema", 4)
      }
    },
    Operation: {
      fields: {
        tags: many("string", 1),
        description: one("string", 3),
        operationId: one("string", 5),
        produces: many("string", 6),
        consumes: many("string", 7),
        parameters: many("ParametersItem", 8),
        responses: one("Responses", 9),
        vendorExtension: many("NamedAny", 13)
      }
    },
    Parameter: {
      fields: { bodyParameter: one("BodyParameter", 1), nonBodyParameter: one("NonBodyParameter", 2) }
    },
    ParameterDefinitions: { fields: { additionalProperties: many("NamedParameter", 1) } },
    ParametersItem: { fields: { parameter: one("Parameter", 1), jsonReference: one("JsonReference", 2) } },
    PathItem: {
      fields: {
        get: one("Operation", 2),
        put: one("Operation", 3),
        post: one("Operation", 4),
        delete: one("Operation", 5),
        patch: one("Operation", 8),
        parameters: many("ParametersItem", 9)
      }
    },
    PathParameterSubSchema: {
      fields: {
        required: one("bool", 1),
        in: one("string", 2),
        description: one("string", 3),
        name: one("string", 4),
        type: one("string", 5),
        uniqueItems: one("bool", 19)
      }
    },
    Paths: { fields: { path: many("NamedPathItem", 2) } },
    Properties: { fields: { additionalProperties: many("NamedSchema", 1) } },
    QueryParameterSubSchema: {
      fields: {
        in: one("string", 2),
        description: one("string", 3),
        name: one("string", 4),
        type: one("string", 6),
        uniqueItems: one("bool", 20)
      }
    },
    Response: { fields: { description: one("string", 1), schema: one("SchemaItem", 2) } },
    ResponseValue: { fields: { response: one("Response", 1) } },
    Responses: { fields: { responseCode: many("NamedResponseValue", 1) } },
    Schema: {
      fields: {
        Ref: one("string", 1),
        format: one("string", 2),
        description: one("string", 4),
        required: many("string", 19),
        enum: many("Any", 20),
        additionalProperties: one("AdditionalPropertiesItem", 21),
        type: one("TypeItem", 22),
        items: one("ItemsItem", 23),
        properties: one("Properties", 25),
        vendorExtension: many("NamedAny", 31)
      }
    },
    SchemaItem: { fields: { schema: one("Schema", 1) } },
    TypeItem: { fields: { value: many("string", 1) } }
  }
}

export const swaggerBytes = (document: SwaggerDocument): Uint8Array => {
  const type = Root.fromJSON(messages).lookupType("Document")
  const message = {
    swagger: document.swagger,
    info: document.info,
    paths: { path: pairs(document.paths, pathItem) },
    definitions: { additionalProperties: pairs(document.definitions, schema) },
    parameters: { additionalProperties: pairs(document.parameters, parameter) }
  }
  return type.encode(type.fromObject(message)).finish()
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const pairs = (value: unknown, change: (inner: JsonObject) => JsonObject): ReadonlyArray<JsonObject> =>
  Object.entries(objectOf(value)).map(([name, inner]) => ({ name, value: change(objectOf(inner)) }))

/** Anything is written as YAML, of which JSON is a part. */
const any = (value: unknown): JsonObject => ({ yaml: `${JSON.stringify(value)}\n` })

const extensions = (value: JsonObject): ReadonlyArray<JsonObject> =>
  Object.entries(value)
    .filter(([name]) => name.startsWith("x-"))
    .map(([name, inner]) => ({ name, value: any(inner) }))

const schema = (value: JsonObject): JsonObject => {
  const { $ref, format, description, required, type, items, properties, additionalProperties } = value
  return {
    ...(typeof $ref === "string" ? { Ref: $ref } : {}),
    ...(typeof format === "string" ? { format } : {}),
    ...(typeof description === "string" ? { description } : {}),
    required: listOf(required),
    enum: listOf(value["enum"]).map(any),
    ...(typeof type === "string" ? { type: { value: [type] } } : {}),
    ...(isObject(items) ? { items: { schema: [schema(items)] } } : {}),
    ...(isObject(properties) ? { properties: { additionalProperties: pairs(properties, schema) } } : {}),
    ...(isObject(additionalProperties)
      ? { additionalProperties: { schema: schema(additionalProperties) } }
      : {}),
    vendorExtension: extensions(value)
  }
}

const parameter = (value: JsonObject): JsonObject => {
  const { in: place, schema: body } = value
  if (place === "body") return { bodyParameter: { ...value, schema: schema(objectOf(body)) } }
  const sub = place === "path" ? "pathParameterSubSchema" : "queryParameterSubSchema"
  return { nonBodyParameter: { [sub]: value } }
}

const parameterItem = (value: JsonObject): JsonObject =>
  typeof value["$ref"] === "string"
    ? { jsonReference: { Ref: value["$ref"] } }
    : { parameter: parameter(value) }

const parameterItems = (value: unknown): ReadonlyArray<JsonObject> =>
  listOf(value).map((item) => parameterItem(objectOf(item)))

const pathItem = (value: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    swaggerMethods
      .filter((method) => isObject(value[method]))
      .map((method) => [method, operation(objectOf(value[method]))])
  ),
  parameters: parameterItems(value["parameters"])
})

const operation = (value: JsonObject): JsonObject => {
  const { tags, description, operationId, produces, consumes, parameters, responses } = value
  return {
    tags: listOf(tags),
    description,
    operationId,
    produces: listOf(produces),
    consumes: listOf(consumes),
    parameters: parameterItems(parameters),
    responses: { responseCode: pairs(responses, response) },
    vendorExtension: extensions(value)
  }
}

const response = ({ description, schema: body }: JsonObject): JsonObject => ({
  response: { description, ...(isObject(body) ? { schema: { schema: schema(body) } } : {}) }
})
