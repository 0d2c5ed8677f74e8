import { createHash } from "node:crypto"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { openApiDocument } from "../../src/server/openapi/openApiDocument.ts"
import { documentKeyOf, schemaNameOf } from "../../src/server/openapi/schemaNames.ts"
import { servedKinds } from "../../src/kubernetes/meta/kinds.ts"
import { swaggerOf } from "./openApiV2.ts"
import { readSchemas } from "./schemas.ts"
import { swaggerBytes } from "./swaggerProtobuf.ts"

interface Written {
  readonly file: string
  readonly hash: string
}

/**
 * Writes the OpenAPI documents (`openapi/`, compressed) and an index of them with the hashes of what they
 * say (`openApiIndex.json`).
 */
export const writeOpenApi = async (folder: string): Promise<void> => {
  const documents = join(folder, "openapi")
  rmSync(documents, { recursive: true, force: true })
  mkdirSync(documents, { recursive: true })
  const write = (name: string, content: string | Uint8Array): Written => {
    const file = `${name.replaceAll("/", "__")}.gz`
    writeFileSync(join(documents, file), gzipSync(content, { level: 9 }))
    return { file, hash: createHash("sha256").update(content).digest("hex").toUpperCase() }
  }
  const schemas = await readSchemas()
  const bodies = servedKinds.flatMap(({ subresources }) => subresources)
  const v3 = [...Map.groupBy(servedKinds, documentKeyOf)].map(([key, kinds]) => ({
    key,
    document: openApiDocument(kinds, {
      schemas,
      version: "unversioned",
      hasStrategicMerge: true,
      extraSchemaNames: bodies.filter((body) => documentKeyOf(body) === key).map(schemaNameOf)
    })
  }))
  const swagger = swaggerOf(v3.map(({ document }) => document))
  const index = {
    v2: {
      json: write("v2.json", JSON.stringify(swagger)),
      protobuf: write("v2.pb", swaggerBytes(swagger))
    },
    v3: Object.fromEntries(
      v3.map(({ key, document }) => [key, write(`${key}.json`, JSON.stringify(document))])
    )
  }
  writeFileSync(join(folder, "openApiIndex.json"), `${JSON.stringify(index)}\n`)
}
