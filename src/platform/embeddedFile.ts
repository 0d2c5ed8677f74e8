import { gunzipSync } from "node:zlib"

/** Imports a module that the build made of a file: its bytes, gzipped, in base64. Bundlers follow such imports. */
export type LoadEmbeddedFile = () => Promise<{ readonly gzippedBase64: string }>

export interface FileBytes {
  readonly plain: Buffer
  readonly gzipped: Buffer
}

export const readEmbeddedFile = async (load: LoadEmbeddedFile): Promise<FileBytes> => {
  const gzipped = Buffer.from((await load()).gzippedBase64, "base64")
  return { plain: gunzipSync(gzipped), gzipped }
}
