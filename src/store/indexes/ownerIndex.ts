import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Dependent } from "../objectStore.ts"
import type { ObjectIndex } from "./objectIndex.ts"

interface OwnerIndex extends ObjectIndex {
  readonly dependents: (ownerUid: string) => ReadonlyArray<Dependent>
  readonly controlled: (resource: GroupResource, ownerUid: string) => ReadonlyArray<KubeObject>
  readonly orphans: (resource: GroupResource, namespace: string) => ReadonlyArray<KubeObject>
  readonly save: () => OwnersState
  readonly restore: (state: OwnersState) => void
}

export interface OwnersState {
  readonly owned: ReadonlyArray<
    readonly [
      ownerUid: string,
      dependents: ReadonlyArray<readonly [GroupResource, ReadonlyArray<KubeObject>]>
    ]
  >
  readonly orphaned: ReadonlyArray<
    readonly [resourceAndNamespace: string, orphans: ReadonlyArray<KubeObject>]
  >
}

const adoptableResources: ReadonlySet<GroupResource> = new Set([
  resources.pods,
  resources.replicaSets,
  resources.controllerRevisions
])

type ByUid = Map<string, KubeObject>

export const makeOwnerIndex = (): OwnerIndex => {
  /** Owner uid, then resource, then uid. */
  const owned = new Map<string, Map<GroupResource, ByUid>>()
  /** By resource and namespace, then by uid. */
  const orphaned = new Map<string, ByUid>()

  const addDependent = (resource: GroupResource, ownerUid: string, object: KubeObject): void => {
    const byResource = getOrCreate(owned, ownerUid, () => new Map<GroupResource, ByUid>())
    getOrCreate(byResource, resource, () => new Map()).set(object.metadata.uid, object)
  }
  const removeDependent = (resource: GroupResource, ownerUid: string, uid: string): void => {
    const byResource = owned.get(ownerUid)
    const byUid = byResource?.get(resource)
    byUid?.delete(uid)
    if (byUid?.size === 0) byResource?.delete(resource)
    if (byResource?.size === 0) owned.delete(ownerUid)
  }
  const orphanKey = (resource: GroupResource, { metadata }: KubeObject): string =>
    `${resource} ${metadata.namespace ?? ""}`
  const removeOrphan = (key: string, uid: string): void => {
    const byUid = orphaned.get(key)
    byUid?.delete(uid)
    if (byUid?.size === 0) orphaned.delete(key)
  }

  const update: OwnerIndex["update"] = (resource, old, next) => {
    const formerOwners = old?.metadata.ownerReferences
    const owners = next?.metadata.ownerReferences
    if (old !== undefined && formerOwners !== owners) {
      for (const { uid } of formerOwners ?? []) removeDependent(resource, uid, old.metadata.uid)
    }
    if (next !== undefined) for (const { uid } of owners ?? []) addDependent(resource, uid, next)
    if (!adoptableResources.has(resource)) return
    if (old !== undefined && controllerOf(old) === undefined) {
      removeOrphan(orphanKey(resource, old), old.metadata.uid)
    }
    if (next !== undefined && controllerOf(next) === undefined) {
      getOrCreate(orphaned, orphanKey(resource, next), () => new Map()).set(next.metadata.uid, next)
    }
  }

  return {
    update,
    dependents: (ownerUid) =>
      [...(owned.get(ownerUid) ?? [])].flatMap(([resource, byUid]) =>
        [...byUid.values()].map((object) => ({ resource, object }))
      ),
    controlled: (resource, ownerUid) => {
      const byUid = owned.get(ownerUid)?.get(resource)
      if (byUid === undefined) return noObjects
      const objects: Array<KubeObject> = []
      for (const object of byUid.values()) if (controllerOf(object)?.uid === ownerUid) objects.push(object)
      return objects
    },
    orphans: (resource, namespace) => [...(orphaned.get(`${resource} ${namespace}`)?.values() ?? [])],
    save: () => ({
      owned: Array.from(owned, ([ownerUid, byResource]) => [
        ownerUid,
        Array.from(byResource, ([resource, byUid]) => [resource, [...byUid.values()]] as const)
      ]),
      orphaned: Array.from(orphaned, ([key, byUid]) => [key, [...byUid.values()]])
    }),
    restore: (state) => {
      for (const [ownerUid, byResource] of state.owned) {
        owned.set(
          ownerUid,
          new Map(byResource.map(([resource, objects]) => [resource, mapByUid(objects)] as const))
        )
      }
      for (const [key, objects] of state.orphaned) orphaned.set(key, mapByUid(objects))
    }
  }
}

const noObjects: ReadonlyArray<never> = Object.freeze([])

const mapByUid = (objects: ReadonlyArray<KubeObject>): ByUid => {
  const byUid: ByUid = new Map()
  for (const object of objects) byUid.set(object.metadata.uid, object)
  return byUid
}

const getOrCreate = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const present = map.get(key)
  if (present !== undefined) return present
  const created = make()
  map.set(key, created)
  return created
}
