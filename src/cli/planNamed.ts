import { isForbidden, isNotFound } from "../remote/errors.ts"
import { madeIn, namedByPodsOf, standingDraft, textOf } from "../scenario/plan/takenToStand.ts"
import type { Draft } from "../domain/objects.ts"
import type { ManifestDocument } from "../manifests/manifest.ts"
import type { Needed } from "../scenario/plan/takenToStand.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"

/**
 * Reads the ConfigMaps, Secrets and other objects that Pods of the rollout reference. An object that the client may
 * not read counts as existing; so does a deleted one that running Pods reference and the manifests create.
 */
export const readNamed = async (
  remote: RemoteCluster,
  running: ReadonlyArray<Draft>,
  next: ReadonlyArray<ManifestDocument>
): Promise<ReadonlyArray<Draft>> => {
  const referencedByRunning = new Set(namedByPodsOf(running).map(textOf))
  const createdByManifests = new Set(madeIn(next).map(textOf))
  const found: Array<Draft> = []
  for (const reference of namedByPodsOf([...running, ...next.map(({ draft }) => draft)])) {
    const text = textOf(reference)
    const draft = await readOrAssume(remote, reference)
    if (draft !== undefined) found.push(draft)
    else if (referencedByRunning.has(text) && createdByManifests.has(text))
      found.push(standingDraft(reference))
  }
  return found
}

const readOrAssume = async (remote: RemoteCluster, reference: Needed): Promise<Draft | undefined> => {
  const { resource, namespace, name } = reference
  try {
    return await remote.get({ resource, name, ...(namespace === undefined ? {} : { namespace }) })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return standingDraft(reference)
    throw error
  }
}
