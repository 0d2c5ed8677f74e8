import { groupResourceOf, kindOfObject, resources } from "../kubernetes/meta/kinds.ts"
import { readManifestObjects, readManifests } from "../manifests/readManifests.ts"
import { quote } from "../kubernetes/validation/fieldErrors.ts"
import { isNotFound } from "../client/clientErrors.ts"
import { systemErrorText } from "../platform/systemErrorText.ts"
import { ForeignWrite, LeftBehind } from "./realClusterLimits.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { AppliedDocument } from "../manifests/manifestDocument.ts"
import type { ObjectAddress } from "../cluster/callOptions.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"

/** Maps `default` and no namespace to the test's own namespace. */
export const toTestNamespace =
  (namespace: string) =>
  (namespaceGiven: string | undefined): string =>
    namespaceGiven === undefined || namespaceGiven === "default" ? namespace : namespaceGiven

/**
 * Tracks what a test owns in a real cluster: its namespaces with their content, and the cluster-scoped objects it
 * created. Writes to anything else are refused; all of it is deleted at the end.
 */
export const trackOwnership = (remote: RemoteCluster, namespace: string) => {
  const created: Array<ObjectAddress> = []
  const namespaces = new Set([namespace])
  const namespaceOf = toTestNamespace(namespace)
  const trackObject = (object: KubeObject): void => {
    const kind = kindOfObject(object)
    if (object.metadata.namespace !== undefined || kind === undefined || kind.namespaced) return
    const { name } = object.metadata
    created.push({ resource: groupResourceOf(kind), name })
    if (groupResourceOf(kind) === resources.namespaces) namespaces.add(name)
  }
  const requireOwn = (
    namespaceGiven: string | undefined,
    createdNamespaces: ReadonlyArray<string> = []
  ): void => {
    const ownNamespaceName = namespaceOf(namespaceGiven)
    if (namespaces.has(ownNamespaceName) || createdNamespaces.includes(ownNamespaceName)) return
    throw new ForeignWrite(
      `a test writes only to namespaces of its own on a real cluster, and ${quote(ownNamespaceName)} is none: ` +
        "say no namespace, or create one"
    )
  }
  const isCreated = ({ resource, name }: ObjectAddress): boolean =>
    created.some((ref) => ref.resource === resource && ref.name === name)
  const requireCreated = (named: ObjectAddress): void => {
    if (isCreated(named)) return
    throw new ForeignWrite(
      `${named.resource} ${quote(named.name)} of a real cluster is not the test's to change`
    )
  }
  return {
    namespaces: () => [...namespaces],
    namespaceOf,
    requireOwn,
    requireNamed: async (named: ObjectAddress): Promise<void> => {
      if (await remote.isNamespaced(named.resource)) requireOwn(named.namespace)
      else requireCreated(named)
    },
    /** Refuses manifests that write outside the test's namespaces, or to existing namespaces. */
    requireWritable: async (manifest: string | Draft | ReadonlyArray<Draft>): Promise<void> => {
      const drafts = draftsOf(manifest)
      const createdNamespaces = drafts
        .filter(({ kind }) => kind === "Namespace")
        .map(({ metadata }) => metadata.name ?? "")
      const foreign = createdNamespaces.filter((name) => !namespaces.has(name))
      if (foreign.length > 0) {
        const { items } = await remote.list(resources.namespaces)
        for (const name of foreign) {
          const exists = items.some(({ metadata }) => metadata.name === name)
          if (exists) requireCreated({ resource: resources.namespaces, name })
        }
      }
      for (const { metadata } of drafts) requireOwn(metadata.namespace, createdNamespaces)
    },
    placed: (draft: Draft): Draft => {
      const { namespace: namespaceGiven, ...metadata } = draft.metadata
      return namespaceGiven === undefined
        ? draft
        : { ...draft, metadata: { ...metadata, namespace: namespaceOf(namespaceGiven) } }
    },
    created: (object: KubeObject): KubeObject => {
      trackObject(object)
      return object
    },
    applied: (all: ReadonlyArray<AppliedDocument>): ReadonlyArray<AppliedDocument> => {
      for (const { outcome, object } of all) if (outcome === "created") trackObject(object)
      return all
    },
    /** Deletes everything. Throws `LeftBehind` after trying all, if an object could not be deleted. */
    remove: async (): Promise<void> => {
      const failures: Array<string> = []
      for (const ref of created.splice(0).toReversed()) {
        try {
          await remote.delete(ref, { propagationPolicy: "Background" })
        } catch (error) {
          // The test itself may have deleted it.
          if (!isNotFound(error))
            failures.push(`${ref.resource} ${quote(ref.name)} (${systemErrorText(error)})`)
        }
      }
      if (failures.length > 0)
        throw new LeftBehind(`left behind in ${remote.context.url}: ${failures.join(", ")}`)
    }
  }
}

const draftsOf = (manifest: string | Draft | ReadonlyArray<Draft>): ReadonlyArray<Draft> => {
  const parsed =
    typeof manifest === "string"
      ? readManifests([{ name: "manifest", text: manifest }], { strict: false })
      : readManifestObjects([manifest].flat())
  return parsed.documents.map(({ draft }) => draft)
}
