export interface MountedFile {
  /** A name without slashes. */
  readonly key: string
  readonly path: string
  readonly text: string
}

/**
 * `kubectl apply` keeps an object in an annotation of at most 256 KiB, as JSON, which is longer than the text.
 *
 * Source: apimachinery/pkg/api/validation/objectmeta.go (TotalAnnotationSizeLimitB).
 */
const configMapBytesMax = 200_000

/** Source: pkg/apis/core/validation/validation.go (MaxSecretSize). */
const textBytesMax = 1024 * 1024

export const isTooLarge = (text: string): boolean => textBytes(text) > textBytesMax

const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** Joins documents to texts that a ConfigMap can hold; a larger document stays alone. */
export const toMountableTexts = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (const document of texts.flatMap(documentTexts)) {
    const last = parts.at(-1)
    const joined = last === undefined ? undefined : `${last}---\n${document}`
    if (joined !== undefined && textBytes(joined) <= configMapBytesMax) parts[parts.length - 1] = joined
    else parts.push(document)
  }
  return parts
}

/** A text with directives, which precede a document's mark, stays whole. */
const documentTexts = (text: string): ReadonlyArray<string> => {
  if (/^%/m.test(text)) return [text]
  return text
    .split(/^---(?=\s|$)/m)
    .map((part) => part.replace(/^[^\S\n]*\n/, ""))
    .filter((part) => part.trim() !== "")
    .map((part) => (part.endsWith("\n") ? part : `${part}\n`))
}

export const groupIntoConfigMaps = (
  files: ReadonlyArray<MountedFile>
): ReadonlyArray<ReadonlyArray<MountedFile>> => {
  const groups: Array<{ bytes: number; readonly files: Array<MountedFile> }> = []
  for (const file of files) {
    const bytes = textBytes(file.text)
    const last = groups.at(-1)
    if (last !== undefined && last.bytes + bytes <= configMapBytesMax) {
      last.files.push(file)
      last.bytes += bytes
    } else groups.push({ bytes, files: [file] })
  }
  return groups.map((it) => it.files)
}
