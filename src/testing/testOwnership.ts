import { resources } from "../kubernetes/meta/kinds.ts"
import { readManifestObjects, readManifests } from "../manifests/readManifests.ts"
import { isNotFound } from "../client/clientErrors.ts"
import { systemErrorText } from "../platform/systemErrorText.ts"
import { ForeignWrite, LeftBehind } from "./realClusterLimits.ts"
import { goQuote } from "../kubernetes/meta/text/goQuote.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { ServedKinds } from "../manifests/definedKinds.ts"
import type { AppliedDocument } from "../manifests/manifestDocument.ts"
import type { ObjectAddress } from "../cluster/calls/callOptions.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"

export const toTestNamespace =
  (namespace: string) =>
  (requested: string | undefined): string =>
    requested === undefined || requested === "default" ? namespace : requested

export type TestOwnership = ReturnType<typeof trackOwnership>

/** Tracks a test's namespaces and cluster-scoped objects in a real cluster. Refuses writes elsewhere. */
export const trackOwnership = (remote: RemoteCluster, namespace: string) => {
  const created: Array<ObjectAddress> = []
  const namespaces = new Set([namespace])
  const namespaceOf = toTestNamespace(namespace)
  const trackObject = async (object: KubeObject): Promise<void> => {
    const { namespace: ownNamespace, name } = object.metadata
    const type = ownNamespace === undefined ? await remote.findType(object) : undefined
    if (type === undefined || type.namespaced) return
    created.push({ resource: type.resource, name })
    if (type.resource === resources.namespaces) namespaces.add(name)
  }
  const requireOwnNamespace = (
    requested: string | undefined,
    createdNamespaces: ReadonlyArray<string> = []
  ): void => {
    const name = namespaceOf(requested)
    if (namespaces.has(name) || createdNamespaces.includes(name)) return
    throw new ForeignWrite(
      `a test writes only to namespaces of its own on a real cluster, and ${goQuote(name)} is none: ` +
        "say no namespace, or create one"
    )
  }
  const isCreated = ({ resource, name }: ObjectAddress): boolean =>
    created.some((ref) => ref.resource === resource && ref.name === name)
  const requireCreated = (address: ObjectAddress): void => {
    if (isCreated(address)) return
    throw new ForeignWrite(
      `${address.resource} ${goQuote(address.name)} of a real cluster is not the test's to change`
    )
  }
  return {
    namespaces: () => [...namespaces],
    namespaceOf,
    requireOwnNamespace,
    requireOwnObject: async (address: ObjectAddress): Promise<void> => {
      if (await remote.isNamespaced(address.resource)) requireOwnNamespace(address.namespace)
      else requireCreated(address)
    },
    requireWritable: async (manifest: string | Draft | ReadonlyArray<Draft>): Promise<void> => {
      const drafts = parseDrafts(manifest, await remote.kindsIn(manifest))
      const createdNamespaces = drafts
        .filter(({ kind }) => kind === "Namespace")
        .map(({ metadata }) => metadata.name ?? "")
      const otherNamespaces = createdNamespaces.filter((name) => !namespaces.has(name))
      if (otherNamespaces.length > 0) {
        const { items } = await remote.list(resources.namespaces)
        for (const name of otherNamespaces) {
          const exists = items.some(({ metadata }) => metadata.name === name)
          if (exists) requireCreated({ resource: resources.namespaces, name })
        }
      }
      for (const { metadata } of drafts) requireOwnNamespace(metadata.namespace, createdNamespaces)
    },
    inTestNamespace: (draft: Draft): Draft => {
      const { namespace: requested, ...metadata } = draft.metadata
      return requested === undefined
        ? draft
        : { ...draft, metadata: { ...metadata, namespace: namespaceOf(requested) } }
    },
    recordCreated: async (object: KubeObject): Promise<KubeObject> => {
      await trackObject(object)
      return object
    },
    recordApplied: async (
      documents: ReadonlyArray<AppliedDocument>
    ): Promise<ReadonlyArray<AppliedDocument>> => {
      for (const { outcome, object } of documents) if (outcome === "created") await trackObject(object)
      return documents
    },
    /** Throws `LeftBehind` for what could not be deleted. */
    remove: async (): Promise<void> => {
      const failures: Array<string> = []
      for (const ref of created.splice(0).toReversed()) {
        try {
          await remote.delete(ref, { propagationPolicy: "Background" })
        } catch (error) {
          if (!isNotFound(error))
            failures.push(`${ref.resource} ${goQuote(ref.name)} (${systemErrorText(error)})`)
        }
      }
      if (failures.length > 0)
        throw new LeftBehind(`left behind in ${remote.context.url}: ${failures.join(", ")}`)
    }
  }
}

const parseDrafts = (
  manifest: string | Draft | ReadonlyArray<Draft>,
  kinds: ServedKinds
): ReadonlyArray<Draft> => {
  const parsed =
    typeof manifest === "string"
      ? readManifests([{ name: "manifest", text: manifest }], { strict: false, kinds })
      : readManifestObjects([manifest].flat(), { kinds })
  return parsed.documents.map(({ draft }) => draft)
}
