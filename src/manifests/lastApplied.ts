import { fieldsOrEmpty, isFields, type Fields } from "../kubernetes/meta/fields.ts"
import { getOrUndefined, isFailure, try as attempt } from "effect/Result"
import { sortedJson } from "../kubernetes/meta/text/sortedJson.ts"
import { lastAppliedAnnotation } from "../kubernetes/apply/patches/threeWayMerge.ts"

/** The annotation equals kubectl's byte for byte. Source: kubectl/pkg/util/apply.go. */
export const withLastAppliedAnnotation = (manifest: Fields): Fields => {
  const metadata = fieldsOrEmpty(manifest["metadata"])
  const { [lastAppliedAnnotation]: _before, ...annotations } = fieldsOrEmpty(metadata["annotations"])
  const manifestWithoutAnnotation = { ...manifest, metadata: { ...metadata, annotations } }
  const text = `${escapeHtml(sortedJson(manifestWithoutAnnotation))}\n`
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } }
  }
}

export const readLastApplied = (
  object: Fields
): { readonly ok: true; readonly original: Fields | undefined } | { readonly ok: false } => {
  const text = fieldsOrEmpty(fieldsOrEmpty(object["metadata"])["annotations"])[lastAppliedAnnotation]
  if (typeof text !== "string") return { ok: true, original: undefined }
  const parsed = attempt((): unknown => JSON.parse(text))
  const original = getOrUndefined(parsed)
  return isFailure(parsed) || !isFields(original) ? { ok: false } : { ok: true, original }
}

/** Escapes the characters that Go's JSON encoder escapes. */
const escapeHtml = (json: string): string =>
  json.replaceAll(/[<>&\u2028\u2029]/g, (letter) => {
    const code = letter.codePointAt(0) ?? 0
    return `\\u${code.toString(16).padStart(4, "0")}`
  })
