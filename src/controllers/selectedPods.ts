import { isSameValue } from "../kubernetes/meta/semanticEquality.ts"
import { matchesSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Key, Labels, Pod } from "../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"

/** Matching Pods by selector. A change is compared only with selectors that name one of the Pod's labels. */
export interface SelectedPods {
  readonly follow: (key: Key, selection: Selection) => void
  readonly forget: (key: Key) => void
  readonly isFollowed: (key: Key) => boolean
  readonly podsOf: (key: Key) => ReadonlyArray<Pod>
  readonly countOf: (key: Key) => number
  /** Applies a change of a Pod. Returns the keys of the selectors that match it, or did before. */
  readonly updatePod: (change: Pick<Change, "type" | "object" | "old">) => ReadonlyArray<Key>
  readonly save: () => SelectedPodsState
  readonly restore: (state: SelectedPodsState) => void
}

type SelectedPodsState = ReadonlyArray<Omit<TrackedSelector, "pods"> & { readonly pods: ReadonlyArray<Pod> }>

interface Selection {
  readonly namespace: string
  readonly selector: LabelSelector
}

interface TrackedSelector extends Selection {
  readonly key: Key
  /** The `name=value` label by which the selector is indexed; undefined if it names none. */
  readonly pair: string | undefined
  readonly pods: Map<string, Pod>
}

interface NamespaceIndex {
  readonly byPair: Map<string, Set<TrackedSelector>>
  readonly unindexed: Set<TrackedSelector>
}

const noKeys: ReadonlyArray<Key> = []

export const makeSelectedPods = (view: ClusterView["Service"]): SelectedPods => {
  const tracked = new Map<Key, TrackedSelector>()
  const indexes = new Map<string, NamespaceIndex>()

  const forget = (key: Key): void => {
    const it = tracked.get(key)
    if (it === undefined) return
    tracked.delete(key)
    const index = indexes.get(it.namespace)
    if (index === undefined) return
    index.unindexed.delete(it)
    const sameLabel = it.pair === undefined ? undefined : index.byPair.get(it.pair)
    sameLabel?.delete(it)
    if (it.pair !== undefined && sameLabel?.size === 0) index.byPair.delete(it.pair)
    if (index.byPair.size === 0 && index.unindexed.size === 0) indexes.delete(it.namespace)
  }

  const indexOf = (namespace: string): NamespaceIndex => {
    const index: NamespaceIndex = indexes.get(namespace) ?? { byPair: new Map(), unindexed: new Set() }
    indexes.set(namespace, index)
    return index
  }
  const track = (it: TrackedSelector): void => {
    const index = indexOf(it.namespace)
    tracked.set(it.key, it)
    if (it.pair === undefined) index.unindexed.add(it)
    else index.byPair.set(it.pair, (index.byPair.get(it.pair) ?? new Set()).add(it))
  }

  const follow = (key: Key, { namespace, selector }: Selection): void => {
    if (isSameValue(tracked.get(key)?.selector, selector)) return
    forget(key)
    const pair = rarestPair(indexOf(namespace), selector)
    const it: TrackedSelector = { key, namespace, selector, pair, pods: new Map() }
    track(it)
    for (const pod of view.all(resources.pods)) {
      const isFound = pod.metadata.namespace === namespace && matchesSelector(selector, pod.metadata.labels)
      if (isFound) it.pods.set(pod.metadata.uid, pod)
    }
  }

  return {
    follow,
    forget,
    isFollowed: (key) => tracked.has(key),
    countOf: (key) => tracked.get(key)?.pods.size ?? 0,
    podsOf: (key) => [...(tracked.get(key)?.pods.values() ?? [])],
    updatePod: ({ type, object, old }) => {
      const index = indexes.size === 0 ? undefined : indexes.get(object.metadata.namespace ?? "")
      if (index === undefined) return noKeys
      const { labels, uid } = object.metadata
      const candidates = new Set(index.unindexed)
      addIndexed(index, labels, candidates)
      if (old !== undefined && old.metadata.labels !== labels)
        addIndexed(index, old.metadata.labels, candidates)
      const keys: Array<Key> = []
      for (const { key, selector, pods } of candidates) {
        const isFound = type !== "DELETED" && matchesSelector(selector, labels)
        if (!isFound && !pods.delete(uid)) continue
        if (isFound) pods.set(uid, object as Pod)
        keys.push(key)
      }
      return keys
    },
    save: () => Array.from(tracked.values(), (it) => ({ ...it, pods: [...it.pods.values()] })),
    restore: (state) => {
      for (const { pods, ...it } of state) {
        track({ ...it, pair: it.pair, pods: new Map(pods.map((pod) => [pod.metadata.uid, pod] as const)) })
      }
    }
  }
}

const addIndexed = (index: NamespaceIndex, labels: Labels | undefined, to: Set<TrackedSelector>): void => {
  for (const name in labels) for (const it of index.byPair.get(`${name}=${labels[name]}`) ?? []) to.add(it)
}

const rarestPair = ({ byPair }: NamespaceIndex, { matchLabels = {} }: LabelSelector): string | undefined => {
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
