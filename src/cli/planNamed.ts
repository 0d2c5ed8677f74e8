import { isForbidden, isNotFound } from "../remote/errors.ts"
import { madeIn, namedByPodsOf, standingDraft, textOf } from "../scenario/plan/takenToStand.ts"
import type { Draft } from "../domain/objects.ts"
import type { ManifestDocument } from "../manifests/manifest.ts"
import type { Needed } from "../scenario/plan/takenToStand.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"

/**
 * What the Pods of a rollout name and must find there, as a cluster has it; one that may not be read is taken to be
 * there. So is one that Pods were made with which run, where it is gone and the manifests bring it again.
 */
export const readNamed = async (
  remote: RemoteCluster,
  running: ReadonlyArray<Draft>,
  next: ReadonlyArray<ManifestDocument>
): Promise<ReadonlyArray<Draft>> => {
  const kept = new Set(namedByPodsOf(running).map(textOf))
  const made = new Set(madeIn(next).map(textOf))
  const found: Array<Draft> = []
  for (const named of namedByPodsOf([...running, ...next.map(({ draft }) => draft)])) {
    const text = textOf(named)
    const draft = await read(remote, named)
    if (draft !== undefined) found.push(draft)
    else if (kept.has(text) && made.has(text)) found.push(standingDraft(named))
  }
  return found
}

const read = async (remote: RemoteCluster, named: Needed): Promise<Draft | undefined> => {
  const { resource, namespace, name } = named
  try {
    return await remote.get({ resource, name, ...(namespace === undefined ? {} : { namespace }) })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return standingDraft(named)
    throw error
  }
}
