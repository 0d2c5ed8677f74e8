import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { matchesSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Key, Labels, Pod } from "../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"

/**
 * The Pods that each of several selectors matches. A change is compared only with selectors that name one of the
 * Pod's labels.
 */
export interface SelectedPods {
  /** Adds a selector, or replaces the one with this key. */
  readonly follow: (key: Key, selection: PodSelection) => void
  readonly forget: (key: Key) => void
  readonly isFollowed: (key: Key) => boolean
  readonly podsOf: (key: Key) => ReadonlyArray<Pod>
  readonly countOf: (key: Key) => number
  /** Returns the keys of the selectors that match the Pod, or did before. */
  readonly updatePod: (change: Pick<Change, "type" | "object" | "old">) => ReadonlyArray<Key>
  readonly save: () => SelectedPodsState
  readonly restore: (state: SelectedPodsState) => void
}

type SelectedPodsState = ReadonlyArray<Omit<IndexedSelector, "pods"> & { readonly pods: ReadonlyArray<Pod> }>

interface PodSelection {
  readonly namespace: string
  readonly selector: LabelSelector
}

interface IndexedSelector extends PodSelection {
  readonly key: Key
  /** One of `matchLabels` as `name=value`, the one that fewest other selectors have. */
  readonly pair: string | undefined
  readonly pods: Map<string, Pod>
}

interface NamespaceIndex {
  readonly byPair: Map<string, Set<IndexedSelector>>
  /** Selectors without `matchLabels`. */
  readonly unindexed: Set<IndexedSelector>
}

const noKeys: ReadonlyArray<Key> = []

export const makeSelectedPods = (view: ClusterView["Service"]): SelectedPods => {
  const selectors = new Map<Key, IndexedSelector>()
  const indexes = new Map<string, NamespaceIndex>()

  const forget = (key: Key): void => {
    const indexed = selectors.get(key)
    if (indexed === undefined) return
    const { namespace, pair } = indexed
    selectors.delete(key)
    const index = indexes.get(namespace)
    if (index === undefined) return
    index.unindexed.delete(indexed)
    const selectorsOfPair = pair === undefined ? undefined : index.byPair.get(pair)
    selectorsOfPair?.delete(indexed)
    if (pair !== undefined && selectorsOfPair?.size === 0) index.byPair.delete(pair)
    if (index.byPair.size === 0 && index.unindexed.size === 0) indexes.delete(namespace)
  }

  const indexOf = (namespace: string): NamespaceIndex => {
    const index: NamespaceIndex = indexes.get(namespace) ?? { byPair: new Map(), unindexed: new Set() }
    indexes.set(namespace, index)
    return index
  }
  const addSelector = (added: IndexedSelector): void => {
    const { key, namespace, pair } = added
    const index = indexOf(namespace)
    selectors.set(key, added)
    if (pair === undefined) index.unindexed.add(added)
    else index.byPair.set(pair, (index.byPair.get(pair) ?? new Set()).add(added))
  }

  const follow = (key: Key, { namespace, selector }: PodSelection): void => {
    if (isSemanticallyEqual(selectors.get(key)?.selector, selector)) return
    forget(key)
    const pair = rarestPair(indexOf(namespace), selector)
    const added: IndexedSelector = { key, namespace, selector, pair, pods: new Map() }
    addSelector(added)
    for (const pod of view.all(resources.pods)) {
      const isMatching =
        pod.metadata.namespace === namespace && matchesSelector(selector, pod.metadata.labels)
      if (isMatching) added.pods.set(pod.metadata.uid, pod)
    }
  }

  return {
    follow,
    forget,
    isFollowed: (key) => selectors.has(key),
    countOf: (key) => selectors.get(key)?.pods.size ?? 0,
    podsOf: (key) => [...(selectors.get(key)?.pods.values() ?? [])],
    updatePod: ({ type, object, old }) => {
      const index = indexes.size === 0 ? undefined : indexes.get(object.metadata.namespace ?? "")
      if (index === undefined) return noKeys
      const { labels, uid } = object.metadata
      const candidates = new Set(index.unindexed)
      addCandidates(index, labels, candidates)
      if (old !== undefined && old.metadata.labels !== labels)
        addCandidates(index, old.metadata.labels, candidates)
      const keys: Array<Key> = []
      for (const { key, selector, pods } of candidates) {
        const isMatching = type !== "DELETED" && matchesSelector(selector, labels)
        if (!isMatching && !pods.delete(uid)) continue
        if (isMatching) pods.set(uid, object as Pod)
        keys.push(key)
      }
      return keys
    },
    save: () => Array.from(selectors.values(), (it) => ({ ...it, pods: [...it.pods.values()] })),
    restore: (state) => {
      for (const { pods, ...it } of state) {
        addSelector({
          ...it,
          pair: it.pair,
          pods: new Map(pods.map((pod) => [pod.metadata.uid, pod] as const))
        })
      }
    }
  }
}

const addCandidates = (index: NamespaceIndex, labels: Labels | undefined, to: Set<IndexedSelector>): void => {
  for (const name in labels) for (const it of index.byPair.get(`${name}=${labels[name]}`) ?? []) to.add(it)
}

const rarestPair = ({ byPair }: NamespaceIndex, { matchLabels = {} }: LabelSelector): string | undefined => {
  let rarest: string | undefined
  let rarestCount = Infinity
  for (const name in matchLabels) {
    const pair = `${name}=${matchLabels[name]}`
    const selectorCount = byPair.get(pair)?.size ?? 0
    if (selectorCount >= rarestCount) continue
    rarest = pair
    rarestCount = selectorCount
  }
  return rarest
}
