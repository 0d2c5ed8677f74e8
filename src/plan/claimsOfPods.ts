import { claimsNamedBy, claimTemplatesOf, isStatefulSetDraft } from "./previous/assumedVolumes.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import type { VolumeClaimDraft } from "./previous/assumedVolumes.ts"
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

/** Claims that `claims` does not show as bound. Manifests read from a cluster have `spec.volumeName`. */
export const unboundClaimsOfPods = (
  draft: Draft,
  claims: ReadonlyArray<VolumeClaimDraft>
): ReadonlyArray<VolumeClaimDraft> => {
  const bound = new Set(
    claims
      .filter(({ spec: { volumeName = "" } }) => volumeName !== "")
      .map(({ metadata: { namespace, name = "" } }) => toObjectKey(namespace, name))
  )
  const templates = new Set(claimTemplatesOf(draft).map(({ metadata }) => metadata.name))
  return claimsOfPods(draft, claims).filter(({ metadata: { namespace, name = "" } }) => {
    const keys = templates.has(name) ? replicaClaimKeys(draft, name) : [toObjectKey(namespace, name)]
    return keys === undefined || !keys.every((key) => bound.has(key))
  })
}

/** Undefined for workloads whose Pods get new claims. */
const replicaClaimKeys = (draft: Draft, templateName: string): ReadonlyArray<Key> | undefined => {
  if (!isStatefulSetDraft(draft)) return undefined
  const { namespace, name = "" } = draft.metadata
  const { replicas = 1, ordinals: { start = 0 } = {} } = draft.spec
  return Array.from({ length: replicas }, (_, index) =>
    toObjectKey(namespace, `${templateName}-${name}-${start + index}`)
  )
}
