import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { addressedObjectKey, nameKey, objectKey } from "../pageAddress.ts"
import { controllerUid, involvedUid } from "./fleet.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ObjectVersions, VersionStore } from "./objectVersions.ts"

/** Finds entries, versions and dependents of an object without reading the whole history. */
interface ObjectIndex {
  readonly addObject: (object: KubeObject) => void
  /** An Event counts for the object that it involves. */
  readonly addEntry: (object: KubeObject, number: number) => void
  /** Forgets earlier entries and what the version store has forgotten, but no owner of what an Event involves. */
  readonly forgetBefore: (number: number) => void
  readonly entryNumbersOf: (address: PageAddress) => ReadonlyArray<number>
  /** A recreated object has another uid, and so versions of its own. */
  readonly versionsOf: (address: PageAddress) => ReadonlyArray<ObjectVersions>
  /** Includes `uid` itself, and indirect and deleted dependents. */
  readonly ownedBy: (uid: string) => ReadonlySet<string>
}

export const makeObjectIndex = (store: VersionStore): ObjectIndex => {
  const entryNumbersByObject = new Map<string, Array<number>>()
  const versionsByObject = new Map<string, Array<ObjectVersions>>()
  /** Uids of direct dependents, by the uid of their controller. */
  const dependents = new Map<string, Set<string>>()
  const isStored = ({ uid }: ObjectVersions): boolean => store.versionsOf(uid) !== undefined

  return {
    addObject: (object) => {
      const { uid } = object.metadata
      const versions = store.versionsOf(uid)
      if (versions !== undefined) append(versionsByObject, objectKey(object), versions)
      const owner = controllerUid(object)
      if (owner !== "") dependents.set(owner, (dependents.get(owner) ?? new Set()).add(uid))
    },
    addEntry: (object, number) => append(entryNumbersByObject, involvedObjectKey(object), number),
    forgetBefore: (number) => {
      keepOnly(entryNumbersByObject, (entryNumber) => entryNumber > number)
      keepOnly(versionsByObject, isStored)
      forgetOwners(dependents, store)
    },
    entryNumbersOf: (address) => entryNumbersByObject.get(addressedObjectKey(address)) ?? [],
    versionsOf: (address) => versionsByObject.get(addressedObjectKey(address)) ?? [],
    ownedBy: (uid) => {
      const ownedUids = new Set([uid])
      for (const owner of ownedUids)
        for (const dependent of dependents.get(owner) ?? []) ownedUids.add(dependent)
      return ownedUids
    }
  }
}

const append = <A>(lists: Map<string, Array<A>>, key: string, value: A): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

const keepOnly = <A>(lists: Map<string, Array<A>>, isKept: (value: A) => boolean): void => {
  for (const [key, list] of lists) {
    if (list.every(isKept)) continue
    const kept = list.filter(isKept)
    if (kept.length === 0) lists.delete(key)
    else lists.set(key, kept)
  }
}

const forgetOwners = (dependents: Map<string, Set<string>>, store: VersionStore): void => {
  const owners = new Map<string, string>()
  for (const [owner, uids] of dependents) for (const uid of uids) owners.set(uid, owner)
  const neededUids = new Set<string>()
  const addWithOwners = (uid: string | undefined): void => {
    for (
      let ownerUid = uid;
      ownerUid !== undefined && !neededUids.has(ownerUid);
      ownerUid = owners.get(ownerUid)
    )
      neededUids.add(ownerUid)
  }
  for (const { uid, resource, versions } of store.all()) {
    addWithOwners(uid)
    const last = versions.at(-1)
    if (resource === "events" && last !== undefined) addWithOwners(involvedUid(last.object))
  }
  for (const [owner, uids] of dependents) {
    for (const uid of uids) if (!neededUids.has(uid)) uids.delete(uid)
    if (uids.size === 0) dependents.delete(owner)
  }
}

const involvedObjectKey = (object: KubeObject): string => {
  if (involvedUid(object) === "") return objectKey(object)
  const { involvedObject } = normalizeEvent(object)
  // Nodes are cluster-scoped, but their Events are in a namespace.
  return nameKey(involvedObject.kind === "Node" ? { ...involvedObject, namespace: "" } : involvedObject)
}
