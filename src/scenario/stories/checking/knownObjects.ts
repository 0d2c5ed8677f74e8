import { initialNamespaces } from "../../../cluster/bootstrap.ts"
import { groupResourceOf, resources } from "../../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../../kubernetes/meta/objects.ts"
import { objectNameText } from "../../conditions/objectName.ts"
import type { GroupResource } from "../../../kubernetes/meta/kinds.ts"
import type { NamedObject } from "../../conditions/objectName.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"

/** Tells which objects exist at a step, as far as known before playing. */
export interface KnownObjects {
  readonly add: (documents: ReadonlyArray<ManifestDocument>) => void
  readonly remove: (object: NamedObject, stepNumber: number) => void
  readonly markChanged: (object: NamedObject) => void
  readonly addRevision: (object: NamedObject) => void
  /** Undefined if the highest revision is unknown. */
  readonly revisionsMax: (object: NamedObject) => number | undefined
  /** Undefined if anything may have changed the object. */
  readonly manifestOf: (object: NamedObject) => ManifestDocument | undefined
  /** Undefined if the object exists or may exist. */
  readonly whyMissing: (object: NamedObject) => string | undefined
  /** An undefined namespace means any. */
  readonly hasWorkload: (resource: GroupResource, name: string, namespace: string | undefined) => boolean
  /** As in conditions: `deployment/web`. */
  readonly namesOf: (resource: GroupResource) => ReadonlyArray<string>
  readonly mayBeIncomplete: boolean
}

/** Controllers create objects of these kinds under unpredictable names. */
const controllerResources: ReadonlySet<string> = new Set([
  resources.pods,
  resources.replicaSets,
  resources.controllerRevisions,
  resources.events,
  resources.endpoints,
  resources.endpointSlices,
  resources.leases,
  resources.serviceAccounts,
  resources.configMaps
])

const nodeNamePattern = /^node-([1-9][0-9]*)$/

export const makeKnownObjects = (options: {
  /** Undefined if the story's `nodes` cannot be read. */
  readonly nodes: number | undefined
  readonly areObjectsKnown: boolean
}): KnownObjects => {
  const objects = new Map<
    string,
    { readonly nameText: string; readonly manifest: ManifestDocument | undefined }
  >()
  const removingSteps = new Map<string, number>()
  const revisions = new Map<string, number>()
  let areRevisionsUnknown = !options.areObjectsKnown
  const toId = (resource: string, key: string): string => `${resource} ${key}`

  const namesOf = (resource: GroupResource): ReadonlyArray<string> =>
    [...objects.entries()].flatMap(([objectId, { nameText }]) =>
      objectId.startsWith(`${resource} `) ? [nameText] : []
    )
  /** The names of a CronJob's Jobs are unpredictable, too. */
  const controllersMayCreate = (resource: GroupResource): boolean =>
    controllerResources.has(resource) ||
    (resource === resources.jobs && namesOf(resources.cronJobs).length > 0)

  const whyMissing: KnownObjects["whyMissing"] = (object) => {
    const { resource, key, name, kind } = object
    const step = removingSteps.get(toId(resource, key))
    if (step !== undefined) return `${objectNameText(object)} is deleted by step ${step}`
    if (!options.areObjectsKnown || objects.has(toId(resource, key)) || controllersMayCreate(resource))
      return undefined
    if (resource === resources.nodes) {
      if (options.nodes === undefined) return undefined
      const number = Number(nodeNamePattern.exec(name)?.[1] ?? Number.NaN)
      if (number <= options.nodes) return undefined
      return options.nodes === 0
        ? `there is no node: the story says nodes: 0`
        : `there is no ${objectNameText(object)}: there are node-1 to node-${options.nodes}`
    }
    if (resource === resources.namespaces && initialNamespaces.includes(name)) return undefined
    const knownNames = [...namesOf(resource)]
    if (resource === resources.namespaces)
      knownNames.push(...initialNamespaces.map((it) => `namespace/${it}`))
    const choice = knownNames.length === 0 ? `no ${kind.singular} at all` : knownNames.slice(0, 3).join(", ")
    return `no manifest before this creates ${objectNameText(object)}: there is ${choice}`
  }
  return {
    add: (documents) => {
      for (const manifest of documents) {
        const { kind, draft } = manifest
        const { namespace, name = "" } = draft.metadata
        const objectId = toId(
          groupResourceOf(kind),
          toObjectKey(kind.namespaced ? namespace : undefined, name)
        )
        objects.set(objectId, { nameText: objectNameText({ kind, namespace, name }), manifest })
        removingSteps.delete(objectId)
        revisions.set(objectId, (revisions.get(objectId) ?? 0) + 1)
        // A ReplicaSet created by hand has a revision of its own.
        areRevisionsUnknown ||= groupResourceOf(kind) === resources.replicaSets
      }
    },
    remove: ({ resource, key }, step) => {
      // A namespace terminates until it is empty.
      if (resource === resources.namespaces) return
      objects.delete(toId(resource, key))
      revisions.delete(toId(resource, key))
      // A Pod takes time to terminate.
      if (!controllerResources.has(resource)) removingSteps.set(toId(resource, key), step)
    },
    markChanged: (object) => {
      const { resource, key } = object
      const knownObject = objects.get(toId(resource, key))
      if (knownObject !== undefined) objects.set(toId(resource, key), { ...knownObject, manifest: undefined })
      areRevisionsUnknown ||= resource === resources.replicaSets
    },
    addRevision: ({ resource, key }) => {
      const objectId = toId(resource, key)
      revisions.set(objectId, (revisions.get(objectId) ?? 0) + 1)
    },
    revisionsMax: ({ resource, key }) =>
      areRevisionsUnknown ? undefined : revisions.get(toId(resource, key)),
    mayBeIncomplete: !options.areObjectsKnown,
    manifestOf: ({ resource, key }) => objects.get(toId(resource, key))?.manifest,
    whyMissing,
    hasWorkload: (resource, name, namespace) =>
      controllersMayCreate(resource) ||
      [...objects.keys()].some((objectId) =>
        namespace === undefined
          ? objectId.startsWith(`${resource} `) && objectId.endsWith(`/${name}`)
          : objectId === toId(resource, toObjectKey(namespace, name))
      ),
    namesOf
  }
}
