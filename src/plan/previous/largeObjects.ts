import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { withLastAppliedAnnotation } from "../../manifests/lastApplied.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/** Source: apimachinery/pkg/api/validation/objectmeta.go (TotalAnnotationSizeLimitB). */
const annotationBytesMax = 256 * 1024

interface MarkedDocuments {
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly warnings: ReadonlyArray<string>
}

/** Marks objects for server-side apply that are too large for the annotation of `kubectl apply`. */
export const markLargeForServerSideApply = (documents: ReadonlyArray<ManifestDocument>): MarkedDocuments => {
  const large = new Set(documents.filter(isTooLargeForAnnotation))
  if (large.size === 0) return { documents, warnings: [] }
  const [firstName, ...otherNames] = [...large].map(
    ({ kind, draft }) => `${kind.kind}/${displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })}`
  )
  const objects =
    otherNames.length === 0 ? `${firstName} is` : `${firstName} and ${otherNames.length} more are`
  return {
    documents: documents.map((document) =>
      large.has(document) ? { ...document, serverSide: true } : document
    ),
    warnings: [`${objects} too large for kubectl apply, and planned as with --server-side`]
  }
}

const isTooLargeForAnnotation = ({ rawFields, serverSide }: ManifestDocument): boolean => {
  // kubectl writes a character in at most six bytes, as `<` in `\u003c`.
  if (serverSide === true || JSON.stringify(rawFields).length * 6 < annotationBytesMax) return false
  const { metadata } = withLastAppliedAnnotation(rawFields)
  const annotations = isFields(metadata) && isFields(metadata["annotations"]) ? metadata["annotations"] : {}
  const bytes = Object.entries(annotations).map(([key, value]) => Buffer.byteLength(key + String(value)))
  return bytes.reduce((sum, size) => sum + size, 0) > annotationBytesMax
}
