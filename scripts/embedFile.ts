import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { gzipSync } from "node:zlib"

/** Bundlers copy a library's modules and no other files. `src/platform/embeddedFile.ts` reads the module. */
export const embedFile = (modulePath: string, content: string | Uint8Array): void => {
  const base64 = gzipSync(content, { level: 9 }).toString("base64")
  mkdirSync(dirname(modulePath), { recursive: true })
  writeFileSync(modulePath, `export const gzippedBase64: string = ${JSON.stringify(base64)}\n`)
}

/** An expression that imports the module when it is called. */
export const lazyImport = (path: string): string => `() => import(${JSON.stringify(path)})`
