import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readWireTypes } from "./wireTypes.ts"

// Writes `src/generated`. The OpenAPI documents need merge rules, which read the types of fields.
const folder = join(import.meta.dirname, "../../src/generated")
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, "wireTypes.json"), `${JSON.stringify(await readWireTypes())}\n`)
const { writeOpenApi } = await import("./openApi.ts")
await writeOpenApi(folder)
const manifest: { readonly version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")
)
writeFileSync(
  join(folder, "packageVersion.ts"),
  `export const packageVersion: string = ${JSON.stringify(manifest.version)}\n`
)
