import {
  claimKeysOf,
  claimsNamedBy,
  hasFittingVolume,
  isAssumedDraft,
  isClaimDraft,
  isVolumeDraft,
  isWithoutClass,
  replicaClaimsOf
} from "./assumedVolumes.ts"
import { boundClaimKeys } from "../claimsOfPods.ts"
import { keyOfDraft } from "../documentKeys.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

interface PlannedManifests {
  readonly next: ReadonlyArray<ManifestDocument>
  readonly from?: ReadonlyArray<ManifestDocument>
  readonly livePods?: object
}

/** New claims whose volumes are provisioned. Of a cluster, not all claims are read. */
export const emptyClaimsIn = ({ from = [], next, livePods }: PlannedManifests): ReadonlySet<Key> => {
  if (livePods !== undefined) return new Set()
  const drafts = next.map(({ draft }) => draft)
  const claims = drafts.filter(isClaimDraft)
  const volumes = [...from, ...next]
    .map(({ draft }) => draft)
    .filter((draft) => !isAssumedDraft(draft))
    .filter(isVolumeDraft)
  const claimKeysBefore = claimKeysOf(from.map(({ draft }) => draft))
  const claimKeysBound = boundClaimKeys(claims)
  const claimKeysGiven = claimKeysOf(claims)
  const replicaClaims = drafts.flatMap(replicaClaimsOf)
  const namedKeys = drafts.flatMap(claimsNamedBy).map(({ namespace, name }) => toObjectKey(namespace, name))
  const usesByClaim = Map.groupBy([...namedKeys, ...replicaClaims.map(keyOfDraft)], (key) => key)
  const mayBeFilled = (key: Key): boolean =>
    claimKeysBefore.has(key) || claimKeysBound.has(key) || (usesByClaim.get(key) ?? []).length > 1
  return new Set(
    [...claims, ...replicaClaims.filter((claim) => !claimKeysGiven.has(keyOfDraft(claim)))]
      .filter((claim) => !isWithoutClass(claim) && !hasDataSource(claim) && !hasFittingVolume(claim, volumes))
      .map(keyOfDraft)
      .filter((key) => !mayBeFilled(key))
  )
}

export const isEmptyVolume = (
  { emptyDir, ephemeral, persistentVolumeClaim }: Core.Volume,
  source: { readonly namespace: string; readonly emptyClaims: ReadonlySet<Key> }
): boolean => {
  if (persistentVolumeClaim !== undefined)
    return source.emptyClaims.has(toObjectKey(source.namespace, persistentVolumeClaim.claimName))
  const template = ephemeral?.volumeClaimTemplate
  return emptyDir !== undefined || (template !== undefined && !hasDataSource(template))
}

const hasDataSource = ({ spec }: Pick<Core.PersistentVolumeClaim, "spec">): boolean =>
  spec?.dataSource !== undefined || spec?.dataSourceRef !== undefined
