import { allResourceVerbs, apiVersionOf } from "../kubernetes/meta/kinds.ts"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { servedKindsOf, type DefinitionDraft } from "../kubernetes/customResources/definitions.ts"
import { readManifestObjects, readManifests } from "../manifests/readManifests.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"
import type { KubeObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { Kind, ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"
import type { ServedKinds } from "../manifests/definedKinds.ts"
import type { ResourceDiscovery, ServedResource } from "./resourceDiscovery.ts"

/** An older server may still serve removed versions. */
const skipped = { skipsCustomResources: true, skipsRemovedVersions: true }

/** The kinds have no schemas: only the server validates custom resources. */
export const discoverKinds = async (
  { findType }: Pick<ResourceDiscovery, "findType">,
  manifest: string | Manifest | ReadonlyArray<Manifest>
): Promise<ServedKinds> => {
  const { skippedTypes } =
    typeof manifest === "string"
      ? readManifests([{ name: "manifest", text: manifest }], { strict: false, ...skipped })
      : readManifestObjects([manifest].flat(), skipped)
  const kinds = new Map<string, Kind | undefined>()
  for (const type of skippedTypes) {
    if (kinds.has(typeText(type))) continue
    const served = await findType(type)
    kinds.set(typeText(type), served === undefined ? undefined : toKind(served))
  }
  return { findServed: (type) => kinds.get(typeText(type)) }
}

const typeText = ({ apiVersion, kind }: ObjectTypeMeta): string => `${apiVersion}/${kind}`

const toKind = ({ apiVersion, kind, plural, namespaced }: ServedResource): Kind => {
  const [group = "", version = ""] = apiVersion.split("/")
  return {
    group,
    version,
    kind,
    plural,
    namespaced,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    verbs: allResourceVerbs,
    subresources: [],
    custom: {
      schema: undefined,
      listKind: `${kind}List`,
      hasStatus: false,
      scale: undefined,
      printerColumns: [],
      selectableFields: [],
      deprecationWarning: undefined,
      storageKind: undefined
    }
  }
}

const discoveryTriesMax = 50
const discoveryRetryMillis = 200

/** Waits until discovery lists a definition's kinds, at most ten seconds each, or the server refuses their names. */
export const awaitServedKinds = async (
  definition: KubeObject,
  {
    findType,
    read,
    signal
  }: Pick<ResourceDiscovery, "findType"> & {
    readonly read: () => Promise<KubeObject>
    readonly signal: AbortSignal
  }
): Promise<void> => {
  for (const kind of servedKindsOf(definition)) {
    const type = { apiVersion: apiVersionOf(kind), kind: kind.kind }
    for (let tries = 0; tries < discoveryTriesMax && (await findType(type)) === undefined; tries += 1) {
      const { status }: KubeObject & DefinitionDraft = await read()
      if (conditionOf(status?.conditions, "NamesAccepted")?.status === "False") return
      await sleepUnlessAborted(discoveryRetryMillis, signal)
    }
  }
}
