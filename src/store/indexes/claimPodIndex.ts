import { podClaimKeys } from "../../kubernetes/storage/podClaims.ts"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"

export interface ClaimPods {
  /** The Pods that use a claim (`namespace/name`), whether it exists or not. */
  readonly using: (claim: Key) => ReadonlyArray<Pod>
}

interface ClaimPodIndex extends ClaimPods {
  readonly update: (old: Pod | undefined, next: Pod | undefined) => void
}

/** The claims of a Pod never change, so an update only replaces the Pod. */
export const makeClaimPodIndex = (): ClaimPodIndex => {
  const podsByClaim = new Map<Key, Map<string, Pod>>()
  return {
    using: (claim) => [...(podsByClaim.get(claim)?.values() ?? [])],
    update: (old, next) => {
      const pod = next ?? old
      if (pod === undefined) return
      for (const claim of podClaimKeys(pod)) {
        const pods = podsByClaim.get(claim) ?? new Map<string, Pod>()
        if (next === undefined) pods.delete(pod.metadata.uid)
        else pods.set(pod.metadata.uid, next)
        if (pods.size === 0) podsByClaim.delete(claim)
        else podsByClaim.set(claim, pods)
      }
    }
  }
}
