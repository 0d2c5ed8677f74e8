import { gunzipSync } from "node:zlib"

/** Bundlers follow imports of generated modules. */
export type LoadEmbeddedFile = () => Promise<{ readonly gzippedBase64: string }>

export interface FileBytes {
  readonly plain: Buffer
  readonly gzipped: Buffer
}

export const readEmbeddedFile = async (load: LoadEmbeddedFile): Promise<FileBytes> => {
  const gzipped = Buffer.from((await load()).gzippedBase64, "base64")
  return { plain: gunzipSync(gzipped), gzipped }
}
