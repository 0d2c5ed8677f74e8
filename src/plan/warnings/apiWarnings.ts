import { createWarnings } from "../../kubernetes/admission/admit.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { documentId, lastDocumentOfEachObject } from "../documentKeys.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** What the API server answers to `kubectl apply` about Pods and their templates; it is not asked about what stays. */
export const apiWarnings = (from: Documents, next: Documents): ReadonlyArray<string> => {
  const before = new Map(from.map((document) => [documentId(document), draftPodSpec(document.draft)]))
  return lastDocumentOfEachObject(next).flatMap((document) => {
    const { kind, draft } = document
    const spec = draftPodSpec(draft)
    if (spec === undefined || isSemanticallyEqual(spec, before.get(documentId(document)))) return []
    const title = `${kind.kind}/${displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })}`
    return createWarnings(kind, draft).map((text) => `${title}: ${text}`)
  })
}
