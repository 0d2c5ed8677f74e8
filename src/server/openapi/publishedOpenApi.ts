import { openApiDocuments } from "../../generated/openApiDocuments.ts"
import { readEmbeddedFile, type LoadEmbeddedFile } from "../../platform/embeddedFile.ts"
import { chooseMediaType, sha256Of, jsonDocument, type ApiDocument } from "../http/apiDocument.ts"
import { customOpenApiDocument, type CustomResourceSchema } from "./customOpenApi.ts"
import { documentKeyOf } from "./schemaNames.ts"
import type { OpenApiDocument } from "./openApiDocument.ts"

interface OpenApiRequest {
  readonly accept: string | undefined
  /** Documents are cached per array of resources. */
  readonly customResources?: ReadonlyArray<CustomResourceSchema>
}

/**
 * `/openapi/v2` has no custom resources. Undefined for any other path; rejects with a `Refusal` when the client
 * accepts no media type of the document.
 *
 * Source: k8s.io/kube-openapi/pkg/handler and pkg/handler3.
 */
export const publishedOpenApi = async (
  path: string,
  { accept, customResources = noResources }: OpenApiRequest
): Promise<ApiDocument | undefined> => {
  const [root, version, ...keySegments] = path.split("/").filter((segment) => segment !== "")
  if (root !== "openapi") return undefined
  const key = keySegments.join("/")
  if (version === "v2") return key === "" ? swaggerDocument(accept) : undefined
  if (version !== "v3") return undefined
  const customByKey = await customDocuments(customResources)
  if (key === "") return requireJson(accept, () => indexDocument(customByKey))
  const builtIn = storedDocuments.get(key)
  if (builtIn !== undefined) return requireJson(accept, () => readStoredDocument(builtIn, jsonMediaType))
  const document = customByKey.get(key)
  return document === undefined ? undefined : requireJson(accept, () => document)
}

const noResources: ReadonlyArray<CustomResourceSchema> = []
const jsonMediaType = "application/json"

const requireJson = <A>(accept: string | undefined, document: () => A): A => {
  chooseMediaType(accept, [jsonMediaType])
  return document()
}

interface StoredDocument {
  readonly hash: string
  readonly load: LoadEmbeddedFile
}

const storedDocuments: ReadonlyMap<string, StoredDocument> = new Map(Object.entries(openApiDocuments.v3))

const cachedDocuments = new Map<StoredDocument, Promise<ApiDocument>>()

const readStoredDocument = (stored: StoredDocument, contentType: string): Promise<ApiDocument> => {
  const cached = cachedDocuments.get(stored)
  if (cached !== undefined) return cached
  const document = readEmbeddedFile(stored.load).then(({ plain, gzipped }): ApiDocument => ({
    contentType,
    etag: `"${stored.hash}"`,
    body: plain,
    gzipped
  }))
  cachedDocuments.set(stored, document)
  return document
}

/** The media type of responses. Clients accept the binary form under a name with `@`, which is not valid. */
const swaggerProtobufMediaType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
const swaggerMediaTypes = [
  jsonMediaType,
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  swaggerProtobufMediaType
]

const swaggerDocument = (accept: string | undefined): Promise<ApiDocument> =>
  chooseMediaType(accept, swaggerMediaTypes) === jsonMediaType
    ? readStoredDocument(openApiDocuments.v2.json, jsonMediaType)
    : readStoredDocument(openApiDocuments.v2.protobuf, swaggerProtobufMediaType)

type CustomDocuments = ReadonlyMap<string, ApiDocument>

const documentsByResources = new WeakMap<ReadonlyArray<CustomResourceSchema>, Promise<CustomDocuments>>()

const customDocuments = (resources: ReadonlyArray<CustomResourceSchema>): Promise<CustomDocuments> => {
  const documents = documentsByResources.get(resources) ?? makeCustomDocuments(resources)
  documentsByResources.set(resources, documents)
  return documents
}

const makeCustomDocuments = async (
  resources: ReadonlyArray<CustomResourceSchema>
): Promise<CustomDocuments> => {
  if (resources.length === 0) return new Map()
  const shared = await documentWithSharedSchemas()
  const options = { schemas: shared.components.schemas, version: shared.info.version }
  const byKey = Map.groupBy(resources, ({ kind }) => documentKeyOf(kind))
  return new Map([...byKey].map(([key, group]) => [key, jsonDocument(customOpenApiDocument(group, options))]))
}

/** Any document of built-in kinds has the schemas to which custom resources refer, such as ObjectMeta. */
const documentWithSharedSchemas = async (): Promise<OpenApiDocument> =>
  JSON.parse(
    String((await readStoredDocument(openApiDocuments.v3["apis/autoscaling/v1"], jsonMediaType)).body)
  )

const indexDocument = (custom: CustomDocuments): ApiDocument => {
  const entries = [
    ...[...storedDocuments].map(([key, { hash }]) => [key, hash] as const),
    ...[...custom].map(([key, { body }]) => [key, sha256Of(String(body))] as const)
  ]
  const paths = entries.map(([key, hash]) => [key, { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` }])
  return jsonDocument({ paths: Object.fromEntries(paths) })
}
