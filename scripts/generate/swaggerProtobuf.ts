import { Root, type INamespace } from "protobufjs"
import { swaggerMethods, type SwaggerDocument } from "./openApiV2.ts"
import type { JsonObject } from "../../src/server/openapi/openApiParameters.ts"

/**
 * OpenAPI 2.0 in the binary form that kubectl asks for. Declares only the fields that the document has.
 *
 * Source: openapiv2/OpenAPIv2.proto in github.com/google/gnostic-models (the numbers of fields).
 */
const namedMessage = (value: string) => ({
  fields: { name: { type: "string", id: 1 }, value: { type: value, id: 2 } }
})
const repeatedField = (type: string, id: number) => ({ rule: "repeated", type, id })
const singleField = (type: string, id: number) => ({ type, id })

const messages: INamespace = {
  nested: {
    AdditionalPropertiesItem: { fields: { schema: singleField("Schema", 1) } },
    Any: { fields: { yaml: singleField("string", 2) } },
    BodyParameter: {
      fields: {
        name: singleField("string", 2),
        in: singleField("string", 3),
        required: singleField("bool", 4),
        schema: singleField("Schema", 5)
      }
    },
    Definitions: { fields: { additionalProperties: repeatedField("NamedSchema", 1) } },
    Document: {
      fields: {
        swagger: singleField("string", 1),
        info: singleField("Info", 2),
        paths: singleField("Paths", 8),
        definitions: singleField("Definitions", 9),
        parameters: singleField("ParameterDefinitions", 10)
      }
    },
    Info: { fields: { title: singleField("string", 1), version: singleField("string", 2) } },
    ItemsItem: { fields: { schema: repeatedField("Schema", 1) } },
    JsonReference: { fields: { Ref: singleField("string", 1) } },
    NamedAny: namedMessage("Any"),
    NamedParameter: namedMessage("Parameter"),
    NamedPathItem: namedMessage("PathItem"),
    NamedResponseValue: namedMessage("ResponseValue"),
    NamedSchema: namedMessage("Schema"),
    NonBodyParameter: {
      fields: {
        queryParameterSubSchema: singleField("QueryParameterSubSchema", 3),
        pathParameterSubSchema: singleField("PathParameterSubSchema", 4)
      }
    },
    Operation: {
      fields: {
        tags: repeatedField("string", 1),
        description: singleField("string", 3),
        operationId: singleField("string", 5),
        produces: repeatedField("string", 6),
        consumes: repeatedField("string", 7),
        parameters: repeatedField("ParametersItem", 8),
        responses: singleField("Responses", 9),
        vendorExtension: repeatedField("NamedAny", 13)
      }
    },
    Parameter: {
      fields: {
        bodyParameter: singleField("BodyParameter", 1),
        nonBodyParameter: singleField("NonBodyParameter", 2)
      }
    },
    ParameterDefinitions: { fields: { additionalProperties: repeatedField("NamedParameter", 1) } },
    ParametersItem: {
      fields: { parameter: singleField("Parameter", 1), jsonReference: singleField("JsonReference", 2) }
    },
    PathItem: {
      fields: {
        get: singleField("Operation", 2),
        put: singleField("Operation", 3),
        post: singleField("Operation", 4),
        delete: singleField("Operation", 5),
        patch: singleField("Operation", 8),
        parameters: repeatedField("ParametersItem", 9)
      }
    },
    PathParameterSubSchema: {
      fields: {
        required: singleField("bool", 1),
        in: singleField("string", 2),
        description: singleField("string", 3),
        name: singleField("string", 4),
        type: singleField("string", 5),
        uniqueItems: singleField("bool", 19)
      }
    },
    Paths: { fields: { path: repeatedField("NamedPathItem", 2) } },
    Properties: { fields: { additionalProperties: repeatedField("NamedSchema", 1) } },
    QueryParameterSubSchema: {
      fields: {
        in: singleField("string", 2),
        description: singleField("string", 3),
        name: singleField("string", 4),
        type: singleField("string", 6),
        uniqueItems: singleField("bool", 20)
      }
    },
    Response: { fields: { description: singleField("string", 1), schema: singleField("SchemaItem", 2) } },
    ResponseValue: { fields: { response: singleField("Response", 1) } },
    Responses: { fields: { responseCode: repeatedField("NamedResponseValue", 1) } },
    Schema: {
      fields: {
        Ref: singleField("string", 1),
        format: singleField("string", 2),
        description: singleField("string", 4),
        required: repeatedField("string", 19),
        enum: repeatedField("Any", 20),
        additionalProperties: singleField("AdditionalPropertiesItem", 21),
        type: singleField("TypeItem", 22),
        items: singleField("ItemsItem", 23),
        properties: singleField("Properties", 25),
        vendorExtension: repeatedField("NamedAny", 31)
      }
    },
    SchemaItem: { fields: { schema: singleField("Schema", 1) } },
    TypeItem: { fields: { value: repeatedField("string", 1) } }
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

/** Any value is written as YAML, of which JSON is a subset. */
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
