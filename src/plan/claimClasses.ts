import { claimsNamedBy, claimTemplatesOf } from "./previous/assumedVolumes.ts"
import { storageClassNameOf } from "../kubernetes/storage/storageClasses.ts"
import type { ClaimTemplate, VolumeClaimDraft } from "./previous/assumedVolumes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"

/** The claims that a workload names, as far as they are among `claims`, and those that are made for its Pods. */
export const claimClassesOf = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<ClaimTemplate> => [
  ...claimsNamedBy(draft)
    .flatMap(({ namespace, name }) =>
      claims.filter(({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name)
    )
    .map((claim) => ({ name: claim.metadata.name ?? "", className: storageClassNameOf(claim) })),
  ...claimTemplatesOf(draft)
]
