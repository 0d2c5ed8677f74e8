import { claimsNamedBy, claimTemplatesOf } from "./previous/assumedVolumes.ts"
import { storageClassNameOf } from "../kubernetes/storage/storageClasses.ts"
import type { VolumeClaimDraft } from "./previous/assumedVolumes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"

interface ClaimClass {
  readonly name: string
  /** Empty for a claim without a class. */
  readonly className: string
}

/** Classes of claims that the workload names, and of claims that are made for its Pods. */
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
