import { groupResourceOf, resources } from "../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Draft, Key } from "../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"

export const isOfResource =
  (resource: GroupResource) =>
  ({ kind }: ManifestDocument): boolean =>
    groupResourceOf(kind) === resource

/** Reading the manifests has checked the drafts' types. */
export const draftsAmong = <R extends GroupResource>(
  documents: ReadonlyArray<ManifestDocument>,
  resource: R
): ReadonlyArray<ObjectOf<R>> =>
  documents.filter(isOfResource(resource)).map(({ draft }) => draft as ObjectOf<R>)

/** Reading the manifests has filled in the namespace. */
export const keyOfDraft = ({ metadata: { namespace, name = "" } }: Draft): Key => toObjectKey(namespace, name)

export const keysAmong = (
  documents: ReadonlyArray<ManifestDocument>,
  resource: GroupResource
): ReadonlyArray<Key> => documents.filter(isOfResource(resource)).map(({ draft }) => keyOfDraft(draft))

export const deploymentKeys = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<Key> =>
  keysAmong(documents, resources.deployments)

export const documentId = ({ kind, draft }: ManifestDocument): string =>
  `${groupResourceOf(kind)} ${keyOfDraft(draft)}`

export const lastDocumentOfEachObject = (
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<ManifestDocument> => [
  ...new Map(documents.map((document) => [documentId(document), document])).values()
]

export const documentOfWorkload = (
  { kind, object: { metadata } }: { readonly kind: string; readonly object: Draft },
  documents: ReadonlyArray<ManifestDocument>
): ManifestDocument | undefined =>
  documents.find(
    ({ kind: { kind: documentKind }, draft }) =>
      documentKind === kind &&
      draft.metadata.name === metadata.name &&
      draft.metadata.namespace === metadata.namespace
  )

/** False for the default nodes. */
export const hasGivenNodes = (input: {
  readonly from?: ReadonlyArray<ManifestDocument>
  readonly next: ReadonlyArray<ManifestDocument>
  readonly livePods?: object
  readonly nodes?: unknown
}): boolean =>
  input.livePods !== undefined ||
  Array.isArray(input.nodes) ||
  [...(input.from ?? []), ...input.next].some(isOfResource(resources.nodes))
