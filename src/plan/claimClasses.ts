import { claimsNamedBy, claimTemplatesOf } from "./previous/assumedVolumes.ts"
import { storageClassNameOf } from "../kubernetes/storage/storageClasses.ts"
import type { VolumeClaimDraft } from "./previous/assumedVolumes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"

/** A claim with its storage class. */
interface ClaimClass {
  /** Of the claim, or of the template from which claims are made for the Pods of a workload. */
  readonly name: string
  /** Empty for none. */
  readonly className: string
}

/**
 * The storage classes of the claims that a workload names, as far as they are among `claims`, and of those that are
 * made for its Pods.
 */
export const claimClassesOf = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<ClaimClass> => [
  ...claimsNamedBy(draft)
    .flatMap(({ namespace, name }) =>
      claims.filter(({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name)
    )
    .map((claim) => ({ name: claim.metadata.name ?? "", className: storageClassNameOf(claim) })),
  ...claimTemplatesOf(draft)
]
