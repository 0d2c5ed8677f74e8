import { createHash } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { embedFile, lazyImport } from "../embedFile.ts"
import { openApiDocument } from "../../src/server/openapi/openApiDocument.ts"
import { documentKeyOf, schemaNameOf } from "../../src/server/openapi/schemaNames.ts"
import { openApiKinds } from "../../src/kubernetes/meta/kinds.ts"
import { swaggerOf } from "./openApiV2.ts"
import { readSchemas } from "./schemas.ts"
import { swaggerBytes } from "./swaggerProtobuf.ts"

/** Writes the OpenAPI documents as modules (`openapi/`) with an index of their hashes (`openApiDocuments.ts`). */
export const writeOpenApi = async (folder: string): Promise<void> => {
  const documents = join(folder, "openapi")
  rmSync(documents, { recursive: true, force: true })
  const write = (name: string, content: string | Uint8Array): string => {
    const file = `${name.replaceAll("/", "__")}.ts`
    embedFile(join(documents, file), content)
    const hash = createHash("sha256").update(content).digest("hex").toUpperCase()
    return `document("${hash}", ${lazyImport(`./openapi/${file}`)})`
  }
  const schemas = await readSchemas()
  const bodies = openApiKinds.flatMap(({ subresources }) => subresources)
  const v3 = [...Map.groupBy(openApiKinds, documentKeyOf)].map(([key, kinds]) => ({
    key,
    document: openApiDocument(kinds, {
      schemas,
      version: "unversioned",
      hasStrategicMerge: true,
      extraSchemaNames: bodies.filter((body) => documentKeyOf(body) === key).map(schemaNameOf)
    })
  }))
  const swagger = swaggerOf(v3.map(({ document }) => document))
  const entries = v3.map(
    ({ key, document }) => `    ${JSON.stringify(key)}: ${write(`${key}.json`, JSON.stringify(document))}`
  )
  const index = `const document = (hash: string, load: () => Promise<{ readonly gzippedBase64: string }>) => ({ hash, load })

export const openApiDocuments = {
  v2: {
    json: ${write("v2.json", JSON.stringify(swagger))},
    protobuf: ${write("v2.pb", swaggerBytes(swagger))}
  },
  v3: {
${entries.join(",\n")}
  }
}
`
  writeFileSync(join(folder, "openApiDocuments.ts"), index)
}
