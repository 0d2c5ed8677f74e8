import {
  claimKeysWithOwnVolume,
  claimsNamedBy,
  claimTemplatesOf,
  isStatefulSetDraft,
  replicaClaimNames,
  replicaClaimsOf
} from "./previous/assumedVolumes.ts"
import { keyOfDraft } from "./documentKeys.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import type { VolumeClaimDraft, VolumeDraft } from "./previous/assumedVolumes.ts"
import type { Draft, Key } from "../kubernetes/meta/objects.ts"

/** The claims among `claims` that the Pods name, and the workload's claim templates. */
export const claimsOfPods = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<VolumeClaimDraft> => [
  ...claimsNamedBy(draft).flatMap(({ namespace, name }) =>
    claims.filter(({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name)
  ),
  ...claimTemplatesOf(draft)
]

/** Manifests read from a cluster have `spec.volumeName`. */
export const boundClaimKeys = (claims: ReadonlyArray<VolumeClaimDraft>): ReadonlySet<Key> =>
  new Set(claims.filter(({ spec: { volumeName = "" } }) => volumeName !== "").map(keyOfDraft))

/** Includes the claims of a StatefulSet's replicas. */
export const claimKeysWithVolume = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>,
  volumes: ReadonlyArray<VolumeDraft>
): ReadonlySet<Key> => claimKeysWithOwnVolume([...claims, ...replicaClaimsOf(draft)], volumes)

/** A claim template is left out if the claims of all replicas are. */
export const claimsOfPodsExcept = (
  excepted: ReadonlySet<Key>,
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<VolumeClaimDraft> => {
  const templates = new Set(claimTemplatesOf(draft).map(({ metadata }) => metadata.name))
  return claimsOfPods(draft, claims).filter(({ metadata: { namespace, name = "" } }) => {
    const keys = templates.has(name) ? replicaClaimKeys(draft, name) : [toObjectKey(namespace, name)]
    return keys === undefined || !keys.every((key) => excepted.has(key))
  })
}

/** Undefined for workloads whose Pods get new claims. */
const replicaClaimKeys = (draft: Draft, templateName: string): ReadonlyArray<Key> | undefined =>
  isStatefulSetDraft(draft)
    ? replicaClaimNames(draft, templateName).map((name) => toObjectKey(draft.metadata.namespace, name))
    : undefined
