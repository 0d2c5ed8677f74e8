import { groupResourceOf, kindOfObject, resources } from "../domain/kinds.ts"
import { readDrafts, readManifests } from "../manifests/readManifests.ts"
import { quoted } from "../domain/admission/fieldErrors.ts"
import { isNotFound } from "../remote/errors.ts"
import { wordsOf } from "../wordsOf.ts"
import { ForeignWrite, LeftBehind } from "./realLimits.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"
import type { Applied } from "../manifests/applyManifests.ts"
import type { Named } from "../openCluster.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"

/** In a test `default` is the namespace of its own. */
export const ownNamespace =
  (namespace: string) =>
  (stated: string | undefined): string =>
    stated === undefined || stated === "default" ? namespace : stated

/**
 * What of a real cluster belongs to a test, so that nothing else is written to, and nothing is left behind: its
 * namespaces with all that is in them, and what it has created outside of any. `namespace` is to be the first.
 */
export const ownership = (remote: RemoteCluster, namespace: string) => {
  const created: Array<Named> = []
  const namespaces = new Set([namespace])
  const namespaceOf = ownNamespace(namespace)
  const keep = (object: KubeObject): void => {
    const kind = kindOfObject(object)
    if (object.metadata.namespace !== undefined || kind === undefined || kind.namespaced) return
    const { name } = object.metadata
    created.push({ resource: groupResourceOf(kind), name })
    if (groupResourceOf(kind) === resources.namespaces) namespaces.add(name)
  }
  const requireOwn = (stated: string | undefined, coming: ReadonlyArray<string> = []): void => {
    const wanted = namespaceOf(stated)
    if (namespaces.has(wanted) || coming.includes(wanted)) return
    throw new ForeignWrite(
      `a test writes only to namespaces of its own on a real cluster, and ${quoted(wanted)} is none: ` +
        "say no namespace, or create one"
    )
  }
  const isCreated = ({ resource, name }: Named): boolean =>
    created.some((it) => it.resource === resource && it.name === name)
  const requireCreated = (named: Named): void => {
    if (isCreated(named)) return
    throw new ForeignWrite(
      `${named.resource} ${quoted(named.name)} of a real cluster is not the test's to change`
    )
  }
  return {
    namespaces: () => [...namespaces],
    namespaceOf,
    requireOwn,
    /** Before one object is changed. */
    requireNamed: async (named: Named): Promise<void> => {
      if (await remote.isNamespaced(named.resource)) requireOwn(named.namespace)
      else requireCreated(named)
    },
    /** Before a manifest is applied: a namespace that is there already is somebody else's. */
    requireWritable: async (manifest: string | Draft | ReadonlyArray<Draft>): Promise<void> => {
      const drafts = draftsOf(manifest)
      const coming = drafts
        .filter(({ kind }) => kind === "Namespace")
        .map(({ metadata }) => metadata.name ?? "")
      const foreign = coming.filter((name) => !namespaces.has(name))
      if (foreign.length > 0) {
        const { items } = await remote.list(resources.namespaces)
        for (const name of foreign) {
          const isThere = items.some(({ metadata }) => metadata.name === name)
          if (isThere) requireCreated({ resource: resources.namespaces, name })
        }
      }
      for (const { metadata } of drafts) requireOwn(metadata.namespace, coming)
    },
    placed: (draft: Draft): Draft => {
      const { namespace: stated, ...metadata } = draft.metadata
      return stated === undefined
        ? draft
        : { ...draft, metadata: { ...metadata, namespace: namespaceOf(stated) } }
    },
    created: (object: KubeObject): KubeObject => {
      keep(object)
      return object
    },
    applied: (all: ReadonlyArray<Applied>): ReadonlyArray<Applied> => {
      for (const { outcome, object } of all) if (outcome === "created") keep(object)
      return all
    },
    /** Fails with `LeftBehind` where something cannot be taken away; the rest is. */
    remove: async (): Promise<void> => {
      const left: Array<string> = []
      for (const it of created.splice(0).toReversed()) {
        try {
          await remote.delete(it, { propagationPolicy: "Background" })
        } catch (error) {
          // What the test has deleted itself is gone.
          if (!isNotFound(error)) left.push(`${it.resource} ${quoted(it.name)} (${wordsOf(error)})`)
        }
      }
      if (left.length > 0) throw new LeftBehind(`left behind in ${remote.context.url}: ${left.join(", ")}`)
    }
  }
}

const draftsOf = (manifest: string | Draft | ReadonlyArray<Draft>): ReadonlyArray<Draft> => {
  const read =
    typeof manifest === "string"
      ? readManifests([{ name: "manifest", text: manifest }], { strict: false })
      : readDrafts([manifest].flat())
  return read.documents.map(({ draft }) => draft)
}
