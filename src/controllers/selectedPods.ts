import { isSameValue } from "../domain/sameness.ts"
import { matchesSelector } from "../domain/selectors.ts"
import { resources } from "../domain/kinds.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Key, Labels, Pod } from "../domain/objects.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"

/**
 * Which Pods each of many selectors finds, kept up with every change: a Pod is compared only with selectors of its
 * namespace that name one of its labels, and in a namespace without selectors it costs one look-up.
 */
export interface SelectedPods {
  /** Begins to follow a selector, or follows another one from now on. */
  readonly follow: (key: Key, selection: Selection) => void
  readonly forget: (key: Key) => void
  readonly isFollowed: (key: Key) => boolean
  readonly of: (key: Key) => ReadonlyArray<Pod>
  readonly countOf: (key: Key) => number
  /** Takes a change of a Pod in; answers the keys of the selectors that find it, or found it before. */
  readonly update: (change: Pick<Change, "type" | "object" | "old">) => ReadonlyArray<Key>
  readonly save: () => SelectedPodsState
  /** For one that follows nothing yet. */
  readonly restore: (state: SelectedPodsState) => void
}

/** What is followed, in the order in which that began, and the Pods found, in the order in which they were. */
type SelectedPodsState = ReadonlyArray<Omit<Followed, "pods"> & { readonly pods: ReadonlyArray<Pod> }>

interface Selection {
  readonly namespace: string
  readonly selector: LabelSelector
}

interface Followed extends Selection {
  readonly key: Key
  /** The label by which it is found; undefined for one that names no label with its value. */
  readonly pair: string | undefined
  readonly pods: Map<string, Pod>
}

/** The selectors of one namespace. */
interface Room {
  readonly byPair: Map<string, Set<Followed>>
  readonly unnamed: Set<Followed>
}

const nothing: ReadonlyArray<Key> = []

export const makeSelectedPods = (view: ClusterView["Service"]): SelectedPods => {
  const followed = new Map<Key, Followed>()
  const rooms = new Map<string, Room>()

  const forget = (key: Key): void => {
    const it = followed.get(key)
    if (it === undefined) return
    followed.delete(key)
    const room = rooms.get(it.namespace)
    if (room === undefined) return
    room.unnamed.delete(it)
    const named = it.pair === undefined ? undefined : room.byPair.get(it.pair)
    named?.delete(it)
    if (it.pair !== undefined && named?.size === 0) room.byPair.delete(it.pair)
    if (room.byPair.size === 0 && room.unnamed.size === 0) rooms.delete(it.namespace)
  }

  const roomOf = (namespace: string): Room => {
    const room: Room = rooms.get(namespace) ?? { byPair: new Map(), unnamed: new Set() }
    rooms.set(namespace, room)
    return room
  }
  const enter = (it: Followed): void => {
    const room = roomOf(it.namespace)
    followed.set(it.key, it)
    if (it.pair === undefined) room.unnamed.add(it)
    else room.byPair.set(it.pair, (room.byPair.get(it.pair) ?? new Set()).add(it))
  }

  const follow = (key: Key, { namespace, selector }: Selection): void => {
    if (isSameValue(followed.get(key)?.selector, selector)) return
    forget(key)
    const pair = rarestPair(roomOf(namespace), selector)
    const it: Followed = { key, namespace, selector, pair, pods: new Map() }
    enter(it)
    for (const pod of view.all(resources.pods)) {
      const isFound = pod.metadata.namespace === namespace && matchesSelector(selector, pod.metadata.labels)
      if (isFound) it.pods.set(pod.metadata.uid, pod)
    }
  }

  return {
    follow,
    forget,
    isFollowed: (key) => followed.has(key),
    countOf: (key) => followed.get(key)?.pods.size ?? 0,
    of: (key) => [...(followed.get(key)?.pods.values() ?? [])],
    update: ({ type, object, old }) => {
      const room = rooms.size === 0 ? undefined : rooms.get(object.metadata.namespace ?? "")
      if (room === undefined) return nothing
      const { labels, uid } = object.metadata
      const candidates = new Set(room.unnamed)
      addNamed(room, labels, candidates)
      if (old !== undefined && old.metadata.labels !== labels) addNamed(room, old.metadata.labels, candidates)
      const keys: Array<Key> = []
      for (const { key, selector, pods } of candidates) {
        const isFound = type !== "DELETED" && matchesSelector(selector, labels)
        if (!isFound && !pods.delete(uid)) continue
        if (isFound) pods.set(uid, object as Pod)
        keys.push(key)
      }
      return keys
    },
    save: () => Array.from(followed.values(), (it) => ({ ...it, pods: [...it.pods.values()] })),
    restore: (state) => {
      for (const { pods, ...it } of state) {
        enter({ ...it, pair: it.pair, pods: new Map(pods.map((pod) => [pod.metadata.uid, pod] as const)) })
      }
    }
  }
}

const addNamed = (room: Room, labels: Labels | undefined, to: Set<Followed>): void => {
  for (const name in labels) for (const it of room.byPair.get(`${name}=${labels[name]}`) ?? []) to.add(it)
}

/** Of the labels that a selector names, the one that fewest others are found by. */
const rarestPair = ({ byPair }: Room, { matchLabels = {} }: LabelSelector): string | undefined => {
  let rarest: string | undefined
  let count = Infinity
  for (const name in matchLabels) {
    const pair = `${name}=${matchLabels[name]}`
    const others = byPair.get(pair)?.size ?? 0
    if (others >= count) continue
    rarest = pair
    count = others
  }
  return rarest
}
