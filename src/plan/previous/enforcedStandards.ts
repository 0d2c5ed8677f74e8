import { enforceLabel } from "../../kubernetes/admission/podSecurity/podSecurityPolicy.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { UnknownKind } from "../verdicts/unknownKinds.ts"

/** A team that accepts the unknown `PodSecurity` knows that its Pods are admitted, whatever a Namespace enforces. */
export const withoutAcceptedPodSecurity = (
  documents: ReadonlyArray<ManifestDocument>,
  acceptedUnknowns: ReadonlyArray<UnknownKind>
): ReadonlyArray<ManifestDocument> =>
  acceptedUnknowns.includes("PodSecurity") ? documents.map(withoutEnforcedStandard) : documents

const withoutEnforcedStandard = (document: ManifestDocument): ManifestDocument => {
  const { kind, draft, rawFields } = document
  if (groupResourceOf(kind) !== resources.namespaces) return document
  const { [enforceLabel]: enforced, ...labels } = draft.metadata.labels ?? {}
  return enforced === undefined
    ? document
    : {
        ...document,
        draft: { ...draft, metadata: { ...draft.metadata, labels } },
        rawFields: { ...rawFields, metadata: { ...fieldsOrEmpty(rawFields["metadata"]), labels } }
      }
}
