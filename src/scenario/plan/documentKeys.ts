import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { keyIn } from "../../domain/objects.ts"
import type { GroupResource } from "../../domain/kinds.ts"
import type { Key } from "../../domain/objects.ts"
import type { ObjectOf } from "../../store/objectStore.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"

export const isOf =
  (resource: GroupResource) =>
  ({ kind }: ManifestDocument): boolean =>
    groupResourceOf(kind) === resource

/** The objects of one resource among documents: whoever reads those sees to it that each is of the type of its kind. */
export const draftsAmong = <R extends GroupResource>(
  documents: ReadonlyArray<ManifestDocument>,
  resource: R
): ReadonlyArray<ObjectOf<R>> => documents.filter(isOf(resource)).map(({ draft }) => draft as ObjectOf<R>)

/** The objects of one resource among documents, by `namespace/name`: whoever reads documents fills the namespace in. */
export const keysAmong = (
  documents: ReadonlyArray<ManifestDocument>,
  resource: GroupResource
): ReadonlyArray<Key> =>
  documents
    .filter(isOf(resource))
    .map(({ draft: { metadata } }) => keyIn(metadata.namespace, metadata.name ?? ""))

export const deploymentKeys = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<Key> =>
  keysAmong(documents, resources.deployments)
