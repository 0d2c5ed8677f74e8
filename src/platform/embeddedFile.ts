import { gunzipSync } from "node:zlib"

/** Imports a generated module with the gzipped bytes of a file. Bundlers follow such imports. */
export type LoadEmbeddedFile = () => Promise<{ readonly gzippedBase64: string }>

export interface FileBytes {
  readonly plain: Buffer
  readonly gzipped: Buffer
}

/** Reads a file that the build has put into a module. */
export const readEmbeddedFile = async (load: LoadEmbeddedFile): Promise<FileBytes> => {
  const gzipped = Buffer.from((await load()).gzippedBase64, "base64")
  return { plain: gunzipSync(gzipped), gzipped }
}
