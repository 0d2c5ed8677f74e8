import { isForbidden, isNotFound } from "../../client/clientErrors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { storageClassNameOf } from "../../kubernetes/storage/storageClasses.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { VolumeClaimDraft } from "../../plan/previous/assumedVolumes.ts"

/** Whether the classes of the claims let them grow, by name; without classes that the client may not read. */
export const readClassGrowth = async (
  remote: RemoteCluster,
  claims: ReadonlyArray<VolumeClaimDraft>
): Promise<ReadonlyMap<string, boolean>> => {
  const growth = new Map<string, boolean>()
  for (const name of new Set(claims.map(storageClassNameOf))) {
    if (name === "") continue
    try {
      const { allowVolumeExpansion = false } = await remote.get({ resource: resources.storageClasses, name })
      growth.set(name, allowVolumeExpansion)
    } catch (error) {
      if (isNotFound(error)) growth.set(name, false)
      else if (!isForbidden(error)) throw error
    }
  }
  return growth
}
