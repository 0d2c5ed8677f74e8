import {
  customResourceDefinitionResource,
  type CustomResourceDefinition
} from "../../kubernetes/customResources/definitions.ts"
import { isForbidden, isNotFound } from "../../client/clientErrors.ts"
import { objectsCreatedBy } from "../../plan/previous/assumedObjects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

/** A refused change of a definition leaves the one in the cluster, which serves its custom resources. */
export const withoutDefinedResources = async (
  remote: Pick<RemoteCluster, "get">,
  refused: ReadonlyArray<RefusedObject>,
  next: ReadonlyArray<ManifestDocument>
): Promise<ReadonlyArray<RefusedObject>> => {
  const servedTypes = new Set<string>()
  for (const { resource, name } of refused.length === 0 ? [] : [...refused, ...objectsCreatedBy(next)]) {
    if (resource !== customResourceDefinitionResource || name === undefined) continue
    const { spec } = (await readDefinition(remote, name)) ?? {}
    for (const version of spec?.versions ?? [])
      if (version.served) servedTypes.add(typeText(`${spec?.group}/${version.name}`, spec?.names.kind))
  }
  return refused.filter(({ kind, fields }) => !servedTypes.has(typeText(fields["apiVersion"], kind)))
}

const typeText = (apiVersion: unknown, kind: string | undefined): string => `${String(apiVersion)} ${kind}`

const readDefinition = async (
  remote: Pick<RemoteCluster, "get">,
  name: string
): Promise<CustomResourceDefinition | undefined> => {
  try {
    const object: object = await remote.get({ resource: customResourceDefinitionResource, name })
    return object as CustomResourceDefinition
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}
