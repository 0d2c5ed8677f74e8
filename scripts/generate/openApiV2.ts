import { openApiParameters, type JsonObject } from "../../src/server/openapi/openApiParameters.ts"
import type { OpenApiDocument } from "../../src/server/openapi/openApiDocument.ts"

/** OpenAPI 2.0, which older clients read. */
export interface SwaggerDocument {
  readonly swagger: "2.0"
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly definitions: Readonly<Record<string, JsonObject>>
  readonly parameters: Readonly<Record<string, JsonObject>>
}

export const swaggerOf = (documents: ReadonlyArray<OpenApiDocument>): SwaggerDocument => ({
  swagger: "2.0",
  info: { title: "Kubernetes", version: documents[0]?.info.version ?? "" },
  paths: mergeSorted(documents.map(({ paths }) => mapValues(paths, pathItem))),
  definitions: mergeSorted(documents.map(({ components }) => mapValues(components.schemas, schema))),
  parameters: mapValues(openApiParameters, parameter)
})

const mergeSorted = (parts: ReadonlyArray<Readonly<Record<string, JsonObject>>>) =>
  Object.fromEntries(
    parts.flatMap((part) => Object.entries(part)).toSorted(([a], [b]) => (a < b ? -1 : a === b ? 0 : 1))
  )

const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A) => B
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter(isObject) : []
const mapOf = (value: unknown): Readonly<Record<string, JsonObject>> => mapValues(objectOf(value), objectOf)

const toV2Ref = (ref: unknown): string =>
  String(ref)
    .replace("#/components/schemas/", "#/definitions/")
    .replace("#/components/parameters/", "#/parameters/")

const schema = (value: JsonObject): JsonObject => {
  const { $ref, allOf, oneOf, properties, items, additionalProperties, ...rest } = value
  const [target] = listOf(allOf)
  const ref = $ref ?? target?.["$ref"]
  return {
    ...rest,
    ...(ref === undefined ? {} : { $ref: toV2Ref(ref) }),
    // Version 2.0 has no alternatives: text is the widest of the types.
    ...(oneOf === undefined ? {} : { type: "string" }),
    ...(properties === undefined ? {} : { properties: mapValues(mapOf(properties), schema) }),
    ...(items === undefined ? {} : { items: schema(objectOf(items)) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: schema(objectOf(additionalProperties)) })
  }
}

const parameter = (value: JsonObject): JsonObject => {
  if (value["$ref"] !== undefined) return { $ref: toV2Ref(value["$ref"]) }
  const { schema: type, ...rest } = value
  return { ...rest, ...objectOf(type) }
}

const methods = ["get", "put", "post", "delete", "patch"]

const pathItem = (item: JsonObject): JsonObject =>
  mapValues(item, (value) => {
    if (Array.isArray(value)) return listOf(value).map(parameter)
    return isObject(value) ? operation(value) : value
  })

const operation = (value: JsonObject): JsonObject => {
  const { requestBody, responses, parameters, ...rest } = value
  const body = objectOf(requestBody)
  const contents = mapOf(body["content"])
  const [content] = Object.values(contents)
  const inBody =
    content === undefined
      ? []
      : [
          {
            name: "body",
            in: "body",
            ...(body["required"] === true ? { required: true } : {}),
            schema: schema(objectOf(content["schema"]))
          }
        ]
  return {
    ...rest,
    ...(content === undefined ? {} : { consumes: Object.keys(contents) }),
    produces: producedBy(responses),
    parameters: [...inBody, ...listOf(parameters).map(parameter)],
    responses: mapValues(mapOf(responses), response)
  }
}

const producedBy = (responses: unknown): ReadonlyArray<string> => [
  ...new Set(Object.values(mapOf(responses)).flatMap(({ content }) => Object.keys(objectOf(content))))
]

const response = ({ description, content }: JsonObject): JsonObject => {
  const [first] = Object.values(mapOf(content))
  return {
    description,
    ...(first === undefined ? {} : { schema: schema(objectOf(first["schema"])) })
  }
}

export const swaggerMethods: ReadonlyArray<string> = methods
