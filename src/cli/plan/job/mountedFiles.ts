/** A text in a ConfigMap, and where it is mounted. */
export interface MountedFile {
  /** A name without slashes. */
  readonly key: string
  readonly path: string
  readonly text: string
}

/**
 * `kubectl apply` keeps an object in an annotation of at most 256 KiB, and JSON has more characters than the text.
 * Source: staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go (TotalAnnotationSizeLimitB).
 */
const configMapBytesMax = 200_000

/** Source: pkg/apis/core/validation/validation.go (MaxSecretSize). */
const textBytesMax = 1024 * 1024

/** Whether no ConfigMap can hold a text. */
export const isTooLarge = (text: string): boolean => textBytes(text) > textBytesMax

const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** The documents of texts, in texts that a ConfigMap can hold; a document that is larger has one of its own. */
export const splitTexts = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (const document of texts.flatMap(documentTexts)) {
    const last = parts.at(-1)
    const joined = last === undefined ? undefined : `${last}---\n${document}`
    if (joined !== undefined && textBytes(joined) <= configMapBytesMax) parts[parts.length - 1] = joined
    else parts.push(document)
  }
  return parts
}

/** A text with directives, which are before the mark of a document, stays whole. */
const documentTexts = (text: string): ReadonlyArray<string> => {
  if (/^%/m.test(text)) return [text]
  return text
    .split(/^---(?=\s|$)/m)
    .map((part) => part.replace(/^[^\S\n]*\n/, ""))
    .filter((part) => part.trim() !== "")
    .map((part) => (part.endsWith("\n") ? part : `${part}\n`))
}

/** ConfigMaps with the files, each with as many as it can hold. */
export const inConfigMaps = (
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
