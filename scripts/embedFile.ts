import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { gzipSync } from "node:zlib"

/**
 * Writes a module that holds a file's bytes: programs that bundle the library get its modules and no other files.
 * `src/platform/embeddedFile.ts` reads it.
 */
export const embedFile = (modulePath: string, content: string | Uint8Array): void => {
  const base64 = gzipSync(content, { level: 9 }).toString("base64")
  mkdirSync(dirname(modulePath), { recursive: true })
  writeFileSync(modulePath, `export const gzippedBase64: string = ${JSON.stringify(base64)}\n`)
}

/** The module's path as an expression that imports it when it is called. */
export const lazyImport = (path: string): string => `() => import(${JSON.stringify(path)})`
