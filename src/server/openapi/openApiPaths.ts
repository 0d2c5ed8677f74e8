import { documentKeyOf, schemaNameInPackage, operationGroupOf, schemaNameOf } from "./schemaNames.ts"
import { openApiParameter, openApiParameterRef, parametersByOperation } from "./openApiParameters.ts"
import type { Kind, Subresource, ResourceVerb } from "../../kubernetes/meta/kinds.ts"
import type { SchemaType } from "./schemaNames.ts"
import type { JsonObject } from "./openApiParameters.ts"

/** Custom resources have no strategic merge patch. */
export interface OpenApiPathOptions {
  readonly hasStrategicMerge: boolean
}

/**
 * Clients find a kind's `patch` operation by `x-kubernetes-group-version-kind` and read from it what the server
 * supports.
 *
 * Source: api/openapi-spec/v3.
 */
export const openApiPaths = (
  kind: Kind,
  options: OpenApiPathOptions
): Readonly<Record<string, JsonObject>> => {
  const versionPath = `/${documentKeyOf(kind)}`
  const collection = kind.namespaced
    ? `${versionPath}/namespaces/{namespace}/${kind.plural}`
    : `${versionPath}/${kind.plural}`
  const collectionItem = pathItem(kind, { verbs: collectionVerbs, scope: scopeOf(kind), options })
  const objectItem = pathItem(kind, { verbs: objectVerbs, scope: scopeOf(kind), options })
  const paths: Record<string, JsonObject> = { [collection]: collectionItem }
  if (kind.verbs.includes("get")) paths[`${collection}/{name}`] = objectItem
  for (const subresource of kind.subresources) {
    paths[`${collection}/{name}/${subresource.name}`] = subresourceItem(kind, { subresource, options })
  }
  if (kind.namespaced && kind.verbs.includes("list")) {
    paths[`${versionPath}/${kind.plural}`] = allNamespacesItem(kind)
  }
  return paths
}

const collectionVerbs: ReadonlyArray<ResourceVerb> = ["list", "create", "deletecollection"]
const objectVerbs: ReadonlyArray<ResourceVerb> = ["get", "update", "patch", "delete"]
const scopeOf = ({ namespaced }: Kind): ReadonlyArray<string> => (namespaced ? ["namespace"] : [])

const methodByVerb: Readonly<Record<ResourceVerb, string>> = {
  create: "post",
  delete: "delete",
  deletecollection: "delete",
  get: "get",
  list: "get",
  patch: "patch",
  update: "put",
  watch: "get"
}

interface ItemOptions {
  readonly verbs: ReadonlyArray<ResourceVerb>
  /** The path parameters of the collection: `namespace`, or none. */
  readonly scope: ReadonlyArray<string>
  readonly options: OpenApiPathOptions
}

const pathItem = (kind: Kind, { verbs, scope, options }: ItemOptions): JsonObject => {
  const pathParameters = verbs === objectVerbs ? ["name", ...scope] : scope
  const operations = verbs
    .filter((verb) => kind.verbs.includes(verb))
    .map((verb) => [methodByVerb[verb], operationOf(verb, { kind, body: kind, name: kind.kind, options })])
  return {
    ...Object.fromEntries(operations),
    ...(pathParameters.length === 0 ? {} : { parameters: pathParameters.map(openApiParameterRef) })
  }
}

const subresourceItem = (
  kind: Kind,
  { subresource, options }: { readonly subresource: Subresource; readonly options: OpenApiPathOptions }
): JsonObject => {
  const capitalized = subresource.name.slice(0, 1).toUpperCase() + subresource.name.slice(1)
  const name = `${kind.kind}${capitalized}`
  const subject = { kind, body: subresource, name, options, isLog: subresource.name === "log" }
  const operations = subresource.verbs.map((verb) => [methodByVerb[verb], operationOf(verb, subject)])
  return {
    ...Object.fromEntries(operations),
    parameters: ["name", ...scopeOf(kind)].map(openApiParameterRef)
  }
}

const allNamespacesItem = (kind: Kind): JsonObject => {
  // Concerns patches only, which this path does not have.
  const options = { hasStrategicMerge: false }
  const list = operationOf("list", { kind, body: kind, name: kind.kind, options })
  return { get: { ...list, operationId: `list${operationGroupOf(kind)}${kind.kind}ForAllNamespaces` } }
}

interface OperationSubject {
  readonly kind: Kind
  /** The kind in requests and responses, or that of the subresource. */
  readonly body: SchemaType
  readonly name: string
  readonly options: OpenApiPathOptions
  readonly isLog?: boolean
}

const operationWords: Readonly<Record<ResourceVerb, string>> = {
  create: "create",
  delete: "delete",
  deletecollection: "deleteCollection",
  get: "read",
  list: "list",
  patch: "patch",
  update: "replace",
  watch: "watch"
}

const operationOf = (
  verb: ResourceVerb,
  { kind, body, name, options, isLog = false }: OperationSubject
): JsonObject => {
  const scope = kind.namespaced ? "Namespaced" : ""
  const isCollection = verb === "deletecollection"
  const operationWord = isCollection ? "delete" : operationWords[verb]
  const group = `${operationGroupOf(kind)}${isCollection ? "Collection" : ""}`
  // Clients do not follow references in a patch operation's parameters.
  const parameters = (
    isLog ? parametersByOperation.log : parametersByOperation[verb === "watch" ? "list" : verb]
  ).map(verb === "patch" ? openApiParameter : openApiParameterRef)
  const { group: bodyGroup, version, kind: bodyKind } = body
  return {
    tags: [operationTag(kind)],
    description: `${operationWords[verb]} ${name}`,
    operationId: `${operationWord}${group}${scope}${name}`,
    parameters,
    ...requestOf(verb, { body, options }),
    responses: responsesOf(verb, { body, isLog }),
    "x-kubernetes-action": isCollection ? "deletecollection" : actionByVerb[verb],
    "x-kubernetes-group-version-kind": { group: bodyGroup, version, kind: bodyKind }
  }
}

const actionByVerb: Readonly<Partial<Record<ResourceVerb, string>>> = {
  create: "post",
  delete: "delete",
  get: "get",
  list: "list",
  patch: "patch",
  update: "put"
}

const operationTag = ({ group, version }: Kind): string =>
  `${group === "" ? "core" : group.replace(/\.k8s\.io$/, "").replaceAll(".", "_")}_${version}`

const schemaRef = (name: string): JsonObject => ({ schema: { $ref: `#/components/schemas/${name}` } })
const metaSchemaName = (kind: string): string => schemaNameInPackage("meta", `v1.${kind}`)

const requestOf = (
  verb: ResourceVerb,
  { body, options }: { readonly body: SchemaType; readonly options: OpenApiPathOptions }
): JsonObject => {
  switch (verb) {
    case "create":
    case "update":
      return { requestBody: { content: { "*/*": schemaRef(schemaNameOf(body)) }, required: true } }
    case "patch": {
      const types = [
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        ...(options.hasStrategicMerge ? ["application/strategic-merge-patch+json"] : [])
      ]
      const content = Object.fromEntries(types.map((type) => [type, schemaRef(metaSchemaName("Patch"))]))
      return { requestBody: { content, required: true } }
    }
    case "delete":
    case "deletecollection":
      return { requestBody: { content: { "*/*": schemaRef(metaSchemaName("DeleteOptions")) } } }
    default:
      return {}
  }
}

const responsesOf = (
  verb: ResourceVerb,
  { body, isLog }: { readonly body: SchemaType; readonly isLog: boolean }
): JsonObject => {
  if (isLog) {
    return { "200": { description: "OK", content: { "text/plain": { schema: { type: "string" } } } } }
  }
  const isDeletion = verb === "delete" || verb === "deletecollection"
  const kind = verb === "list" ? `${body.kind}List` : body.kind
  const schema = schemaRef(isDeletion ? metaSchemaName("Status") : schemaNameOf({ ...body, kind }))
  const content = { "application/json": schema, "application/yaml": schema }
  const created = { "201": { description: "Created", content } }
  return {
    "200": { description: "OK", content },
    ...(verb === "create" || verb === "update" || verb === "patch" ? created : {})
  }
}
