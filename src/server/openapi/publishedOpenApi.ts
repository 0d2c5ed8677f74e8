import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import index from "../../generated/openApiIndex.json" with { type: "json" }
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
 * Serves `/openapi/v2`, one document without custom resources, and `/openapi/v3`, one per group and version. Undefined
 * for any other path; throws a `Refusal` when the client accepts no media type of ours. Documents are read from disk
 * on first request.
 *
 * Source: k8s.io/kube-openapi/pkg/handler and pkg/handler3.
 */
export const publishedOpenApi = (
  path: string,
  { accept, customResources = noResources }: OpenApiRequest
): ApiDocument | undefined => {
  const [root, version, ...rest] = path.split("/").filter((segment) => segment !== "")
  if (root !== "openapi") return undefined
  const key = rest.join("/")
  if (version === "v2") return key === "" ? swagger(accept) : undefined
  if (version !== "v3") return undefined
  const customByKey = customDocuments(customResources)
  if (key === "") return acceptJson(accept, () => indexOf(customByKey))
  const builtIn = storedDocuments.get(key)
  if (builtIn !== undefined) return acceptJson(accept, () => readStoredDocument(builtIn, json))
  const document = customByKey.get(key)
  return document === undefined ? undefined : acceptJson(accept, () => document)
}

const noResources: ReadonlyArray<CustomResourceSchema> = []
const json = "application/json"

const acceptJson = (accept: string | undefined, document: () => ApiDocument): ApiDocument => {
  chooseMediaType(accept, [json])
  return document()
}

/** A compressed document made at build time, with the hash of its text. */
interface StoredDocument {
  readonly file: string
  readonly hash: string
}

const storedDocuments: ReadonlyMap<string, StoredDocument> = new Map(Object.entries(index.v3))

const cachedDocuments = new Map<string, ApiDocument>()

const readStoredDocument = ({ file, hash }: StoredDocument, contentType: string): ApiDocument => {
  const cached = cachedDocuments.get(file)
  if (cached !== undefined) return cached
  const gzipped = readFileSync(new URL(`../../generated/openapi/${file}`, import.meta.url))
  const document = { contentType, etag: `"${hash}"`, body: gunzipSync(gzipped), gzipped }
  cachedDocuments.set(file, document)
  return document
}

/** Clients accept the binary form under an invalid media type; the response has this one. */
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
const swaggerMediaTypes = [json, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", protobuf]

const swagger = (accept: string | undefined): ApiDocument =>
  chooseMediaType(accept, swaggerMediaTypes) === json
    ? readStoredDocument(index.v2.json, json)
    : readStoredDocument(index.v2.protobuf, protobuf)

type CustomDocuments = ReadonlyMap<string, ApiDocument>

const documentsByResources = new WeakMap<ReadonlyArray<CustomResourceSchema>, CustomDocuments>()

const customDocuments = (resources: ReadonlyArray<CustomResourceSchema>): CustomDocuments => {
  const documents = documentsByResources.get(resources) ?? makeCustomDocuments(resources)
  documentsByResources.set(resources, documents)
  return documents
}

const makeCustomDocuments = (resources: ReadonlyArray<CustomResourceSchema>): CustomDocuments => {
  if (resources.length === 0) return new Map()
  const base = baseDocument()
  const options = { schemas: base.components.schemas, version: base.info.version }
  const byKey = Map.groupBy(resources, ({ kind }) => documentKeyOf(kind))
  return new Map([...byKey].map(([key, group]) => [key, jsonDocument(customOpenApiDocument(group, options))]))
}

/** A document with the schemas that custom resources refer to, such as ObjectMeta. */
const baseDocument = (): OpenApiDocument =>
  JSON.parse(String(readStoredDocument(index.v3["apis/autoscaling/v1"], json).body))

const indexOf = (custom: CustomDocuments): ApiDocument => {
  const entries = [
    ...[...storedDocuments].map(([key, { hash }]) => [key, hash] as const),
    ...[...custom].map(([key, { body }]) => [key, sha256Of(String(body))] as const)
  ]
  const paths = entries.map(([key, hash]) => [key, { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` }])
  return jsonDocument({ paths: Object.fromEntries(paths) })
}
