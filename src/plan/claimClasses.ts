import { claimsNamedBy, claimTemplatesOf } from "./previous/assumedVolumes.ts"
import { namesStorageClass, storageClassNameOf } from "../kubernetes/storage/storageClasses.ts"
import type { VolumeClaimDraft } from "./previous/assumedVolumes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"

interface StorageClassOfClaim {
  /** The name of the claim or of its template. */
  readonly name: string
  /** Empty for a claim without a class, undefined for one that gets the default class. */
  readonly className: string | undefined
}

export const storageClassesOfClaims = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<StorageClassOfClaim> => [
  ...claimsNamedBy(draft)
    .flatMap(({ namespace, name }) =>
      claims.filter(({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name)
    )
    .map((claim) => ({
      name: claim.metadata.name ?? "",
      className: namesStorageClass(claim) ? storageClassNameOf(claim) : undefined
    })),
  ...claimTemplatesOf(draft)
]
