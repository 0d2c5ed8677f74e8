import { gunzipSync } from "node:zlib"

/** Imports a generated module that holds a file: bundlers follow imports, but read no files. */
export type LoadEmbeddedFile = () => Promise<{ readonly gzippedBase64: string }>

export interface FileBytes {
  readonly plain: Buffer
  readonly gzipped: Buffer
}

export const readEmbeddedFile = async (loadModule: LoadEmbeddedFile): Promise<FileBytes> => {
  const gzipped = Buffer.from((await loadModule()).gzippedBase64, "base64")
  return { plain: gunzipSync(gzipped), gzipped }
}
