import { compareQuantities } from "../kubernetes/meta/amounts/quantity.ts"
import { requestedStorage } from "../kubernetes/storage/claimVolumes.ts"
import { isClaimDraft } from "./previous/assumedVolumes.ts"
import { keyOfDraft } from "./documentKeys.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"
import type { VolumeClaimDraft } from "./previous/assumedVolumes.ts"

/** The claims among `before` of which `next` requests more storage. */
export const growingClaims = (
  before: ReadonlyArray<Draft>,
  next: ReadonlyArray<Draft>
): ReadonlyArray<VolumeClaimDraft> => {
  const claims = new Map(next.filter(isClaimDraft).map((claim) => [keyOfDraft(claim), claim]))
  return before.filter(isClaimDraft).filter((claim) => {
    const after = claims.get(keyOfDraft(claim))
    return after !== undefined && compareQuantities(requestedStorage(after), requestedStorage(claim)) > 0
  })
}
