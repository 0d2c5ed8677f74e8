import { claimsNamedBy, claimTemplatesOf } from "./previous/assumedVolumes.ts"
import type { VolumeClaimDraft } from "./previous/assumedVolumes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"

/** Those among `claims` that the Pods name, and those that they get of their own. */
export const claimsOfPods = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<VolumeClaimDraft> => [
  ...claimsNamedBy(draft).flatMap(({ namespace, name }) =>
    claims.filter(({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name)
  ),
  ...claimTemplatesOf(draft)
]
