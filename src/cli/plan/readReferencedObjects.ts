import { isForbidden, isNotFound } from "../../client/clientErrors.ts"
import {
  objectsCreatedBy,
  objectsNamedByPods,
  assumedDraft,
  requiredObjectText
} from "../../plan/previous/assumedObjects.ts"
import { isAssumedDraft } from "../../plan/previous/assumedVolumes.ts"
import { withoutBinding, portableVolume } from "../../plan/previous/portableObjects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { RequiredObject } from "../../plan/previous/assumedObjects.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

interface ReferencingObjects {
  /** Workloads and ReplicaSets of the live cluster. */
  readonly podOwners: ReadonlyArray<Draft>
  readonly next: ReadonlyArray<ManifestDocument>
  /** Claims of StatefulSets' Pods, which no Pod template names. */
  readonly claims: ReadonlyArray<RequiredObject>
}

/**
 * Assumes objects that the client may not read. Assumes missing ones only if running Pods reference them and the
 * manifests create them: never a claim of a StatefulSet.
 */
export const readReferencedObjects = async (
  remote: RemoteCluster,
  { podOwners, next, claims }: ReferencingObjects
): Promise<ReadonlyArray<Draft>> => {
  const namedByPodOwners = new Set(objectsNamedByPods(podOwners).map(requiredObjectText))
  const createdByManifests = new Set(objectsCreatedBy(next).map(requiredObjectText))
  const found: Array<Draft> = []
  const named = objectsNamedByPods([...podOwners, ...next.map(({ draft }) => draft)])
  for (const reference of [...named, ...claims]) {
    const key = requiredObjectText(reference)
    const draft = await readOrAssume(remote, reference)
    if (draft !== undefined) found.push(...(isClaim(draft) ? await withVolume(remote, draft) : [draft]))
    else if (namedByPodOwners.has(key) && createdByManifests.has(key)) found.push(assumedDraft(reference))
  }
  return found
}

const readOrAssume = async (remote: RemoteCluster, reference: RequiredObject): Promise<Draft | undefined> => {
  const { resource, namespace, name } = reference
  try {
    return await remote.get({ resource, name, ...(namespace === undefined ? {} : { namespace }) })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return assumedDraft(reference)
    throw error
  }
}

const isClaim = (draft: Draft): draft is PersistentVolumeClaim => draft.kind === "PersistentVolumeClaim"

/** A plan assumes a volume that is missing or may not be read. */
const withVolume = async (
  remote: RemoteCluster,
  claim: PersistentVolumeClaim
): Promise<ReadonlyArray<Draft>> => {
  if (isAssumedDraft(claim)) return [claim]
  const { volumeName = "" } = claim.spec
  try {
    if (volumeName === "") return [withoutBinding(claim)]
    const volume = await remote.get({ resource: resources.persistentVolumes, name: volumeName })
    return [portableVolume(volume), withoutBinding(claim)]
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return [withoutBinding(claim)]
    throw error
  }
}
