import { shareUnchanged } from "./shareUnchanged.ts"
import type { FleetChange } from "./fleet.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../recording/entry.ts"

/** All versions of one object, the oldest first. */
export interface ObjectVersions {
  readonly uid: string
  readonly resource: string
  readonly arrivalOrder: number
  readonly versions: Array<Version>
}

interface Version {
  readonly number: number
  readonly object: KubeObject
  /** The entry deleted the object; `object` is its last state. */
  readonly isGone: boolean
}

export interface VersionStore {
  /** Unchanged parts are shared with the version before. */
  readonly add: (entry: ObjectEntry) => KubeObject
  readonly all: () => Iterable<ObjectVersions>
  readonly versionsOf: (uid: string) => ObjectVersions | undefined
  readonly arrivalOrderOf: (uid: string) => number
  readonly objectCount: () => number
  /** Keeps the last version up to this number, except of deleted objects. */
  readonly forgetBefore: (number: number) => void
}

export const makeVersionStore = (): VersionStore => {
  const store = new Map<string, ObjectVersions>()
  let objectsSeen = 0
  return {
    add: ({ object, change, resource, number }) => {
      const { uid } = object.metadata
      const existing = store.get(uid)
      const record = existing ?? { uid, resource, arrivalOrder: (objectsSeen += 1), versions: [] }
      if (existing === undefined) store.set(uid, record)
      const before = record.versions.at(-1)?.object
      const version = before === undefined ? object : shareUnchanged(before, object)
      freezeTemplate(version)
      record.versions.push({ number, object: version, isGone: change === "DELETED" })
      return version
    },
    all: () => store.values(),
    versionsOf: (uid) => store.get(uid),
    arrivalOrderOf: (uid) => store.get(uid)?.arrivalOrder ?? 0,
    objectCount: () => store.size,
    forgetBefore: (number) => {
      for (const record of store.values()) {
        const index = lastIndexUpTo(record.versions, number)
        if (index < 0) continue
        if (record.versions[index]?.isGone === true && index === record.versions.length - 1)
          store.delete(record.uid)
        else if (index > 0) record.versions.splice(0, index)
      }
    }
  }
}

/** Comparisons of templates cache their result for frozen templates only. */
const freezeTemplate = (object: KubeObject): void => {
  const { spec } = object as { readonly spec?: { readonly template?: object } }
  Object.freeze(spec?.template)
}

export const versionAt = ({ versions }: ObjectVersions, number: number): Version | undefined =>
  versions[lastIndexUpTo(versions, number)]

/** Undefined if the object is the same at both moments. */
export const fleetChangeBetween = (
  record: ObjectVersions,
  fromNumber: number,
  toNumber: number
): FleetChange | undefined => {
  const lastKnown = record.versions.at(-1)?.object
  const version = versionAt(record, toNumber)
  if (lastKnown === undefined || version === versionAt(record, fromNumber)) return undefined
  const object = version?.isGone === true ? undefined : version?.object
  const { uid, resource } = record
  return { uid, resource, object, lastKnown }
}

/** -1 if all numbers are higher. */
export const lastIndexUpTo = (all: ReadonlyArray<{ readonly number: number }>, number: number): number =>
  lastIndexWhere(all.length, (index) => (all[index]?.number ?? Infinity) <= number)

/** Binary search for the last index at which `holdsAt` is true; -1 if none. It must be true for all before. */
export const lastIndexWhere = (length: number, holdsAt: (index: number) => boolean): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holdsAt(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
