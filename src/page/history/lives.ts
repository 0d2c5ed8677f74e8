import { shared } from "./shared.ts"
import type { Change } from "./fleet.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../recording/entry.ts"

/** The versions of one object, the oldest first. */
export interface Life {
  readonly uid: string
  readonly resource: string
  /** What came earlier has a smaller one. */
  readonly rank: number
  readonly versions: Array<Version>
}

interface Version {
  readonly number: number
  readonly object: KubeObject
  /** From then on it was not there; the object is as it was last. */
  readonly isGone: boolean
}

/** The versions of every object. */
export interface Lives {
  /** Keeps another version; the answer shares with the one before what did not change. */
  readonly see: (entry: ObjectEntry) => KubeObject
  readonly all: () => Iterable<Life>
  readonly of: (uid: string) => Life | undefined
  readonly rankOf: (uid: string) => number
  readonly count: () => number
  /** Forgets every version that was not the present one at this number or later. */
  readonly forgetBefore: (number: number) => void
}

export const makeLives = (): Lives => {
  const lives = new Map<string, Life>()
  let seen = 0
  return {
    see: ({ object, change, resource, number }) => {
      const { uid } = object.metadata
      const known = lives.get(uid)
      const life = known ?? { uid, resource, rank: (seen += 1), versions: [] }
      if (known === undefined) lives.set(uid, life)
      const before = life.versions.at(-1)?.object
      const kept = before === undefined ? object : shared(before, object)
      freezeTemplate(kept)
      life.versions.push({ number, object: kept, isGone: change === "DELETED" })
      return kept
    },
    all: () => lives.values(),
    of: (uid) => lives.get(uid),
    rankOf: (uid) => lives.get(uid)?.rank ?? 0,
    count: () => lives.size,
    forgetBefore: (number) => {
      for (const life of lives.values()) {
        const first = indexAt(life.versions, number)
        if (first < 0) continue
        if (life.versions[first]?.isGone === true && first === life.versions.length - 1)
          lives.delete(life.uid)
        else life.versions.splice(0, first)
      }
    }
  }
}

/** Templates are compared again and again: only of what can no longer change it is remembered what is in it. */
const freezeTemplate = (object: KubeObject): void => {
  const { spec } = object as { readonly spec?: { readonly template?: object } }
  Object.freeze(spec?.template)
}

/** What there was of an object at a moment: undefined before it came. */
export const versionAt = ({ versions }: Life, number: number): Version | undefined =>
  versions[indexAt(versions, number)]

/** How an object differs from one moment to another; undefined where it does not. */
export const changeBetween = (life: Life, from: number, to: number): Change | undefined => {
  const known = life.versions.at(-1)?.object
  const version = versionAt(life, to)
  if (known === undefined || version === versionAt(life, from)) return undefined
  const object = version?.isGone === true ? undefined : version?.object
  const { uid, resource, rank } = life
  return { uid, resource, object, known, rank }
}

/** Of things in the order of their numbers, the index of the last that is not after one; -1 where all are. */
export const indexAt = (all: ReadonlyArray<{ readonly number: number }>, number: number): number =>
  lastIndex(all.length, (index) => (all[index]?.number ?? Infinity) <= number)

/** The last index at which something still holds that holds up to some index and not from there on; -1 for none. */
export const lastIndex = (length: number, holdsAt: (index: number) => boolean): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holdsAt(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
