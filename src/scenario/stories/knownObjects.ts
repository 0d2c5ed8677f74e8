import { firstNamespaces } from "../../bootstrap.ts"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { keyIn } from "../../domain/objects.ts"
import { nameOf } from "../conditions/objectName.ts"
import type { NamedObject } from "../conditions/objectName.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"

/** What is known of the objects of a story at one of its steps, before it is played. */
export interface KnownObjects {
  readonly bring: (documents: ReadonlyArray<ManifestDocument>) => void
  readonly remove: (object: NamedObject, step: number) => void
  /** Its manifest is not the last word any more. */
  readonly change: (object: NamedObject) => void
  /** Its template may be another one from now on. */
  readonly revise: (object: NamedObject) => void
  /** How many revisions it can have had, at the most; undefined where nobody knows. */
  readonly revisionsMost: (object: NamedObject) => number | undefined
  /** The manifest, where nothing but manifests made the object what it is. */
  readonly manifestOf: (object: NamedObject) => ManifestDocument | undefined
  /** Why an object cannot be there; undefined where it is, or may be. */
  readonly whyMissing: (object: NamedObject) => string | undefined
  readonly hasDeployment: (name: string, namespace: string | undefined) => boolean
  readonly deployments: () => ReadonlyArray<string>
  /** Whether there may be more than is known. */
  readonly isPartial: boolean
}

/** What controllers make, under names that nobody knows beforehand. */
const madeByControllers: ReadonlySet<string> = new Set([
  resources.pods,
  resources.replicaSets,
  resources.events,
  resources.endpoints,
  resources.endpointSlices,
  resources.leases,
  resources.serviceAccounts,
  resources.configMaps
])

/** The names that a cluster gives its nodes. */
const nodeName = /^node-([1-9][0-9]*)$/

export const makeKnownObjects = (options: {
  /** Undefined where nobody knows. */
  readonly nodes: number | undefined
  /** Whether every manifest could be read: otherwise anything may be there. */
  readonly isWhole: boolean
}): KnownObjects => {
  const objects = new Map<
    string,
    { readonly text: string; readonly manifest: ManifestDocument | undefined }
  >()
  const removed = new Map<string, number>()
  const revisions = new Map<string, number>()
  let isAnyRevision = !options.isWhole
  const id = (resource: string, key: string): string => `${resource} ${key}`

  const whyMissing: KnownObjects["whyMissing"] = (object) => {
    const { resource, key, name, kind } = object
    const step = removed.get(id(resource, key))
    if (step !== undefined) return `${nameOf(object)} is deleted by step ${step}`
    if (!options.isWhole || objects.has(id(resource, key)) || madeByControllers.has(resource))
      return undefined
    if (resource === resources.nodes) {
      if (options.nodes === undefined) return undefined
      const number = Number(nodeName.exec(name)?.[1] ?? Number.NaN)
      if (number <= options.nodes) return undefined
      return options.nodes === 0
        ? `there is no node: the story says nodes: 0`
        : `there is no ${nameOf(object)}: there are node-1 to node-${options.nodes}`
    }
    if (resource === resources.namespaces && firstNamespaces.includes(name)) return undefined
    const others = [...objects.entries()].flatMap(([known, { text }]) =>
      known.startsWith(`${resource} `) ? [text] : []
    )
    if (resource === resources.namespaces) others.push(...firstNamespaces.map((it) => `namespace/${it}`))
    const choice = others.length === 0 ? `no ${kind.singular} at all` : others.slice(0, 3).join(", ")
    return `no manifest brings ${nameOf(object)} before this: there is ${choice}`
  }
  return {
    bring: (documents) => {
      for (const manifest of documents) {
        const { kind, draft } = manifest
        const { namespace, name = "" } = draft.metadata
        const known = id(groupResourceOf(kind), keyIn(kind.namespaced ? namespace : undefined, name))
        objects.set(known, { text: nameOf({ kind, namespace, name }), manifest })
        removed.delete(known)
        revisions.set(known, (revisions.get(known) ?? 0) + 1)
        // One that somebody has made comes with a revision of its own.
        isAnyRevision ||= groupResourceOf(kind) === resources.replicaSets
      }
    },
    remove: ({ resource, key }, step) => {
      // It is there, and terminating, until all that was in it has gone.
      if (resource === resources.namespaces) return
      objects.delete(id(resource, key))
      revisions.delete(id(resource, key))
      // A Pod takes its time to go.
      if (!madeByControllers.has(resource)) removed.set(id(resource, key), step)
    },
    change: (object) => {
      const { resource, key } = object
      const known = objects.get(id(resource, key))
      if (known !== undefined) objects.set(id(resource, key), { ...known, manifest: undefined })
      isAnyRevision ||= resource === resources.replicaSets
    },
    revise: ({ resource, key }) => {
      const known = id(resource, key)
      revisions.set(known, (revisions.get(known) ?? 0) + 1)
    },
    revisionsMost: ({ resource, key }) => (isAnyRevision ? undefined : revisions.get(id(resource, key))),
    isPartial: !options.isWhole,
    manifestOf: ({ resource, key }) => objects.get(id(resource, key))?.manifest,
    whyMissing,
    hasDeployment: (name, namespace) =>
      [...objects.keys()].some((known) =>
        namespace === undefined
          ? known.startsWith(`${resources.deployments} `) && known.endsWith(`/${name}`)
          : known === id(resources.deployments, keyIn(namespace, name))
      ),
    deployments: () =>
      [...objects.entries()].flatMap(([known, { text }]) =>
        known.startsWith(`${resources.deployments} `) ? [text] : []
      )
  }
}
